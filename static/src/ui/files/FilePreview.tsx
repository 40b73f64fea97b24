/** A file that is looked at: what is in it, its versions, and what to do with it. */
import { useEffect } from "react";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/selectors";
import { versionsOf } from "../../state/files";
import { addDraftAttachments } from "../../app/drafts";
import { useClient, useSession } from "../../app/hooks";
import { previewFile, usePreviewedFile } from "../../app/preview";
import { useFormat, useWords } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { focusComposer } from "../composer/focusComposer";
import { RedactButton } from "../settings/RedactButton";
import { Dialog } from "../components/Dialog";
import { Icon } from "../components/Icon";
import { RedactedMark } from "../components/RedactedMark";
import { useActorNames } from "../components/useActorNames";
import { FileContent } from "./FileContent";

export function FilePreview({ session }: { session: SessionId }) {
  const { files: words, redaction } = useWords();
  const format = useFormat();
  const client = useClient();
  const names = useActorNames(session);
  const id = usePreviewedFile();
  const file = useSession(session, (state) => state.files.find((one) => one.id === id));
  const versions = useSession(session, (state) => (file ? versionsOf(state.files, file.name) : []));
  const speaks = useSession(session, (state) => hasRight(state, "say"));
  const close = () => previewFile(null);
  useEffect(() => close, []);
  if (!file) return null;
  const removed = !!versions[0]?.removed;
  const newest = versions[0]?.id === file.id && !removed;
  return (
    <Dialog title={file.name} onClose={close} wide>
      <div className="preview" data-testid="preview">
        <p className="preview-facts">
          {versions.length > 1 ? (
            <select
              aria-label={words.showVersions(file.name)}
              value={file.id}
              onChange={(event) => previewFile(event.target.value)}
            >
              {versions.map((one) => (
                <option key={one.id} value={one.id}>
                  {words.version(one.version)} · {words.by(names.of(one.by), format.brief(one.at))}
                </option>
              ))}
            </select>
          ) : (
            <span>{words.by(names.of(file.by), format.full(file.at))}</span>
          )}
          <span>{format.bytes(file.bytes)}</span>
          {removed && <span className="tag warn">{words.removed}</span>}
        </p>
        {file.redacted ? (
          <RedactedMark mark={file.redacted} />
        ) : (
          <>
            <FileContent key={file.id} session={session} file={file} />
            <div className="buttons end">
              <RedactButton
                session={session}
                target={{ kind: "file", id: file.id }}
                label={redaction.file(file.name)}
                word={redaction.fileWord}
              />
              {speaks && !newest && (
                <button type="button" onClick={() => client.restoreFile(session, file.id)}>
                  <Icon name="undo" /> {removed ? words.restore : words.makeNewest}
                </button>
              )}
              {speaks && (
                <button
                  type="button"
                  onClick={() => {
                    addDraftAttachments(session, [file.id]);
                    close();
                    focusComposer();
                  }}
                >
                  <Icon name="clip" /> {words.attachIt}
                </button>
              )}
              <a
                className="button"
                href={fileUrl(session, file.name, { version: file.version })}
                download={file.name}
              >
                <Icon name="download" /> {words.download}
              </a>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
