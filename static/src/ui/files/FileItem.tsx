/** File in the list of files. */
import type { File, SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { hasThumbnail } from "../../state/files";
import { addDraftAttachments } from "../../app/drafts";
import { useClient, useSession } from "../../app/hooks";
import { previewFile } from "../../app/viewState";
import { useFormat, useWords } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { RedactButton } from "../settings/RedactButton";
import { IconButton, Icon } from "../components/Icon";
import { useActorNames } from "../names";

interface Props {
  session: SessionId;
  file: File;
  /** Null if it cannot be removed. */
  onRemove: (() => void) | null;
}

/** File in the list. */
export function FileItem({ session, file, onRemove }: Props) {
  const words = useWords().files;
  const format = useFormat();
  const client = useClient();
  const names = useActorNames(session);
  const speaks = useSession(session, (state) => hasRight(state, "say"));
  const { name, version, bytes, by, at, removed, redacted } = file;
  const { redaction } = useWords();
  const picture = hasThumbnail(file);
  return (
    <li className={removed ? "file-item removed" : "file-item"} data-file={name}>
      <span className="file-face" aria-hidden="true">
        {picture ? (
          <img src={fileUrl(session, name, { version, preview: true })} alt="" loading="lazy" />
        ) : (
          <Icon name="file" size={18} />
        )}
      </span>
      <div className="file-what">
        <button type="button" className="text file-name" title={name} onClick={() => previewFile(file.id)}>
          {name}
        </button>
        <span className="soft">
          {[
            format.bytes(bytes),
            version > 1 ? words.version(version) : "",
            words.by(names.of(by), format.brief(at)),
            redacted ? redaction.tag : "",
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </div>
      <span className="file-acts">
        {removed
          ? speaks &&
            !redacted && (
              <IconButton
                icon="undo"
                label={words.restoreName(name)}
                act={() => client.restoreFile(session, file.id)}
              />
            )
          : speaks &&
            !redacted && (
              <IconButton
                icon="clip"
                label={words.attachName(name)}
                act={() => addDraftAttachments(session, [file.id])}
              />
            )}
        {!redacted && (
          <>
            <DownloadLink
              url={fileUrl(session, name, { version })}
              name={name}
              label={words.downloadName(name)}
            />
            <RedactButton
              session={session}
              target={{ kind: "file", id: file.id }}
              label={redaction.file(name)}
            />
          </>
        )}
        {onRemove && <IconButton icon="trash" label={words.remove(name)} act={onRemove} />}
      </span>
    </li>
  );
}

interface DownloadLinkProps {
  url: string;
  name: string;
  label: string;
  /** Visible label, if there is room. */
  word?: string;
}

/** Small link that downloads content under its name. */
export function DownloadLink({ url, name, label, word }: DownloadLinkProps) {
  return (
    <a
      className={word ? "button quiet small" : "button quiet square small"}
      href={url}
      download={name}
      aria-label={label}
      title={label}
    >
      <Icon name="download" size={14} /> {word && <span className="act-word">{word}</span>}
    </a>
  );
}
