/** Gantt chart of the run: a lane for each agent, one for people and one for pauses. */
import { useEffect, useMemo } from "react";
import type { SessionId, Team } from "../../protocol";
import { isActive } from "../../state/runSelectors";
import { createTimeScale } from "../../state/timeScale";
import { lanesOf, type Lane, type WorkSpan } from "../../state/spans";
import { useMutation } from "../../app/requests";
import { useClient, useNow, useSession, useCostFormat } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { CollapsedGaps, GanttLane } from "./GanttLane";
import { GanttTable } from "./GanttTable";
import type { WorkTexts } from "../../i18n/work.en";
import { agentName } from "../names";

/**
 * Width of a collapsed gap in pixels, half of it for the work next to the gap. If there are many gaps, the
 * lanes scroll horizontally.
 */
const GAP_PIXELS = 92;

/**
 * Gantt chart of the run: a lane for each agent, one for people and one for pauses; a table, and the cost.
 */
export function GanttChart({ session }: { session: SessionId }) {
  const texts = useTexts().work.time;
  const client = useClient();
  const run = useSession(session, (state) => state.run);
  const spans = useSession(session, (state) => state.spans);
  const active = useSession(session, isActive);
  const [status, request] = useMutation();
  const now = useNow(1000, active);
  const lanes = useMemo(() => (run ? lanesOf(spans, run.id) : []), [spans, run]);
  // The page might have been opened during the run, so earlier events are loaded.
  const joined = useSession(session, (state) => state.joined && state.caughtUp);
  const id = run?.id;
  useEffect(() => {
    if (id && joined) void request(() => client.loadRunEvents(session, id));
  }, [client, session, id, joined, request]);
  if (!run || lanes.length === 0) return <p className="soft">{status.busy ? texts.loading : texts.none}</p>;
  const from = Date.parse(run.startedAt);
  const ends = lanes.flatMap((lane) => lane.spans.map((span) => (span.to ? Date.parse(span.to) : now)));
  const to = Math.max(from + 1000, active ? now : 0, ...ends);
  const spansOfRun = lanes.flatMap((lane) => lane.spans);
  const scale = createTimeScale(spansOfRun, { from, to }, now);
  return (
    <section className="time" aria-label={texts.tab}>
      <RunTotals session={session} durationMs={to - from} />
      <div className="lanes">
        <div className="lanes-wide" style={{ minWidth: scale.folds.length * GAP_PIXELS }}>
          <CollapsedGaps scale={scale} />
          {lanes.map((lane) => (
            <GanttLane
              key={`${lane.kind} ${lane.agent}`}
              session={session}
              lane={lane}
              scale={scale}
              now={now}
            />
          ))}
        </div>
      </div>
      <GanttLegend lanes={lanes} />
      {status.error && <p className="soft">{texts.failed}</p>}
      <GanttTable session={session} spans={spansOfRun} now={now} />
    </section>
  );
}

/** Total duration and cost. */
function RunTotals({ session, durationMs }: { session: SessionId; durationMs: number }) {
  const texts = useTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  const usage = useSession(session, (state) => state.usage.ofRun);
  const tokens = usage.input_tokens + usage.output_tokens;
  return (
    <p className="time-sum">
      <strong>{texts.work.time.total}</strong>
      <span title={texts.control.elapsed}>{format.duration(durationMs)}</span>
      {tokens > 0 && (
        <span>
          {usage.estimated && "≈ "}
          {texts.control.tokens(format.compact(tokens))}
        </span>
      )}
      {usage.cost_micros > 0 && <span title={texts.control.cost}>{formatCost(usage.cost_micros)}</span>}
    </p>
  );
}

/** Returns the name of a lane. */
export function laneName(
  lane: Pick<Lane, "kind" | "agent">,
  team: Team | null,
  time: WorkTexts["time"],
): string {
  if (lane.kind === "pause") return time.pauses;
  return lane.agent === null ? time.people : agentName({ team }, lane.agent);
}

type LegendItem = keyof WorkTexts["time"]["marks"];

const MARKS: LegendItem[] = ["turn", "call", "gate", "pause", "failed"];

/** Legend of the bars that are shown. */
function GanttLegend({ lanes }: { lanes: Lane[] }) {
  const { time } = useTexts().work;
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

function marksOf(span: WorkSpan): LegendItem[] {
  const gateItems: LegendItem[] = span.waits ? ["gate"] : [];
  const works = span.kind === "turn" || span.kind === "call";
  const stopped = works && (span.outcome === "failed" || span.outcome === "stopped");
  return [stopped ? "failed" : span.kind, ...gateItems];
}
