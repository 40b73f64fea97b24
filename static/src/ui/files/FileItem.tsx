/** One file in the list. */
import type { File, SessionId } from "../../protocol";
import { may } from "../../state/ask";
import { isSmallPicture } from "../../state/files";
import { attach } from "../../app/drafts";
import { useClient, useSession } from "../../app/hooks";
import { showFile } from "../../app/shown";
import { useFormat, useWords } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { Redact } from "../manage/Redact";
import { Act } from "../parts/Act";
import { Icon } from "../parts/Icon";
import { useWho } from "../parts/useWho";
import { Download } from "./Download";

interface Props {
  session: SessionId;
  file: File;
  /** Null where it cannot be taken out. */
  onRemove: (() => void) | null;
}

export function FileItem({ session, file, onRemove }: Props) {
  const words = useWords().files;
  const format = useFormat();
  const client = useClient();
  const names = useWho(session);
  const speaks = useSession(session, (state) => may(state, "say"));
  const { name, version, bytes, by, at, removed, redacted } = file;
  const { redaction } = useWords();
  const picture = isSmallPicture(file);
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
        <button type="button" className="text file-name" title={name} onClick={() => showFile(file.id)}>
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
              <Act
                icon="undo"
                label={words.restoreName(name)}
                act={() => client.restoreFile(session, file.id)}
              />
            )
          : speaks &&
            !redacted && (
              <Act icon="clip" label={words.attachName(name)} act={() => attach(session, [file.id])} />
            )}
        {!redacted && (
          <>
            <Download
              url={fileUrl(session, name, { version })}
              name={name}
              label={words.downloadName(name)}
            />
            <Redact session={session} target={{ kind: "file", id: file.id }} label={redaction.file(name)} />
          </>
        )}
        {onRemove && <Act icon="trash" label={words.remove(name)} act={onRemove} />}
      </span>
    </li>
  );
}
