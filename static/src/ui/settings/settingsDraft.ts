/** Draft of the session settings, and the changes that it makes. */
import type { Budget, RightRule, Settings } from "../../protocol";
import { ruleDraftOf, ruleOf, type ApprovalRuleDraft } from "./approvalRuleDraft";
import { budgetDraftOf, budgetOf, type BudgetDraft } from "../budget/budgetDraft";
import { learningDraftOf, learningOf, type LearningDraft } from "./learningDraft";
import { quorumDraftOf, quorumOf, type QuorumDraft } from "./quorumDraft";

/** Numeric settings, with their ranges on the server. */
export const NUMBER_SETTINGS = {
  max_messages_per_run: [2, 10_000],
  max_steps_per_run: [1, 10_000],
  max_turns_per_task: [1, 200],
  max_parallel: [1, 4096],
  max_calls_per_turn: [1, 64],
  max_retries: [0, 20],
  max_repairs: [0, 20],
  max_attempts: [1, 20],
  max_waiting_messages: [1, 1000],
} as const satisfies { [name in keyof Settings]?: readonly [number, number] };

/** Name of a numeric setting. */
export type NumberName = keyof typeof NUMBER_SETTINGS;

/** Content of the fields. */
export interface SettingsDraft {
  approval: QuorumDraft;
  rules: ApprovalRuleDraft[];
  /** Rights that differ from the default of the role. */
  rights: RightRule[];
  /** Empty means that a decision stays open until it is made. */
  minutes: string;
  /** Empty means that the session is kept forever. */
  days: string;
  budget: BudgetDraft;
  /** Empty means that the agents use the models of the team. */
  model: string;
  learning: LearningDraft;
  numbers: Record<NumberName, string>;
}

export const NUMBER_NAMES = Object.keys(NUMBER_SETTINGS) as NumberName[];

/** Returns the fields for the settings. */
export function settingsDraftOf(settings: Settings): SettingsDraft {
  const {
    approval = { kind: "any" },
    approval_rules: rules = [],
    rights = [],
    gate_seconds: seconds,
    retention_days: days,
  } = settings;
  const numbers = NUMBER_NAMES.map((name) => [name, String(settings[name] ?? "")]);
  return {
    approval: quorumDraftOf(approval),
    rules: rules.map(ruleDraftOf),
    rights,
    minutes: seconds ? String(seconds / 60) : "",
    days: days ? String(days) : "",
    budget: budgetDraftOf(settings.budget),
    model: settings.model ?? "",
    learning: learningDraftOf(settings.learning),
    numbers: Object.fromEntries(numbers) as SettingsDraft["numbers"],
  };
}

/**
 * Returns the changed settings. Only these are sent, so that two people can change different settings at the
 * same time.
 */
export function changedSettings(
  before: SettingsDraft,
  after: SettingsDraft,
  known?: Budget | null,
): Partial<Settings> {
  const changes: Partial<Settings> = {};
  const approval = quorumOf(after.approval);
  if (isDifferent(approval, quorumOf(before.approval))) changes.approval = approval;
  const rules = after.rules.map(ruleOf);
  if (isDifferent(rules, before.rules.map(ruleOf))) changes.approval_rules = rules;
  if (isDifferent(after.rights, before.rights)) changes.rights = after.rights;
  if (after.minutes !== before.minutes)
    changes.gate_seconds = after.minutes.trim() ? Math.round(Number(after.minutes) * 60) : null;
  if (after.days !== before.days)
    changes.retention_days = after.days.trim() ? Math.round(Number(after.days)) : null;
  if (isDifferent(after.budget, before.budget)) changes.budget = budgetOf(after.budget, known);
  if (after.model !== before.model) changes.model = after.model || null;
  if (isDifferent(after.learning, before.learning)) changes.learning = learningOf(after.learning);
  for (const name of NUMBER_NAMES)
    if (after.numbers[name].trim() && after.numbers[name] !== before.numbers[name])
      changes[name] = Number(after.numbers[name]);
  return changes;
}

function isDifferent(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}
