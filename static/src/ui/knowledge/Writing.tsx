/** A document that is written or pasted here, or changed. */
import { useState } from "react";
import { bytesOf, documentUrl, sendDocument, type Base } from "../../wire/knowledge";
import type { Before } from "../../app/documents";
import { useAnswer } from "../../app/useAnswer";
import { useWords } from "../../i18n/locale";
import { DialogForm } from "../parts/DialogForm";
import { nameFor } from "./nameFor";

/** What stands in the fields. */
export interface Draft {
  name: string;
  text: string;
  /** It is there under this name, and keeps it. */
  known?: boolean;
}

interface Props {
  base: Base;
  draft: Draft;
  /** Those that are there. */
  names: string[];
  /** It is there; `before`: what it has replaced. */
  onDone: (before: Before | null) => void;
  onClose: () => void;
}

/** Bytes of a name. */
const NAME = 200;

export function Writing({ base, draft, names, onDone, onClose }: Props) {
  const words = useWords().knowledge.writing;
  const [name, setName] = useState(draft.name || nameFor(draft.text));
  const [text, setText] = useState(draft.text);
  const [asking, ask] = useAnswer<{ before: Before | null }>();
  const replaces = !draft.known && names.includes(name.trim());
  const send = async () => {
    const wanted = name.trim();
    const done = await ask(async () => {
      const there = names.includes(wanted);
      const content = there ? await bytesOf(documentUrl(base.id, wanted)) : null;
      await sendDocument(base.id, wanted, new Blob([text]), () => undefined).done;
      return { before: content && { name: wanted, content, replaced: true } };
    });
    if (!done) return;
    onDone(done.before);
    onClose();
  };
  const submit = draft.known || replaces ? words.replace : words.add;
  return (
    <DialogForm
      title={draft.known ? words.change(draft.name) : words.title}
      submit={asking.busy ? words.adding : submit}
      busy={asking.busy || !name.trim() || !text.trim()}
      refusal={asking.refusal}
      wide
      onSubmit={() => void send()}
      onClose={onClose}
    >
      {!draft.known && (
        <label>
          <span>{words.name}</span>
          <input
            name="name"
            required
            maxLength={NAME}
            value={name}
            placeholder="rules.md"
            onChange={(event) => setName(event.target.value)}
          />
          {replaces && <small role="status">{words.replaces(name.trim())}</small>}
        </label>
      )}
      <label>
        <span>{words.text}</span>
        <textarea
          name="text"
          className="writing-text"
          rows={14}
          required
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
    </DialogForm>
  );
}
