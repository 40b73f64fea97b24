/** A new base, or another name and words for one that is there. */
import { useState } from "react";
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { DialogForm } from "../parts/DialogForm";

interface Props {
  /** The one that is changed; none is made. */
  base?: Base;
  onMade?: (base: Base) => void;
  onClose: () => void;
}

/** Characters of a name and of a description. */
const NAME = 100;
const ABOUT = 2000;

export function BaseForm({ base, onMade, onClose }: Props) {
  const { common, knowledge: words } = useWords();
  const client = useClient();
  const [name, setName] = useState(base?.name ?? "");
  const [about, setAbout] = useState(base?.about ?? "");
  const [shared, setShared] = useState(base?.shared ?? false);
  const [asking, request] = useRequest();
  const send = async () => {
    const wish = { name: name.trim(), about: about.trim(), shared };
    if (base) await client.changeBase(base.id, wish);
    else onMade?.(await client.makeBase(wish));
  };
  const { form } = words;
  const [still, moving] = base ? [form.save, form.saving] : [form.create, form.creating];
  return (
    <DialogForm
      title={base ? words.edit : words.fresh}
      submit={asking.busy ? moving : still}
      asking={asking}
      onSubmit={() => void request(send, onClose)}
      onClose={onClose}
    >
      <label>
        <span>{form.name}</span>
        <input
          name="name"
          required
          maxLength={NAME}
          value={name}
          placeholder={form.namePlaceholder}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        <span>
          {form.about} <small>{common.optional}</small>
        </span>
        <textarea
          name="about"
          rows={3}
          maxLength={ABOUT}
          value={about}
          onChange={(event) => setAbout(event.target.value)}
        />
        <small>{form.aboutHint}</small>
      </label>
      <label className="check">
        <input
          type="checkbox"
          name="shared"
          checked={shared}
          onChange={(event) => setShared(event.target.checked)}
        />
        <span>{form.shared}</span>
      </label>
    </DialogForm>
  );
}
