/** Requested, acknowledged, effective: marks that fill one after the other, until the last one says it all. */
import type { ControlVerb } from "../../protocol";
import type { ControlTrace } from "../../state/model";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function ControlProgress({ verb, trace }: { verb: ControlVerb; trace: ControlTrace | null }) {
  const words = useWords();
  const format = useFormat();
  const { phases, at } = words.control;
  const done = trace?.effectiveAt;
  const marks = [
    { word: phases.requested, done: true },
    { word: phases.acknowledged, done: !!trace?.acknowledgedAt || !!done },
    {
      word: done ? `${phases.effective[verb]} ${at(format.precise(done))}` : phases.effective[verb],
      done: !!done,
    },
  ];
  return (
    <ol
      className="phases"
      aria-live="polite"
      data-verb={verb}
      data-phase={done ? "effective" : marks[1]!.done ? "acknowledged" : "requested"}
    >
      {(done ? marks.slice(-1) : marks).map((mark, i) => (
        <li key={i} className={mark.done ? "done" : i === marks.findIndex((one) => !one.done) ? "next" : ""}>
          {mark.done && <Icon name="check" size={12} />}
          {mark.word}
          {!mark.done && i === marks.findIndex((one) => !one.done) && "…"}
        </li>
      ))}
    </ol>
  );
}
