/** Uploads in progress, and failed ones with their errors. */
import type { ErrorBody } from "../../protocol";
import type { Texts } from "../../i18n/en";
import { type Format, useFormat, useTexts } from "../../i18n/locale";
import { cancelUpload, retryUpload, useUploads, type QueuedUpload } from "../../app/uploads";
import { IconButton, Icon } from "../components/Icon";
import { toSentence } from "../components/ErrorNotice";

/** Explains an error about the size of a file; null for any other error. */
export function tooLargeMessage(
  error: ErrorBody,
  size: number,
  texts: Texts,
  format: Pick<Format, "sizeAndLimit">,
): string | null {
  if (error.code !== "too_large") return null;
  const bound = error.details?.max_bytes;
  const [sizeText, limitText] = format.sizeAndLimit(size, typeof bound === "number" ? bound : null);
  return limitText ? texts.files.tooLarge(sizeText, limitText) : texts.files.tooLargeHere(sizeText);
}

/** Codes of errors after which the same file might be accepted later. */
const TRANSIENT_CODES: readonly string[] = [
  "busy",
  "rate_limited",
  "store_unavailable",
  "shutting_down",
  "timed_out",
  "internal",
];

/** Maximum number of uploads in progress that are listed. Further ones are only counted. */
const MAX_SHOWN = 5;

interface Props {
  /** Target of the uploads: a session or a knowledge base. */
  to: string;
  /** True for uploads of the draft, false for the others. */
  attached?: boolean;
}

/** Uploads in progress, and failed ones with their errors and remedies. */
export function UploadList({ to, attached = false }: Props) {
  const uploads = useUploads(to).filter((one) => !!one.attached === attached);
  const texts = useTexts().files;
  if (uploads.length === 0) return null;
  const failed = uploads.filter((one) => one.state === "failed");
  const others = uploads.filter((one) => one.state !== "failed");
  const more = others.length - MAX_SHOWN;
  return (
    <ul className="sendings">
      {[...failed, ...others.slice(0, MAX_SHOWN)].map((one) => (
        <li key={one.id} data-upload={one.name} data-state={one.state}>
          {one.state === "failed" ? <UploadError upload={one} /> : <Progress upload={one} />}
        </li>
      ))}
      {more > 0 && <li className="soft">{texts.more(more)}</li>}
    </ul>
  );
}

function Progress({ upload: { id, name, sent, content, state } }: { upload: QueuedUpload }) {
  const texts = useTexts().files;
  const percent = content.size > 0 ? Math.floor((100 * sent) / content.size) : 100;
  return (
    <>
      <Icon name="file" size={14} />
      <span className="file-name">{name}</span>
      <progress max={100} value={percent} aria-label={texts.sending(name, percent)} />
      <small>{state === "waiting" ? texts.waits : percent === 100 ? texts.checking : `${percent}%`}</small>
      <IconButton icon="cross" label={texts.stop(name)} onClick={() => cancelUpload(id)} />
    </>
  );
}

function UploadError({ upload: { id, name, content, error } }: { upload: QueuedUpload }) {
  const texts = useTexts();
  const format = useFormat();
  const large = error && tooLargeMessage(error, content.size, texts, format);
  return (
    <div className="refusal" role="alert" title={error?.message}>
      <Icon name="warning" size={14} />
      <span>
        <strong>{texts.files.refused(name)}</strong>{" "}
        {large || toSentence(error?.message || texts.common.unreachable)}
      </span>
      <span className="buttons">
        {error && TRANSIENT_CODES.includes(error.code) && (
          <button type="button" className="small" onClick={() => retryUpload(id)}>
            {texts.files.again}
          </button>
        )}
        <button type="button" className="quiet small" onClick={() => cancelUpload(id)}>
          {texts.common.dismiss}
        </button>
      </span>
    </div>
  );
}
