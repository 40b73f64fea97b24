/** Lane of the Gantt chart: its bars, each linked to its message. */
import { Fragment, useRef, useState, type KeyboardEvent } from "react";
import type { SessionId } from "../../protocol";
import {
  type TimeScale,
  totalDuration,
  waitIntervals,
  workIntervals,
  type Interval,
} from "../../state/timeScale";
import type { Lane, WorkSpan } from "../../state/spans";
import { scrollToRow } from "../../app/viewState";
import { useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { laneName } from "./GanttChart";

interface Props {
  session: SessionId;
  lane: Lane;
  scale: TimeScale;
  now: number;
}

export function GanttLane({ session, lane, scale, now }: Props) {
  const texts = useTexts().work.time;
  const format = useFormat();
  const team = useSession(session, (state) => state.team);
  const box = useRef<HTMLDivElement>(null);
  // A lane has only one tab stop, because a run can have hundreds of bars.
  const [stop, setStop] = useState(0);
  const name = laneName(lane, team, texts);
  const work = totalDuration(lane.spans.flatMap((span) => workIntervals(span, now)));
  const waiting = totalDuration(lane.spans.flatMap((span) => waitIntervals(span, now)));
  const waits = waiting > 0 ? texts.waits(format.duration(waiting)) : "";
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const bars = [...(box.current?.querySelectorAll("button") ?? [])];
    const next = bars[bars.indexOf(document.activeElement as HTMLButtonElement) + by];
    if (by === 0 || !next) return;
    event.preventDefault();
    setStop(bars.indexOf(next));
    next.focus();
  };
  let bars = 0;
  const bar = (span: WorkSpan, kind: string, title: string) => (stretch: Interval) => {
    const at = bars++;
    const label = `${title}, ${format.duration(stretch.to - stretch.from)}`;
    return (
      <button
        key={`${kind} ${stretch.from}`}
        type="button"
        className={`span ${kind}`}
        style={placed(scale, stretch)}
        title={label}
        aria-label={texts.show(label)}
        tabIndex={at === stop ? 0 : -1}
        onClick={() => {
          setStop(at);
          scrollToRow({ session, row: span.row });
        }}
      />
    );
  };
  return (
    <div className="lane">
      <span className="lane-head">
        <span className="lane-name">{name}</span>
        <small>{[format.duration(work), waits].filter(Boolean).join(" · ")}</small>
      </span>
      <div
        ref={box}
        className="lane-spans"
        role="toolbar"
        aria-label={[texts.lane(name, lane.spans.length, format.duration(work)), waits]
          .filter(Boolean)
          .join(", ")}
        onKeyDown={move}
      >
        {scale.folds.map((fold) => (
          <span key={fold.from} className="fold" style={placed(scale, fold)} />
        ))}
        {lane.spans.map((span) => {
          const title = span.kind === "call" ? texts.call(span.label) : texts[span.kind];
          return (
            <Fragment key={span.id}>
              {workIntervals(span, now).map(bar(span, `${span.kind} ${span.outcome ?? "running"}`, title))}
              {waitIntervals(span, now).map(bar(span, "wait", texts.gate))}
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}

/** Durations of the collapsed gaps, shown above them because their width does not represent the duration. */
export function CollapsedGaps({ scale }: { scale: TimeScale }) {
  const { folded } = useTexts().work.time;
  const format = useFormat();
  if (scale.folds.length === 0) return null;
  return (
    <div className="folds">
      {scale.folds.map((fold) => (
        <small key={fold.from} style={placed(scale, fold)}>
          {folded[fold.paused ? "pause" : "gate"](format.duration(fold.to - fold.from))}
        </small>
      ))}
    </div>
  );
}

function placed({ at }: TimeScale, { from, to }: Interval) {
  return { left: `${100 * at(from)}%`, width: `${100 * (at(to) - at(from))}%` };
}
