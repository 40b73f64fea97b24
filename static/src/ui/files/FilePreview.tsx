/** Preview of a file: its content, its versions, and its actions. */
import { useEffect, useState } from "react";
import type { SessionId, File } from "../../protocol";
import { takesComments } from "../../state/commentThreads";
import { openGates } from "../../state/gateSelectors";
import { hasRight, ownMember } from "../../state/participants";
import { versionsOf, kindOf } from "../../state/files";
import { addDraftAttachments } from "../../app/drafts";
import { useClient, useMe, useSession } from "../../app/hooks";
import { previewFile, usePreviewedFile } from "../../app/viewState";
import { useFormat, useTexts } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { focusComposer } from "../composer/focusComposer";
import { RedactButton } from "../settings/RedactButton";
import { onDemand } from "../components/onDemand";
import { Dialog } from "../components/Dialog";
import { Icon } from "../components/Icon";
import { RedactedMark } from "../components/RedactedMark";
import { useActorNames } from "../names";
import { useTextContent } from "../../app/requests";
import { Markdown } from "../markdown/Markdown";
import { NumberedLines } from "./NumberedLines";
import { ErrorNotice } from "../components/ErrorNotice";
import { escapeBidi } from "../../text/hiddenCharacters";

const FileComments = onDemand(() => import("../comments/FileComments").then((part) => part.FileComments));

/** Preview of a file: its content, its versions, and its actions. */
export function FilePreview({ session }: { session: SessionId }) {
  const { files: texts, redaction } = useTexts();
  const format = useFormat();
  const client = useClient();
  const names = useActorNames(session);
  const id = usePreviewedFile();
  const file = useSession(session, (state) => state.files.find((one) => one.id === id));
  const versions = useSession(session, (state) => (file ? versionsOf(state.files, file.name) : []));
  const canSay = useSession(session, (state) => hasRight(state, "say"));
  const me = useMe();
  const canComment = useSession(
    session,
    (state) =>
      !!ownMember(state, me) && state.rights.includes("answer") && openGates(state).some(takesComments),
  );
  const [commenting, setCommenting] = useState(false);
  const close = () => previewFile(null);
  useEffect(() => close, []);
  if (!file) return null;
  const removed = !!versions[0]?.removed;
  const newest = versions[0]?.id === file.id && !removed;
  const showsComments = canComment && commenting;
  return (
    <Dialog title={file.name} onClose={close} wide>
      <div className="preview" data-testid="preview">
        <p className="preview-facts">
          {versions.length > 1 ? (
            <select
              aria-label={texts.showVersions(file.name)}
              value={file.id}
              onChange={(event) => previewFile(event.target.value)}
            >
              {versions.map((one) => (
                <option key={one.id} value={one.id}>
                  {texts.version(one.version)} · {texts.by(names.of(one.by), format.timeOrDay(one.at))}
                </option>
              ))}
            </select>
          ) : (
            <span>{texts.by(names.of(file.by), format.full(file.at))}</span>
          )}
          <span>{format.bytes(file.bytes)}</span>
          {removed && <span className="tag warn">{texts.removed}</span>}
        </p>
        {file.redacted ? (
          <RedactedMark mark={file.redacted} />
        ) : (
          <>
            <FileContent
              key={file.id}
              session={session}
              file={file}
              newest={newest}
              commenting={showsComments}
            />
            <div className="buttons end">
              <RedactButton
                session={session}
                target={{ kind: "file", id: file.id }}
                label={redaction.file(file.name)}
                text={redaction.fileButton}
              />
              {canSay && !newest && (
                <button type="button" onClick={() => client.restoreFile(session, file.id)}>
                  <Icon name="undo" /> {removed ? texts.restore : texts.makeNewest}
                </button>
              )}
              {canComment && (newest || commenting) && (
                <button type="button" aria-pressed={commenting} onClick={() => setCommenting(!commenting)}>
                  <Icon name="chat" /> {texts.comment}
                </button>
              )}
              {canSay && (
                <button
                  type="button"
                  onClick={() => {
                    addDraftAttachments(session, [file.id]);
                    close();
                    focusComposer();
                  }}
                >
                  <Icon name="clip" /> {texts.attachIt}
                </button>
              )}
              <a
                className="button"
                href={fileUrl(session, file.name, { version: file.version })}
                download={file.name}
              >
                <Icon name="download" /> {texts.download}
              </a>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

interface Props {
  session: SessionId;
  file: File;
  /** True if this is the newest version of the file. */
  newest: boolean;
  /** True if comments are shown next to the content, with a form for a new one. */
  commenting: boolean;
}

/** Content of a file, if it can be shown safely: nothing in it is ever executed. */
function FileContent({ session, file, newest, commenting }: Props) {
  const texts = useTexts().files;
  const kind = kindOf(file);
  const [line, setLine] = useState<number | null>(null);
  const content = () => {
    if (file.bytes === 0) return <p className="soft">{texts.empty}</p>;
    if (kind === "other") return <p className="soft">{texts.noPreview}</p>;
    const url = fileUrl(session, file.name, { version: file.version, preview: true });
    if (kind === "image") return <ImagePreview url={url} name={file.name} />;
    const lines = commenting ? { line, onLine: setLine } : undefined;
    return <Text url={url} kind={kind} name={file.name} lines={lines} />;
  };
  if (!commenting) return content();
  return (
    <FileComments session={session} file={file} newest={newest} line={line} onLine={setLine}>
      {content()}
    </FileComments>
  );
}

function ImagePreview({ url, name }: { url: string; name: string }) {
  const texts = useTexts().files;
  const [failed, setFailed] = useState(false);
  if (failed) return <ErrorNotice>{texts.pictureFailed}</ErrorNotice>;
  return <img className="preview-picture" src={url} alt={name} onError={() => setFailed(true)} />;
}

interface TextProps {
  url: string;
  kind: "markdown" | "page" | "text";
  name: string;
  /** Line that a comment is about. If absent, the text has no line numbers. */
  lines?: { line: number | null; onLine: (line: number | null) => void };
}

function Text({ url, kind, name, lines }: TextProps) {
  const texts = useTexts().files;
  const { data, error } = useTextContent(url);
  const [source, setSource] = useState(false);
  if (error) return <ErrorNotice>{error}</ErrorNotice>;
  if (!data) return <p className="soft">{texts.loading}</p>;
  const { text, more } = data;
  return (
    <>
      {kind === "page" && !lines && (
        <div className="buttons end">
          <button type="button" aria-pressed={source} onClick={() => setSource(!source)}>
            {texts.source}
          </button>
        </div>
      )}
      {kind === "page" && !source && !lines ? (
        // The sandbox grants no permissions, so no script runs and no link leads out of the frame.
        <iframe className="preview-page" sandbox="" srcDoc={text} title={name} referrerPolicy="no-referrer" />
      ) : (
        // Scrollable content must be reachable with the keyboard.
        <div className="preview-text" tabIndex={0} role="group" aria-label={name}>
          {lines ? (
            <NumberedLines text={text} {...lines} />
          ) : kind === "markdown" ? (
            <Markdown text={text} />
          ) : (
            <pre>{escapeBidi(text)}</pre>
          )}
        </div>
      )}
      {more && <p className="soft">{texts.cut}</p>}
    </>
  );
}
