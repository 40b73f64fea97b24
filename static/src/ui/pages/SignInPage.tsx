/** `/sign-in#code`: exchanges the code for a cookie, and asks for a name after the first sign-in. */
import { useEffect, useRef, useState, type FormEvent } from "react";
import { rest } from "../../wire/rest";
import { navigate } from "../../app/route";
import { useRequest, useMutation } from "../../app/requests";
import { isBlank } from "../../text/hiddenCharacters";
import { MAX_NAME_LENGTH } from "../../text/limits";
import { useTexts } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { onDemand } from "../components/onDemand";
import { Card } from "./PageLayout";
import { useApp } from "../../app/hooks";
import { readStorage, writeStorage } from "../../app/storage";
import { manage } from "../../wire/manage";

const ProviderSignIn = onDemand(() => import("./ProviderSignIn").then((part) => part.ProviderSignIn));

/** `/sign-in#code`: exchanges the code for a cookie. Without a code, it explains where to find the link. */
export function SignInPage({ code, onDone }: { code: string; onDone: () => void }) {
  const texts = useTexts();
  const [status, ask] = useRequest();
  const usedCode = useRef("");
  useEffect(() => {
    // A code works only once, so a second request would turn success into failure.
    if (!code || usedCode.current === code) return;
    usedCode.current = code;
    void ask(() => rest.signIn(code).then(() => true)).then((done) => {
      if (!done) return;
      navigate("/", "replace");
      onDone();
    });
  }, [code, ask, onDone]);
  return (
    <Card title={texts.signIn.title}>
      {status.busy || status.data ? (
        <p role="status">{texts.signIn.working}</p>
      ) : (
        <div className="stack">
          {status.error && <ErrorNotice lead={texts.signIn.failed}>{status.error}</ErrorNotice>}
          <ProviderSignIn />
          <p>{texts.signIn.text}</p>
          <p className="soft">{texts.signIn.terminal}</p>
          <pre className="terminal">
            Roundtable listens on {location.origin}
            {"\n"}Sign in, once, within 60 minutes: {location.origin}/sign-in#…
          </pre>
          <p className="soft">
            {texts.signIn.lost} <code>roundtable sign-in</code>
          </p>
          <p className="soft">{texts.signIn.token}</p>
          <p className="soft">{texts.signIn.colleague}</p>
        </div>
      )}
    </Card>
  );
}

/** Name that the server gives its first administrator. */
const DEFAULT_NAME = "operator";

/** Asks the first administrator for a name, because the server knows them only as "operator". */
export function NamePrompt() {
  const texts = useTexts().manage.first;
  const hasDefaultName = useApp((app) => app.me?.name === DEFAULT_NAME);
  const [later, setLater] = useState(() => readStorage<boolean>("named-later") ?? false);
  const [name, setName] = useState("");
  const [status, request] = useMutation();
  if (!hasDefaultName || later) return null;
  const save = (event: FormEvent) => {
    event.preventDefault();
    // Everything on this page was shown under the old name, so the page reloads.
    if (!isBlank(name))
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
        <span>{texts.title}</span>
        <input
          name="name"
          dir="auto"
          maxLength={MAX_NAME_LENGTH}
          autoComplete="name"
          placeholder={texts.placeholder}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <button type="submit" className="primary" disabled={isBlank(name) || status.busy}>
        {texts.save}
      </button>
      <button type="button" className="quiet" onClick={dismiss}>
        {texts.later}
      </button>
      <small>{texts.means}</small>
      {status.error && <ErrorNotice>{status.error}</ErrorNotice>}
    </form>
  );
}
