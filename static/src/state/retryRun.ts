/** Beginning a run that failed again: with its words, its files, and for the same ones. */
import type { CommandData, Message, Target } from "../protocol";
import type { PendingCommand, SessionState } from "./model";

type Known = Pick<SessionState, "team">;

/** The command that does it. */
export function retryCommand(known: Known, { text, files, to }: Message): CommandData {
  const enclosed = files?.length ? { files } : {};
  // Where somebody else is quicker, `start` is refused and `say` would go into their run. But it reads from the words alone
  // whom they are for.
  if (!to?.length || mentionsExactly(known, text, to))
    return { do: "start", data: { input: text, ...enclosed } };
  return { do: "say", data: { text, to, mode: "queue", ...enclosed } };
}

/** Whether it is one of those on its way. */
export function isRetry({ command, refused }: PendingCommand): boolean {
  return !refused && (command.do === "start" || (command.do === "say" && !!command.data?.to));
}

/** Whether the words surely mention just these agents. */
function mentionsExactly({ team }: Known, text: string, to: Target[]): boolean {
  const [, ...said] = text.toLowerCase().split(/[@＠]/);
  const mentions = (name = "") =>
    !!name &&
    said.some((one) => one.startsWith(name.toLowerCase()) && !/^[\w-]/.test(one.slice(name.length)));
  const all = to.every((target) => {
    if (target.kind === "all") return mentions("all");
    if (target.kind !== "agent") return false;
    return mentions(target.id) || mentions(team?.agents.find((agent) => agent.id === target.id)?.name);
  });
  return all && said.length === to.length;
}
