/** Parsed output of agents: a plan, a decision, findings, or the reason why it could not be parsed. */
import type { PlannerAction, PlannerDecision, Message, MessageId, Plan, PlanItem } from "../protocol";
import type { EventOf } from "../wire/frames";
import { isObject } from "../json/lossless";
import { extractJson } from "../json/extractJson";
import type { SessionState } from "./model";

/** Content of a message that is written for the server rather than for people. */
export type ParsedOutput =
  | { kind: "plan"; plan: Pick<Plan, "items" | "title" | "estimated_time" | "risks" | "fallback"> }
  | { kind: "decision"; decision: PlannerDecision }
  | { kind: "output"; output: Record<string, unknown> };

/** Reason why an output could not be parsed, and whether the agent is asked again. */
export interface ParseFailure {
  reason: string;
  again: boolean;
}

/** Applies a parsed output. */
export function applyParsed(
  session: SessionState,
  frame: EventOf<"plan.proposed"> | EventOf<"decision.made"> | EventOf<"output.produced">,
): SessionState {
  const { message } = frame.data;
  if (!message) return session;
  const reading = of(frame);
  return reading ? { ...session, parsedOutputs: { ...session.parsedOutputs, [message]: reading } } : session;
}

function of(
  frame: EventOf<"plan.proposed"> | EventOf<"decision.made"> | EventOf<"output.produced">,
): ParsedOutput | null {
  switch (frame.event) {
    case "plan.proposed":
      return { kind: "plan", plan: frame.data.plan };
    case "decision.made":
      return { kind: "decision", decision: frame.data.decision };
    case "output.produced":
      return isObject(frame.data.output) ? { kind: "output", output: frame.data.output } : null;
  }
}

/** Applies a failure to parse. */
export function applyRejected(session: SessionState, { data }: EventOf<"output.rejected">): SessionState {
  const { message, reason, again } = data;
  return { ...session, parseFailures: { ...session.parseFailures, [message]: { reason, again } } };
}

/** Returns the content of the message: from the log, or, for an older message from a snapshot, parsed from its text. */
export function parsedOutputOf(
  session: Pick<SessionState, "parsedOutputs">,
  message: Message | null,
): ParsedOutput | undefined {
  if (!message) return undefined;
  return session.parsedOutputs[message.id] ?? readText(message);
}

/** Parsed outputs by message, so that each text is parsed only once. Unchanged messages are the same objects. */
const read = new WeakMap<Message, ParsedOutput | null>();

function readText(message: Message): ParsedOutput | undefined {
  let reading = read.get(message);
  if (reading === undefined) read.set(message, (reading = parse(message)));
  return reading ?? undefined;
}

function parse(message: Message): ParsedOutput | null {
  const kind = message.task?.kind;
  if (message.calls || message.aborted || !kind || kind === "reply" || kind === "execute") return null;
  const value = extractJson(message.text);
  if (!value) return null;
  if (kind === "plan") return plan(value);
  if (kind === "structure") return { kind: "output", output: value };
  return kind === "summarize" ? findings(value) : decision(value, kind === "route");
}

function plan(value: Record<string, unknown>): ParsedOutput | null {
  const items = questionItem(value) ?? itemsIn(value.steps ?? value.next_steps);
  if (items.length === 0) return null;
  const risks = Array.isArray(value.risks) ? value.risks.filter((risk) => typeof risk === "string") : [];
  return {
    kind: "plan",
    plan: { items, title: text(value.title), estimated_time: text(value.estimated_time), risks },
  };
}

/** Returns the question with which an investigation can begin instead of a plan, as the only item of a plan. */
function questionItem(value: Record<string, unknown>): PlanItem[] | null {
  const question = text(value.question);
  if (value.action !== "request_input" || !question) return null;
  return [{ action: question, tool: "user_input", arguments: { question, context: value.context } }];
}

function itemsIn(list: unknown): PlanItem[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((item) => ({
    action: text(item.action) ?? text(item.tool_name) ?? "",
    agent: text(item.agent),
    reason: text(item.reason),
    tool: text(item.tool_name),
    arguments: isObject(item.tool_params) ? item.tool_params : undefined,
  }));
}

/** Returns the value if it has all the fields of findings, because a summary can contain any other kind of JSON. */
function findings(value: Record<string, unknown>): ParsedOutput | null {
  const whole = !!text(value.root_cause) && Array.isArray(value.suggestions);
  return whole ? { kind: "output", output: value } : null;
}

function decision(value: Record<string, unknown>, route: boolean): ParsedOutput | null {
  const action = route ? "route" : (text(value.next_action) ?? text(value.action));
  if (!action) return null;
  return {
    kind: "decision",
    decision: {
      action: action as PlannerAction,
      analysis: text(value.analysis),
      reason: text(value.reason),
      agent: text(value.next_agent),
      instruction: text(value.instruction),
      flow: text(value.flow),
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value ? value : undefined;
}

/** Returns the decisions of the run by message. */
export function decisionsOf(session: Pick<SessionState, "parsedOutputs">, messages: Message[]) {
  const decisions: { message: MessageId; by: string; decision: PlannerDecision }[] = [];
  for (const message of messages) {
    const reading = parsedOutputOf(session, message);
    if (reading?.kind === "decision")
      decisions.push({ message: message.id, by: message.by.id, decision: reading.decision });
  }
  return decisions;
}
