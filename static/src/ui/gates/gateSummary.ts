/** What a gate is about, in a few words that tell it from the others that are open. */
import type { Gate } from "../../protocol";
import type { Words } from "../../i18n/en";
import type { SessionState } from "../../state/model";
import { agentName } from "../names";
import { abbreviate, jsonToText } from "../../json/jsonText";
import { isolateDirection, escapeHidden } from "../../text/hiddenCharacters";

interface GateSummary {
  /** The tool, the plan, or whoever asks. */
  what: string;
  /** The arguments, the plan's title, or the question. */
  detail: string;
  /** All of it. */
  whole: string;
}

type Known = Pick<SessionState, "calls" | "run" | "team">;

export function summarizeGate(gate: Gate, { calls, run, team }: Known, words: Words): GateSummary {
  // Where there is one agent alone, it says nothing.
  const agent = gate.agent && team && team.agents.length > 1 ? agentName({ team }, gate.agent) : "";
  const prompt = isolateDirection(gate.prompt);
  const call = gate.call ? calls[gate.call] : undefined;
  if (call && (gate.kind === "tool" || gate.kind === "uncertain")) {
    const whole = `${prompt}\n${escapeHidden(call.name)} ${jsonToText(call.arguments)}`;
    return { what: named(escapeHidden(call.name), agent), detail: abbreviate(call.arguments), whole };
  }
  if (gate.kind === "plan") {
    const plan = run?.plan;
    const detail = isolateDirection(plan?.title ?? "") || words.work.plan.steps(plan?.steps.length ?? 0);
    return { what: named(words.work.plan.untitled, agent), detail, whole: `${prompt}\n${detail}` };
  }
  const what = gate.kind === "question" ? words.work.gates.question.label : words.gate.label;
  return { what: named(what, agent), detail: prompt, whole: prompt };
}

function named(what: string, agent: string): string {
  return agent ? `${what} · ${agent}` : what;
}
