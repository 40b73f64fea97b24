/** What a gate is about, in a few words that tell it from the others that are open. */
import type { Gate } from "../../protocol";
import type { Words } from "../../i18n/en";
import type { SessionState } from "../../state/model";
import { agentName } from "../names";
import { brief, inWords } from "../work/json";
import { inOrder, visible } from "../work/visible";

interface About {
  /** The tool, the plan, or whoever asks. */
  what: string;
  /** The arguments, the plan's title, or the question. */
  detail: string;
  /** All of it. */
  whole: string;
}

type Known = Pick<SessionState, "calls" | "run" | "team">;

export function aboutOf(gate: Gate, { calls, run, team }: Known, words: Words): About {
  // Where there is one agent alone, it says nothing.
  const agent = gate.agent && team && team.agents.length > 1 ? agentName({ team }, gate.agent) : "";
  const prompt = inOrder(gate.prompt);
  const call = gate.call ? calls[gate.call] : undefined;
  if (call && (gate.kind === "tool" || gate.kind === "uncertain")) {
    const whole = `${prompt}\n${visible(call.name)} ${inWords(call.arguments)}`;
    return { what: named(visible(call.name), agent), detail: brief(call.arguments), whole };
  }
  if (gate.kind === "plan") {
    const plan = run?.plan;
    const detail = inOrder(plan?.title ?? "") || words.work.plan.steps(plan?.steps.length ?? 0);
    return { what: named(words.work.plan.untitled, agent), detail, whole: `${prompt}\n${detail}` };
  }
  const what = gate.kind === "question" ? words.work.gates.question.label : words.gate.label;
  return { what: named(what, agent), detail: prompt, whole: prompt };
}

function named(what: string, agent: string): string {
  return agent ? `${what} · ${agent}` : what;
}
