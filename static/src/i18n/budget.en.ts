/** English texts for budgets, loaded on demand. `budget.zh.ts` has the same keys. */
import { createTextsHook } from "./locale";
import { budget as zh } from "./budget.zh";

export const budget = {
  title: "Budget of the session",
  limits: { max_tokens: "Tokens", max_cost_micros: "Cost" },
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  left: (left: string) => `${left} left`,
  none: "Nothing left: people are asked before the next request to a model.",
  perRequest: (tokens: string) => `One request uses at most ${tokens} tokens.`,
  remove: "Remove",
  removeLimit: (limit: string) => `Remove the limit: ${limit}`,
  removed: (limit: string, amount: string) => `Limit removed: ${limit}, ${amount}`,
  undo: "Undo",
  dismiss: "Dismiss",
  now: "Now",
  next: "Proposed",
  proposal: "What an approval changes",
  unchanged: "Nothing changes.",
  noLimit: "no limit",
  modelOfAll: "Model",
  acts: {
    raise: (limits: string) => `Raise the budget to ${limits}`,
    tokens: (amount: string) => `${amount} tokens`,
    cheaper: "Use a cheaper model",
    finishMeans: "The run finishes now. Its results stay in the session.",
    cancel: "Cancel the run",
    cancelMeans: "Cancels the run at once, without a vote. Waiting messages stay.",
  },
  quotas: {
    title: "This month",
    subjects: { participant: "Your runs", session: "This session", team: "This team" },
    limit: (subject: string, limit: string) => `${subject}: ${limit}`,
    tokens: (amount: string) => `${amount} tokens`,
    unlimited: (used: string) => `${used} used, without a limit.`,
    renews: (day: string) => `Starts again at zero on ${day}.`,
  },
  turns: (n: number, each: string) =>
    `At ${each} per turn so far, that is enough for about ${n} more ${n === 1 ? "turn" : "turns"}.`,
  ends: "Without a higher limit the run ends here. Its results stay in the session.",
  fields: {
    legend: "Budget",
    means: "Before a limit is passed, people are asked to raise it or to end the run. Empty: no limit.",
    tokens: "Tokens of the whole session",
    cost: (currency: string) => `Cost of the whole session (${currency})`,
    turn: "Tokens of one request",
    model: "Model for all agents",
    modelMeans: "Replaces the models that the team sets.",
    teamModel: "As set by the team",
    turnMeans: "Longer conversations are shortened to it. At most one request can exceed a limit.",
  },
  cheaper: (models: string) => `Cheaper: ${models}. Choose one under “Use a cheaper model”.`,
  model: (name: string) =>
    `After an approval, all agents use ${name}. An owner can change it back in the settings.`,
  newModel: "Model for all agents from then on",
  sameModel: "No change",
  price: (input: string, output: string) => `${input} / ${output} per million tokens`,
  newTokens: "New limit in tokens",
  newCost: (currency: string) => `New limit of the cost (${currency})`,
  above: (used: string) => `More than the ${used} already used.`,
};

/** Type of the texts in both languages. */
export type BudgetTexts = typeof budget;

/** Returns the texts in the reader's language. */
export const useBudgetTexts = createTextsHook(budget, zh);
