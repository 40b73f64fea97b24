/** Uploads in progress, and failed ones with their errors. */
import type { ErrorBody } from "../../protocol";
import type { Words } from "../../i18n/en";
import { type Format, useFormat, useWords } from "../../i18n/locale";
import { cancelUpload, retryUpload, useUploads, type QueuedUpload } from "../../app/uploads";
import { IconButton, Icon } from "../components/Icon";
import { toSentence } from "../components/ErrorNotice";

/** Explains an error about size; null for any other error. */
export function tooLargeMessage(
  refused: ErrorBody,
  size: number,
  words: Words,
  format: Pick<Format, "against">,
): string | null {
  if (refused.code !== "too_large") return null;
  const bound = refused.details?.max_bytes;
  const [has, most] = format.against(size, typeof bound === "number" ? bound : null);
  return most ? words.files.tooLarge(has, most) : words.files.tooLargeHere(has);
}

/** Errors after which the same file may be accepted later. */
const TRANSIENT_CODES: readonly string[] = [
  "busy",
  "rate_limited",
  "store_unavailable",
  "shutting_down",
  "timed_out",
  "internal",
];

/** Uploads beyond this number are only counted. */
const MAX_SHOWN = 5;

interface Props {
  /** Name of the target. */
  to: string;
  /** True for uploads of the draft, false for the others. */
  attached?: boolean;
}

/** Uploads in progress, and failed ones with their errors and remedies. */
export function UploadList({ to, attached = false }: Props) {
  const uploads = useUploads(to).filter((one) => !!one.attached === attached);
  const words = useWords().files;
  if (uploads.length === 0) return null;
  const refused = uploads.filter((one) => one.state === "refused");
  const others = uploads.filter((one) => one.state !== "refused");
  const more = others.length - MAX_SHOWN;
  return (
    <ul className="sendings">
      {[...refused, ...others.slice(0, MAX_SHOWN)].map((one) => (
        <li key={one.id} data-upload={one.name} data-state={one.state}>
          {one.state === "refused" ? <RefusedUpload upload={one} /> : <Progress upload={one} />}
        </li>
      ))}
      {more > 0 && <li className="soft">{words.more(more)}</li>}
    </ul>
  );
}

function Progress({ upload: { id, name, sent, content, state } }: { upload: QueuedUpload }) {
  const words = useWords().files;
  const percent = content.size > 0 ? Math.floor((100 * sent) / content.size) : 100;
  return (
    <>
      <Icon name="file" size={14} />
      <span className="file-name">{name}</span>
      <progress max={100} value={percent} aria-label={words.sending(name, percent)} />
      <small>{state === "waiting" ? words.waits : percent === 100 ? words.checking : `${percent} %`}</small>
      <IconButton icon="cross" label={words.stop(name)} act={() => cancelUpload(id)} />
    </>
  );
}

function RefusedUpload({ upload: { id, name, content, refused } }: { upload: QueuedUpload }) {
  const words = useWords();
  const format = useFormat();
  const large = refused && tooLargeMessage(refused, content.size, words, format);
  return (
    <div className="refusal" role="alert" title={refused?.message}>
      <Icon name="warning" size={14} />
      <span>
        <strong>{words.files.refused(name)}</strong>{" "}
        {large || toSentence(refused?.message || words.common.unreachable)}
      </span>
      <span className="buttons">
        {refused && TRANSIENT_CODES.includes(refused.code) && (
          <button type="button" className="small" onClick={() => retryUpload(id)}>
            {words.files.again}
          </button>
        )}
        <button type="button" className="quiet small" onClick={() => cancelUpload(id)}>
          {words.common.dismiss}
        </button>
      </span>
    </div>
  );
}
