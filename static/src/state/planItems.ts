/** Items of the plan in order, each with its calls, questions and decisions. */
import type { Actor, Gate, PlannerDecision, MessageId, Plan, PlanItem, Task } from "../protocol";
import { seqOf } from "../wire/frames";
import { ASK_TOOLS, type CallTrace } from "./calls";
import type { SessionState } from "./model";
import { decisionsOf } from "./parsedOutput";

/** Decision and its author. */
interface PlanDecision {
  message: MessageId;
  by: string;
  decision: PlannerDecision;
}

/** View of one plan item. */
export interface PlanItemView {
  /** Number, starting at 1. */
  number: number;
  item: PlanItem;
  /** Calls in this item. */
  calls: CallTrace[];
  /** Question to people, if the item is one. */
  question: PlanQuestion | null;
  /** Decisions after this item. */
  decisions: PlanDecision[];
}

/** Question to people and their answer. */
export interface PlanQuestion {
  text: string;
  answer: string | null;
  /** True if it can no longer be answered. */
  lapsed: boolean;
  by: Actor | null;
}

/** State from which the items are derived. */
type PlanSource = Pick<SessionState, "run" | "calls" | "messages" | "gates" | "parsedOutputs">;

/** Returns all items of the current plan. */
export function planItemsOf(source: PlanSource): PlanItemView[] {
  const plan = source.run?.plan;
  if (!plan) return [];
  const calls = Object.values(source.calls).filter((call) => call.run === source.run!.id);
  const decisions = decisionsAfter(source, calls);
  return plan.items.map((item, i) => {
    const number = i + 1;
    // In an earlier plan, the same number belonged to a different item.
    const own = hasBegun(item) ? calls.filter((call) => numberOf(call.task) === number) : [];
    return {
      number,
      item,
      calls: own,
      question: questionOf(item, own, source.gates),
      decisions: hasBegun(item) ? (decisions.get(number) ?? []) : [],
    };
  });
}

/** Returns the number of finished items. */
export function countDone(plan: Pick<Plan, "items">): number {
  return plan.items.filter((item) => item.state === "completed" || item.state === "skipped").length;
}

/** Returns the question of a call to people, and their answer. */
export function questionIn(call: CallTrace, gates: Gate[]): PlanQuestion | null {
  if (!ASK_TOOLS.includes(call.name)) return null;
  const gate = gates.find((one) => one.id === call.gate);
  return {
    text: gate?.prompt || textOf(call.arguments),
    answer:
      call.state === "completed" ? unquoteAnswer(call.output ?? gate?.votes?.at(-1)?.comment ?? null) : null,
    lapsed: call.state === "failed",
    by: gate?.decision?.by ?? null,
  };
}

function hasBegun(item: PlanItem): boolean {
  return !!item.tries || (!!item.state && item.state !== "not_started");
}

function numberOf(task: Task | undefined): number | null {
  return task?.kind === "execute" ? task.number : null;
}

function questionOf(item: PlanItem, calls: CallTrace[], gates: Gate[]): PlanQuestion | null {
  if (!item.tool || !ASK_TOOLS.includes(item.tool)) return null;
  const call = calls.at(-1);
  return call
    ? questionIn(call, gates)
    : { text: plannedQuestion(item) ?? item.action, answer: null, lapsed: false, by: null };
}

function plannedQuestion(item: PlanItem): string | null {
  const question = item.arguments?.question;
  return typeof question === "string" ? question : null;
}

function textOf(json: string): string {
  try {
    const value = JSON.parse(json) as { question?: unknown };
    return typeof value.question === "string" ? value.question : json;
  } catch {
    return json;
  }
}

/** Returns an answer without its quotation marks if it is a JSON string, otherwise unchanged. */
export function unquoteAnswer(answer: string | null): string | null {
  if (answer === null || !answer.startsWith('"')) return answer;
  try {
    return String(JSON.parse(answer));
  } catch {
    return answer;
  }
}

/** Returns the decisions, keyed by the number of the last item that was worked on before them. */
function decisionsAfter(source: PlanSource, calls: CallTrace[]): Map<number, PlanDecision[]> {
  const own = source.messages.filter((message) => message.run === source.run!.id);
  const done = [...own, ...calls]
    .map((one) => ({ seq: seqOf(one.id), number: numberOf(one.task) }))
    .filter((one): one is { seq: number; number: number } => one.number !== null)
    .sort((a, b) => a.seq - b.seq);
  const after = new Map<number, PlanDecision[]>();
  for (const decided of decisionsOf(source, own)) {
    const seq = seqOf(decided.message);
    const number = done.findLast((one) => one.seq < seq)?.number;
    if (number !== undefined) after.set(number, [...(after.get(number) ?? []), decided]);
  }
  return after;
}
