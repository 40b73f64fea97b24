/** The Gantt chart as a table, for screen readers and for exact values. */
import type { SessionId } from "../../protocol";
import type { WorkSpan } from "../../state/spans";
import { totalDuration, workIntervals } from "../../state/timeScale";
import { scrollToRow } from "../../app/viewState";
import { useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import type { WorkTexts } from "../../i18n/work.en";
import { laneName } from "./GanttChart";

interface Props {
  session: SessionId;
  spans: WorkSpan[];
  now: number;
}

export function GanttTable({ session, spans, now }: Props) {
  const { work: texts, common } = useTexts();
  const format = useFormat();
  const team = useSession(session, (state) => state.team);
  const ordered = [...spans].sort((a, b) => Date.parse(a.from) - Date.parse(b.from));
  return (
    <details className="span-table">
      <summary>{texts.time.asTable}</summary>
      <table className="usage">
        <thead>
          <tr>
            <th scope="col">{texts.time.who}</th>
            <th scope="col">{texts.time.took}</th>
            <th scope="col">{texts.time.spent}</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((span) => (
            <tr key={span.id}>
              <th scope="row">
                <button
                  type="button"
                  className="span-row"
                  title={texts.time.show(titleOf(span, texts, common.comma))}
                  onClick={() => scrollToRow({ session, row: span.row })}
                >
                  <span className="usage-name">
                    {laneName(
                      { kind: span.kind === "pause" ? "pause" : "people", agent: span.agent },
                      team,
                      texts.time,
                    )}
                  </span>
                  <small>
                    {[
                      titleOf(span, texts, common.comma),
                      outcomeOf(span, texts.time),
                      format.precise(span.from),
                    ].join(common.comma)}
                  </small>
                </button>
              </th>
              <td>{format.duration(totalDuration(workIntervals(span, now)))}</td>
              <td>{span.tokens > 0 && `${span.estimated ? "≈" : ""}${format.compact(span.tokens)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function outcomeOf({ kind, outcome }: WorkSpan, { running, resumed, outcomes }: WorkTexts["time"]): string {
  if (!outcome) return running;
  return kind === "pause" && outcome === "done" ? resumed : outcomes[outcome];
}

function titleOf(span: WorkSpan, { time, plan }: WorkTexts, comma: string): string {
  const title = span.kind === "call" ? time.call(span.label) : time[span.kind];
  return span.task?.kind === "execute" ? plan.item(span.task.number) + comma + title : title;
}
