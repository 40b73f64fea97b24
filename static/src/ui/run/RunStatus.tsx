/** Status of the run: who is writing, elapsed time, tokens and cost, and whom a pause or the run waits for. */
import type { Gate, SessionId } from "../../protocol";
import { isFullyPaused, isPausing, phaseOf } from "../../state/runSelectors";
import { canSend } from "../../state/participants";
import { runningCalls, turnOf } from "../../state/gateSelectors";
import { useCostFormat, useMe, useNow, useSession } from "../../app/hooks";
import type { Words } from "../../i18n/en";
import { useFormat, useWords } from "../../i18n/locale";
import { eligibleRoles } from "../gates/gateText";
import { agentName } from "../names";

/** Maximum number of names; further ones are only counted. */
const MAX_NAMES = 3;

export function RunStatus({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const formatCost = useCostFormat();
  const run = useSession(session, (state) => state.run)!;
  const phase = useSession(session, phaseOf)!;
  const usage = useSession(session, (state) => state.usage.ofRun);
  const now = useNow(1000);
  const tokens = usage.input_tokens + usage.output_tokens;
  const { state, who, means, why } = useStanding(session);
  return (
    <p className="control-now">
      <span className={`state-dot ${phase}`} aria-hidden="true" />
      {state && <strong>{state}</strong>}
      {who && (
        <span className="control-who" title={means ?? who}>
          {who}
        </span>
      )}
      {why && <span className="control-why">{why}</span>}
      <span title={words.control.elapsed} className="figure">
        {format.span(now - Date.parse(run.startedAt))}
      </span>
      {tokens > 0 && (
        <span className="figure spent" title={usage.estimated ? words.control.estimated : undefined}>
          {usage.estimated && "≈ "}
          {words.control.tokens(format.compact(tokens))}
        </span>
      )}
      {usage.cost_micros > 0 && (
        <span className="figure spent" title={words.control.cost}>
          {formatCost(usage.cost_micros)}
        </span>
      )}
    </p>
  );
}

interface RunPhase {
  state: string | null;
  /** Agents at work, with an explanation if needed. */
  who?: string;
  means?: string;
  /** Possible actions, or the reason why there are none. */
  why?: string;
}

/** Returns the status of the run as text. */
function useStanding(session: SessionId): RunPhase {
  const words = useWords();
  const format = useFormat();
  const me = useMe();
  const team = useSession(session, (state) => state.team);
  const phase = useSession(session, phaseOf)!;
  const agents = useSession(session, (state) => Object.values(state.streaming).map((item) => item.agent));
  const calling = useSession(session, (state) => runningCalls(state).map((call) => call.agent));
  const pausing = useSession(session, isPausing);
  const held = useSession(session, isFullyPaused);
  const controls = useSession(session, (state) => canSend(state, "interrupt"));
  const turn = useSession(session, (state) => turnOf(state, me));
  const namesOf = (ids: string[]) => {
    const names = [...new Set(ids)].map((id) => agentName({ team }, id));
    const over = names.length > MAX_NAMES ? names.splice(MAX_NAMES - 1).length : 0;
    return format.list(over ? [...names, words.control.others(over)] : names);
  };
  const { waits } = words.control;
  if (pausing) {
    const busy = new Set([...agents, ...calling]);
    const who = words.control.finishes(namesOf([...busy]), busy.size);
    return { state: words.control.pausing, who, means: words.control.pausingMeans };
  }
  if (held) return { state: words.phases.paused, why: controls ? words.control.held : words.control.heldBy };
  if (agents.length > 0 || calling.length > 0) {
    const who =
      agents.length > 0 ? words.control.writing(namesOf(agents)) : words.control.calling(namesOf(calling));
    // The name of a working agent already shows that the run is active.
    return { state: phase === "executing" ? null : words.phases[phase], who };
  }
  if (phase !== "waiting" || !turn) return { state: words.phases[phase] };
  if (turn.of === "me") return { state: waits.me, why: whyOf(turn, waits) };
  const roles = format.list(eligibleRoles(turn.gate, words));
  return turn.of === "voted" ? { state: waits.others, why: waits.voted } : { state: waits.roles(roles) };
}

/** Returns the possible actions, only those that have a button. */
function whyOf(
  { interrupted, gate }: { interrupted: boolean; gate: Gate },
  waits: Words["control"]["waits"],
): string {
  if (gate.kind === "feedback" && !gate.allow.includes("approve")) return waits.words;
  return interrupted ? waits.interrupted : waits.next[gate.kind];
}
