/**
 * Status of the run: the agents that are writing, elapsed time, tokens and cost, and who a pause or the run
 * waits for.
 */
import type { Gate, SessionId } from "../../protocol";
import { isFullyPaused, isPausing, phaseOf } from "../../state/runSelectors";
import { canSend } from "../../state/participants";
import { runningCalls, turnOf } from "../../state/gateSelectors";
import { useCostFormat, useMe, useNow, useSession } from "../../app/hooks";
import type { Texts } from "../../i18n/en";
import { useFormat, useTexts } from "../../i18n/locale";
import { eligibleRoles } from "../gates/gateText";
import { agentName } from "../names";

/** Maximum number of agents that are listed. If there are more, the rest are only counted. */
const MAX_NAMES = 3;

export function RunStatus({ session }: { session: SessionId }) {
  const texts = useTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  const run = useSession(session, (state) => state.run)!;
  const phase = useSession(session, phaseOf)!;
  const usage = useSession(session, (state) => state.usage.ofRun);
  const now = useNow(1000);
  const tokens = usage.input_tokens + usage.output_tokens;
  const { state, subject, means, reason } = useRunStatus(session);
  return (
    <p className="control-now">
      <span className={`state-dot ${phase}`} aria-hidden="true" />
      {state && <strong>{state}</strong>}
      {subject && (
        <span className="control-who" title={means ?? subject}>
          {subject}
        </span>
      )}
      {reason && <span className="control-why">{reason}</span>}
      <span title={texts.control.elapsed} className="figure">
        {format.clock(now - Date.parse(run.startedAt))}
      </span>
      {tokens > 0 && (
        <span className="figure spent" title={usage.estimated ? texts.control.estimated : undefined}>
          {usage.estimated && "≈ "}
          {texts.control.tokens(format.compact(tokens))}
        </span>
      )}
      {usage.cost_micros > 0 && (
        <span className="figure spent" title={texts.control.cost}>
          {formatCost(usage.cost_micros)}
        </span>
      )}
    </p>
  );
}

interface RunPhase {
  state: string | null;
  /** Agents at work, with an explanation if needed. */
  subject?: string;
  means?: string;
  /** Possible actions, or the reason why there are none. */
  reason?: string;
}

/** Returns the status of the run as text. */
function useRunStatus(session: SessionId): RunPhase {
  const texts = useTexts();
  const format = useFormat();
  const me = useMe();
  const team = useSession(session, (state) => state.team);
  const phase = useSession(session, phaseOf)!;
  const agents = useSession(session, (state) =>
    Object.values(state.streaming).map((message) => message.agent),
  );
  const calling = useSession(session, (state) => runningCalls(state).map((call) => call.agent));
  const pausing = useSession(session, isPausing);
  const isPaused = useSession(session, isFullyPaused);
  const controls = useSession(session, (state) => canSend(state, "interrupt"));
  const turn = useSession(session, (state) => turnOf(state, me));
  const namesOf = (ids: string[]) => {
    const names = [...new Set(ids)].map((id) => agentName({ team }, id));
    const over = names.length > MAX_NAMES ? names.splice(MAX_NAMES - 1).length : 0;
    return format.list(over ? [...names, texts.control.others(over)] : names);
  };
  const { waits } = texts.control;
  if (pausing) {
    const busy = new Set([...agents, ...calling]);
    const subject = texts.control.finishes(namesOf([...busy]), busy.size);
    return { state: texts.control.pausing, subject, means: texts.control.pausingMeans };
  }
  if (isPaused)
    return { state: texts.phases.paused, reason: controls ? texts.control.held : texts.control.heldBy };
  if (agents.length > 0 || calling.length > 0) {
    const subject =
      agents.length > 0 ? texts.control.writing(namesOf(agents)) : texts.control.calling(namesOf(calling));
    // The name of a working agent already shows that the run is active.
    return { state: phase === "executing" ? null : texts.phases[phase], subject };
  }
  if (phase !== "waiting" || !turn) return { state: texts.phases[phase] };
  if (turn.actor === "me") return { state: waits.me, reason: reasonOf(turn, waits) };
  const roles = format.list(eligibleRoles(turn.gate, texts));
  return turn.actor === "voted"
    ? { state: waits.others, reason: waits.voted }
    : { state: waits.roles(roles) };
}

/** Returns the possible actions as text, limited to those that have a button. */
function reasonOf(
  { interrupted, gate }: { interrupted: boolean; gate: Gate },
  waits: Texts["control"]["waits"],
): string {
  if (gate.kind === "feedback" && !gate.allow.includes("approve")) return waits.feedback;
  return interrupted ? waits.interrupted : waits.next[gate.kind];
}
