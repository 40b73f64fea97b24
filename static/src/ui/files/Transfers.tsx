/** Files on their way to the server: how far each has come, or why it was not taken and what to do. */
import { dropTransfer, sendAgain, useTransfers, type Transfer } from "../../app/transfers";
import { useFormat, useWords } from "../../i18n/locale";
import { Act } from "../parts/Act";
import { Icon } from "../parts/Icon";
import { sentence } from "../parts/sentence";
import { tooLarge } from "./tooLarge";

/** Refusals after which the same file may be taken. */
const PASSING: readonly string[] = [
  "busy",
  "rate_limited",
  "store_unavailable",
  "shutting_down",
  "timed_out",
  "internal",
];

/** More than so many on their way are only counted. */
const SHOWN = 5;

interface Props {
  /** Where they go. */
  to: string;
  /** Those that are to come with what is being written, or the others. */
  attached?: boolean;
}

export function Transfers({ to, attached = false }: Props) {
  const transfers = useTransfers(to).filter((one) => !!one.attached === attached);
  const words = useWords().files;
  if (transfers.length === 0) return null;
  const refused = transfers.filter((one) => one.state === "refused");
  const others = transfers.filter((one) => one.state !== "refused");
  const more = others.length - SHOWN;
  return (
    <ul className="sendings">
      {[...refused, ...others.slice(0, SHOWN)].map((one) => (
        <li key={one.id} data-upload={one.name} data-state={one.state}>
          {one.state === "refused" ? <Refused transfer={one} /> : <Progress transfer={one} />}
        </li>
      ))}
      {more > 0 && <li className="soft">{words.more(more)}</li>}
    </ul>
  );
}

function Progress({ transfer: { id, name, sent, content, state } }: { transfer: Transfer }) {
  const words = useWords().files;
  const percent = content.size > 0 ? Math.floor((100 * sent) / content.size) : 100;
  return (
    <>
      <Icon name="file" size={14} />
      <span className="file-name">{name}</span>
      <progress max={100} value={percent} aria-label={words.sending(name, percent)} />
      <small>{state === "waiting" ? words.waits : percent === 100 ? words.checking : `${percent} %`}</small>
      <Act icon="cross" label={words.stop(name)} act={() => dropTransfer(id)} />
    </>
  );
}

function Refused({ transfer: { id, name, content, refused } }: { transfer: Transfer }) {
  const words = useWords();
  const format = useFormat();
  const large = refused && tooLarge(refused, content.size, words, format);
  return (
    <div className="refusal" role="alert" title={refused?.message}>
      <Icon name="warning" size={14} />
      <span>
        <strong>{words.files.refused(name)}</strong>{" "}
        {large || sentence(refused?.message || words.common.unreachable)}
      </span>
      <span className="buttons">
        {refused && PASSING.includes(refused.code) && (
          <button type="button" className="small" onClick={() => sendAgain(id)}>
            {words.files.again}
          </button>
        )}
        <button type="button" className="quiet small" onClick={() => dropTransfer(id)}>
          {words.common.dismiss}
        </button>
      </span>
    </div>
  );
}
