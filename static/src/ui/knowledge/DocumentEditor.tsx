/** Editor of a document: new, pasted, or existing. */
import { useState } from "react";
import type { Base } from "../../wire/knowledge";
import { putDocument, type RemovedDocument } from "../../app/knowledgeBases";
import { useMutation } from "../../app/requests";
import { useFormat, useTexts } from "../../i18n/locale";
import { isBlank, withoutFileNameSpecials } from "../../text/hiddenCharacters";
import { MAX_DOCUMENT_NAME_LENGTH } from "../../text/limits";
import { ApiError } from "../../wire/rest";
import { tooLargeMessage } from "../files/UploadList";
import { FormDialog } from "../components/Dialog";

/** Maximum number of characters of a suggested name, without its extension. */
const MAX_STEM_CHARS = 40;

/** Returns a file name derived from the first nonblank line of the text; empty if there is nothing to use. */
export function documentNameFor(text: string): string {
  const firstLine = text.split("\n").find((line) => !isBlank(line)) ?? "";
  const title = withoutFileNameSpecials(firstLine.replace(/^[\s#>*-]+/, ""))
    .replace(/\s+/g, " ")
    .trim();
  const stem = [...title].slice(0, MAX_STEM_CHARS).join("").trim();
  return stem && `${stem}.md`;
}

/** Content of the editor's fields. */
export interface DocumentDraft {
  name: string;
  text: string;
  /** True for an existing document, which keeps its name. */
  known?: boolean;
}

interface Props {
  base: Base;
  draft: DocumentDraft;
  /** Names of the existing documents. */
  names: string[];
  /**
   * Called when the document has been saved. `before` is the document that it replaced; null if there was
   * none.
   */
  onDone: (before: RemovedDocument | null) => void;
  onClose: () => void;
}

/** Editor of a document: new, pasted, or existing. */
export function DocumentEditor({ base, draft, names, onDone, onClose }: Props) {
  const all = useTexts();
  const texts = all.knowledge.writing;
  const format = useFormat();
  const [name, setName] = useState(draft.name || documentNameFor(draft.text));
  const [written, setWritten] = useState(draft.text);
  const [status, request] = useMutation();
  const newName = name.trim();
  const there = names.includes(newName);
  const replaces = !draft.known && there;
  const send = async () => {
    const text = { name: newName, content: new Blob([written]) };
    const put = putDocument(base.id, text, there).done.catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const message = tooLargeMessage(error.body, text.content.size, all, format);
      throw message ? new ApiError(error.status, { ...error.body, message: message }) : error;
    });
    onDone(await put);
  };
  const submit = draft.known || replaces ? texts.replace : texts.add;
  return (
    <FormDialog
      title={draft.known ? texts.change(draft.name) : texts.title}
      submit={status.busy ? texts.adding : submit}
      status={status}
      incomplete={isBlank(newName) || isBlank(written)}
      wide
      onSubmit={() => void request(send, onClose)}
      onClose={onClose}
    >
      {!draft.known && (
        <label>
          <span>{texts.name}</span>
          <input
            name="name"
            required
            maxLength={MAX_DOCUMENT_NAME_LENGTH}
            value={name}
            placeholder="rules.md"
            onChange={(event) => setName(event.target.value)}
          />
          {replaces && <small role="status">{texts.replaces(newName)}</small>}
        </label>
      )}
      <label>
        <span>{texts.text}</span>
        <textarea
          dir="auto"
          name="text"
          className="writing-text"
          rows={14}
          required
          value={written}
          onChange={(event) => setWritten(event.target.value)}
        />
      </label>
    </FormDialog>
  );
}
