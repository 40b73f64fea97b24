/** Asks whoever signed in first what others should call them: the server knows them only as "operator". */
import { useState, type FormEvent } from "react";
import { useApp } from "../../app/hooks";
import { readStorage, writeStorage } from "../../app/storage";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { ErrorNotice } from "../components/ErrorNotice";

/** The name that the server gives its first administrator. */
const GIVEN = "operator";

export function NamePrompt() {
  const words = useWords().manage.first;
  const asks = useApp((app) => app.me?.name === GIVEN);
  const [later, setLater] = useState(() => readStorage<boolean>("named-later") ?? false);
  const [name, setName] = useState("");
  const [asking, request] = useMutation();
  if (!asks || later) return null;
  const save = (event: FormEvent) => {
    event.preventDefault();
    // Everything of this page was said under the old name: it begins again.
    if (name.trim())
      void request(
        () => manage.rename(name.trim()),
        () => location.reload(),
      );
  };
  const dismiss = () => {
    writeStorage("named-later", true);
    setLater(true);
  };
  return (
    <form className="first-name" onSubmit={save} data-testid="first-name">
      <label>
        <span>{words.title}</span>
        <input
          name="name"
          dir="auto"
          maxLength={60}
          autoComplete="name"
          placeholder={words.placeholder}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <button type="submit" className="primary" disabled={!name.trim() || asking.busy}>
        {words.save}
      </button>
      <button type="button" className="quiet" onClick={dismiss}>
        {words.later}
      </button>
      <small>{words.means}</small>
      {asking.error && <ErrorNotice>{asking.error}</ErrorNotice>}
    </form>
  );
}
