/** Price of a decision before it is made, estimated from the state of the session. */
import type { ModelSummary } from "../api";
import type { SessionState } from "./model";
import { modelOf } from "./budget";
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

/** Estimates the cost of the text that an interrupt discards: the text of unfinished messages, at output prices. */
export function interruptCost(
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
