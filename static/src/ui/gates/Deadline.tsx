/** How long a gate stays open: a date while that is far, what is left of it when it is near. */
import { useNow } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

/** From so many milliseconds before the end on what is left counts, and no more when it is. */
const NEAR = 5 * 60_000;

export function Deadline({ at }: { at: string }) {
  const words = useWords().gate;
  const format = useFormat();
  const left = Date.parse(at) - useNow(1000);
  const date = words.deadline(format.full(at));
  return (
    // It is there to be read; a number that is said each second would drown everything else.
    <span className="deadline" role="timer" aria-live="off" title={date}>
      <Icon name="hourglass" size={13} />
      {left > NEAR ? date : left > 0 ? words.left(format.left(left)) : words.timeUp}
    </span>
  );
}
