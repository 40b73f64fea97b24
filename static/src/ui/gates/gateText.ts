/** Texts of a gate: its actions, quorum, votes and subject. */
import type { Decision, ErrorBody, Gate, PlanItem, Role, Quorum, Vote } from "../../protocol";
import type { Texts } from "../../i18n/en";
import type { Format } from "../../i18n/locale";
import { isGateCommand } from "../../state/gateSelectors";
import type { PendingCommand, SessionState } from "../../state/model";
import { pendingBatch } from "../../state/pendingVotes";
import { roleOfQuorum, sumOfWeights } from "../../state/quorums";
import { countingVotes, votersAt, type VoterSource } from "../../state/voters";
import { isObject, stringify } from "../../json/lossless";
import type { IconName } from "../components/Icon";
import { toSentence } from "../components/ErrorNotice";
import { actorName, agentName } from "../names";
import { formatJson, abbreviate, jsonToText } from "../../json/jsonText";
import { weightsText } from "./weightsText";
import { planText } from "./SubjectDiff";
import { escapeBidi, escapeHidden } from "../../text/hiddenCharacters";

/** Labels of a gate's buttons and of the comment field. */
export interface ActionLabels {
  approve: string;
  edit?: string;
  reject: string;
  respond?: string;
  comment: string;
  sendReject: string;
}

/** Returns the labels of the actions at this kind of gate. */
export function actionLabels(gate: Gate, texts: Texts): ActionLabels {
  const { approve, reject, comment, sendReject } = texts.gate;
  const { kind } = gate;
  return kind === "feedback" || kind === "question"
    ? { approve, reject, comment, sendReject }
    : texts.work.gates[kind];
}

/** Returns the title of the gate. */
export function gateTitle({ team }: Pick<SessionState, "team">, gate: Gate, texts: Texts): string {
  const { title, titlePlain } = texts.gate;
  return escapeBidi(gate.prompt) || (gate.agent ? title(agentName({ team }, gate.agent)) : titlePlain);
}

/** Returns the icon of the gate's kind. */
export function iconOf(gate: Gate): IconName {
  const icons = {
    feedback: "gate",
    plan: "list",
    tool: "tool",
    question: "question",
    uncertain: "warning",
    budget: "hourglass",
    rule: "key",
    command: "command",
  } as const;
  return icons[gate.kind];
}

/** Returns my pending or rejected vote or answer at the gate. */
export function pendingCommandAt(pending: PendingCommand[], gate: Gate): PendingCommand | undefined {
  const own = pending.findLast((one) => isGateCommand(one.command) && one.command.data?.gate === gate.id);
  return own ?? pendingBatch(pending, gate.id);
}

/** Describes the quorum. */
export function quorumText(quorum: Quorum, texts: Texts): string {
  const { rules } = texts.gate;
  switch (quorum.kind) {
    case "any":
      return rules.any;
    case "all":
      return rules.all;
    case "majority":
      return rules.majority;
    case "at_least":
      return rules.atLeast(quorum.n, quorum.role ? texts.roles[quorum.role] : undefined);
    case "role":
      return rules.role(texts.roles[quorum.role]);
    case "weighted":
      return weightsText(quorum, texts);
    case "veto":
      return rules.veto;
  }
}

/**
 * Returns the weight of the approvals that count and the weight that decides, for a tally such as "2 of 3".
 */
export function tallyOf(gate: Gate, session: VoterSource): { approved: number; needed: number } {
  const voters = votersAt(gate, session);
  const approvals = countingVotes(gate, session).filter((vote) => vote.choice === "approve");
  const yes = voters.filter(({ id }) => approvals.some((vote) => vote.by.id === id));
  return { approved: sumOfWeights(gate, yes), needed: requiredVotes(gate, sumOfWeights(gate, voters)) };
}

/** Returns the weight of approvals that decides. `voters` is the total weight of the people who can vote. */
function requiredVotes({ quorum }: Gate, voters: number): number {
  switch (quorum.kind) {
    case "any":
    case "role":
      return 1;
    case "at_least":
    case "weighted":
      return quorum.n;
    case "majority":
      return Math.floor(voters / 2) + 1;
    case "all":
    case "veto":
      return Math.max(voters, 1);
  }
}

/** Returns whether the decision requires the votes of all or several people. */
export function needsSeveral({ quorum }: Gate): boolean {
  return quorum.kind !== "any" && quorum.kind !== "role";
}

/** Returns whether the gate takes votes; questions and text-only gates do not. */
export function takesVotes(gate: Gate): boolean {
  return gate.kind !== "question" && (gate.allow.includes("approve") || gate.allow.includes("reject"));
}

/** Returns the votes that were cast so far. */
export function votes(gate: Gate): Vote[] {
  return gate.votes ?? [];
}

/** Returns the eligible roles as text. */
export function eligibleRoles(gate: Gate, texts: Texts): string[] {
  const only = roleOfQuorum(gate.quorum);
  const roles: Role[] = only ? [only] : gate.eligible;
  return roles.map((role) => texts.roles[role]);
}

/** Describes how the gate ended while I was still writing. */
export function endedGateText(gate: Gate | undefined, texts: Texts): string {
  const decision = gate?.decision;
  if (!decision) return texts.gate.meanwhileOver;
  return texts.gate.meanwhile[decision.outcome](actorName(decision.by, texts));
}

/** Returns the text in my vote or answer. */
export function textOfCommand(
  { command }: PendingCommand,
  gate: Gate | undefined,
  name: (agent: string) => string,
): string {
  const { comment, edit, text, value } = command.data ?? {};
  if (typeof comment === "string") return comment;
  if (typeof text === "string") return text;
  const changed = edit ?? value;
  if (changed === undefined) return "";
  const items = gate?.kind === "plan" && isObject(changed) && changed.items;
  return Array.isArray(items) ? planText(items as PlanItem[], name) : formatJson(stringify(changed));
}

/** Explains why my vote did not count. */
export function lateVoteText(error: ErrorBody, texts: Texts, format: Format): string {
  const decision = error.details?.decision as Decision | undefined;
  if (error.code !== "already_decided" || !decision) return `${texts.gate.lost} ${toSentence(error.message)}`;
  const { outcome, by, at } = decision;
  return `${texts.gate.lost} ${texts.gate.before[outcome](actorName(by, texts), format.precise(at))}`;
}

/** Gate in a few words. */
export interface GateSummary {
  /** Tool or kind of the gate, with the agent if its name adds information. */
  title: string;
  /** Arguments of the call, title or size of the plan, or prompt. */
  detail: string;
  /** Complete text, shown as a tooltip. */
  fullText: string;
}

type GateSource = Pick<SessionState, "calls" | "run" | "team">;

/** Summarizes a gate in a few words that distinguish it from the other open ones. */
export function summarizeGate(gate: Gate, { calls, run, team }: GateSource, texts: Texts): GateSummary {
  // With a single agent, its name adds no information.
  const agent = gate.agent && team && team.agents.length > 1 ? agentName({ team }, gate.agent) : "";
  const prompt = escapeBidi(gate.prompt);
  const call = gate.call ? calls[gate.call] : undefined;
  if (call && (gate.kind === "tool" || gate.kind === "uncertain")) {
    const fullText = `${prompt}\n${escapeHidden(call.name)} ${jsonToText(call.arguments)}`;
    return { title: withAgent(escapeHidden(call.name), agent), detail: abbreviate(call.arguments), fullText };
  }
  if (gate.kind === "plan") {
    const plan = run?.plan;
    const detail = escapeBidi(plan?.title ?? "") || texts.work.plan.items(plan?.items.length ?? 0);
    return { title: withAgent(texts.work.plan.untitled, agent), detail, fullText: `${prompt}\n${detail}` };
  }
  if (gate.rule) {
    const { agent: ruleAgent, tool } = gate.rule.pattern;
    return {
      title: withAgent(escapeHidden(tool), agentName({ team }, ruleAgent)),
      detail: prompt,
      fullText: prompt,
    };
  }
  const title = gate.kind === "question" ? texts.work.gates.question.label : texts.gate.label;
  return { title: withAgent(title, agent), detail: prompt, fullText: prompt };
}

function withAgent(title: string, agent: string): string {
  return agent ? `${title} · ${agent}` : title;
}
