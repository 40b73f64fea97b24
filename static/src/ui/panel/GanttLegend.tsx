/** What the bars of the time line mean: only those that it shows. */
import type { Team } from "../../protocol";
import type { Lane, WorkSpan } from "../../state/spans";
import { useWords } from "../../i18n/locale";
import type { WorkWords } from "../../i18n/work.en";
import { agentName } from "../names";

/** Whose lane it is. */
export function laneName(
  lane: Pick<Lane, "of" | "agent">,
  team: Team | null,
  time: WorkWords["time"],
): string {
  if (lane.of === "pause") return time.pauses;
  return lane.agent === null ? time.people : agentName({ team }, lane.agent);
}

type Mark = keyof WorkWords["time"]["marks"];

const MARKS: Mark[] = ["turn", "call", "gate", "pause", "failed"];

export function GanttLegend({ lanes }: { lanes: Lane[] }) {
  const { time } = useWords().work;
  const shown = new Set(lanes.flatMap((lane) => lane.spans.flatMap(marksOf)));
  return (
    <ul className="lanes-legend" aria-label={time.legend}>
      {MARKS.filter((mark) => shown.has(mark)).map((mark) => (
        <li key={mark}>
          <span className={`span ${mark}`} aria-hidden="true" />
          {time.marks[mark]}
        </li>
      ))}
    </ul>
  );
}

function marksOf(span: WorkSpan): Mark[] {
  const asked: Mark[] = span.waits ? ["gate"] : [];
  const works = span.kind === "turn" || span.kind === "call";
  const stopped = works && (span.outcome === "failed" || span.outcome === "stopped");
  return [stopped ? "failed" : span.kind, ...asked];
}
