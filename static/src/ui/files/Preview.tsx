/** A file that is looked at: what is in it, its versions, and what to do with it. */
import { useEffect } from "react";
import type { SessionId } from "../../protocol";
import { may } from "../../state/ask";
import { versionsOf } from "../../state/files";
import { attach } from "../../app/drafts";
import { useClient, useSession } from "../../app/hooks";
import { showFile, useShownFile } from "../../app/shown";
import { useFormat, useWords } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { focusComposer } from "../composer/focus";
import { Redact } from "../manage/Redact";
import { Dialog } from "../parts/Dialog";
import { Icon } from "../parts/Icon";
import { Redacted } from "../parts/Redacted";
import { useWho } from "../parts/useWho";
import { Content } from "./Content";

export function Preview({ session }: { session: SessionId }) {
  const { files: words, redaction } = useWords();
  const format = useFormat();
  const client = useClient();
  const names = useWho(session);
  const id = useShownFile();
  const file = useSession(session, (state) => state.files.find((one) => one.id === id));
  const versions = useSession(session, (state) => (file ? versionsOf(state.files, file.name) : []));
  const speaks = useSession(session, (state) => may(state, "say"));
  const close = () => showFile(null);
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
              onChange={(event) => showFile(event.target.value)}
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
          <Redacted mark={file.redacted} />
        ) : (
          <>
            <Content key={file.id} session={session} file={file} />
            <div className="buttons end">
              <Redact
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
                    attach(session, [file.id]);
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
