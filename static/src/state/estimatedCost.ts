/** Price of a decision before it is made, estimated from the state of the session. */
import type { ModelSummary } from "../api";
import type { Gate, RunId } from "../protocol";
import { seqOf } from "../wire/frames";
import type { SessionState } from "./model";
import { modelOf } from "./budget";
import { isAfterInterrupt } from "./gateSelectors";
import { failedInput } from "./runSelectors";

/** Estimated tokens and cost. */
export interface DecisionCost {
  tokens: number;
  cost_micros: number;
}

/** The server's information about its models. */
export interface KnownModels {
  models: ModelSummary[];
  /** Default model, as `provider/model`. */
  defaultModel: string;
}

/** Bytes of one token, on average: four letters, or a bit more than one Chinese character. */
const BYTES_PER_TOKEN = 4;

/**
 * Estimates the cost of the text that an interrupt or the end of the run discards: the text of unfinished messages, at
 * output prices.
 */
export function discardCost(
  { streaming, settings, team }: SessionState,
  { models, defaultModel }: KnownModels,
): DecisionCost {
  const sum = { tokens: 0, cost_micros: 0 };
  for (const { agent, bytes } of Object.values(streaming)) {
    const tokens = Math.ceil(bytes / BYTES_PER_TOKEN);
    const model = modelOf(
      settings,
      team?.agents.find(({ id }) => id === agent),
      defaultModel,
    );
    const price = models.find(({ name }) => name === model)?.prices?.output ?? 0;
    sum.tokens += tokens;
    sum.cost_micros += Math.round(tokens * price);
  }
  return sum;
}

/** Estimates the cost of a retry of the failed run: the run's usage so far. Null if there is nothing to retry. */
export function retryCost(session: SessionState): DecisionCost | null {
  const { ofRun } = session.usage;
  if (!failedInput(session) || ofRun.turns === 0) return null;
  return { tokens: ofRun.input_tokens + ofRun.output_tokens, cost_micros: ofRun.cost_micros };
}

/** Kinds of gates at which a rejection, or feedback, makes the agents write again. */
const REWRITE_GATE_KINDS: Gate["kind"][] = ["feedback", "plan"];

/**
 * Estimates the cost of another version of what the gate asks about: the usage of the turns that wrote it. Null if this
 * client does not know all of these turns, and after an interrupt, whose incomplete turns say little about complete
 * ones.
 */
export function rewriteCost(session: SessionState, gate: Gate): DecisionCost | null {
  const { run, kind } = gate;
  if (!run || gate.call || !REWRITE_GATE_KINDS.includes(kind) || isAfterInterrupt(session, gate)) return null;
  const since = roundStart(session, run, gate);
  if (session.knownAfter > since) return null;
  const round = session.spans.filter(({ id, run: of, kind }) => {
    if (of !== run || kind === "pause") return false;
    return seqOf(id) > since && seqOf(id) < seqOf(gate.id);
  });
  // A snapshot lists only the newest gates. The round may have begun at one that it omits.
  const isUnknownGate = (id: string) => session.gates.every((known) => known.id !== id);
  if (round.some((span) => span.kind === "gate" && isUnknownGate(span.id))) return null;
  // A plan is written again without the work that followed an earlier one.
  const turns = round.filter(
    (span) => span.kind === "turn" && (kind !== "plan" || span.task?.kind === "plan"),
  );
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0);
  const cost_micros = turns.reduce((sum, turn) => sum + turn.cost, 0);
  return tokens > 0 ? { tokens, cost_micros } : null;
}

/** Returns the seq after which the agents wrote what the gate asks about: the previous decision, or the run's start. */
function roundStart({ gates }: SessionState, run: RunId, gate: Gate): number {
  const previous = gates.findLast(
    (one) =>
      one.run === run && !one.call && REWRITE_GATE_KINDS.includes(one.kind) && seqOf(one.id) < seqOf(gate.id),
  );
  return previous ? (previous.ended ?? seqOf(previous.id)) : seqOf(run);
}
