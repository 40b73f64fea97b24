/** File in the list of files. */
import type { File, SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { hasThumbnail } from "../../state/files";
import { addDraftAttachments } from "../../app/drafts";
import { useClient, useSession } from "../../app/hooks";
import { previewFile } from "../../app/viewState";
import { useFormat, useTexts } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { RedactButton } from "../settings/RedactButton";
import { IconButton, Icon } from "../components/Icon";
import { useActorNames } from "../names";

interface Props {
  session: SessionId;
  file: File;
  /** Removes the file; null if it cannot be removed. */
  onRemove: (() => void) | null;
}

/** File in the list. */
export function FileItem({ session, file, onRemove }: Props) {
  const texts = useTexts().files;
  const format = useFormat();
  const client = useClient();
  const names = useActorNames(session);
  const canSay = useSession(session, (state) => hasRight(state, "say"));
  const { name, version, bytes, by, at, removed, redacted } = file;
  const { redaction } = useTexts();
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
            version > 1 ? texts.version(version) : "",
            texts.by(names.of(by), format.timeOrDay(at)),
            redacted ? redaction.tag : "",
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </div>
      <span className="file-acts">
        {removed
          ? canSay &&
            !redacted && (
              <IconButton
                icon="undo"
                label={texts.restoreName(name)}
                onClick={() => client.restoreFile(session, file.id)}
              />
            )
          : canSay &&
            !redacted && (
              <IconButton
                icon="clip"
                label={texts.attachName(name)}
                onClick={() => addDraftAttachments(session, [file.id])}
              />
            )}
        {!redacted && (
          <>
            <DownloadLink
              url={fileUrl(session, name, { version })}
              name={name}
              label={texts.downloadName(name)}
            />
            <RedactButton
              session={session}
              target={{ kind: "file", id: file.id }}
              label={redaction.file(name)}
            />
          </>
        )}
        {onRemove && <IconButton icon="trash" label={texts.remove(name)} onClick={onRemove} />}
      </span>
    </li>
  );
}

interface DownloadLinkProps {
  url: string;
  name: string;
  label: string;
  /** Visible label; absent if there is no room for one. */
  text?: string;
}

/** Small link that downloads content under its name. */
export function DownloadLink({ url, name, label, text }: DownloadLinkProps) {
  return (
    <a
      className={text ? "button quiet small" : "button quiet square small"}
      href={url}
      download={name}
      aria-label={label}
      title={label}
    >
      <Icon name="download" size={14} /> {text && <span className="act-word">{text}</span>}
    </a>
  );
}
