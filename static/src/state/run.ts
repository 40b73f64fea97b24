/** The run, its controls, and its retry. */
import type { Run, CommandData, Message, Target } from "../protocol";
import type { EventOf } from "../wire/frames";
import { attachToRun } from "./messages";
import { participantIn } from "./participants";
import { noUsage, type ControlTrace, type RunState, type SessionState, type PendingCommand } from "./model";

/** Maximum number of controls kept here. Older ones are in the timeline. */
const MAX_CONTROLS = 8;

/** Returns the run of a snapshot. */
export function runFromSnapshot(run: Run): RunState {
  return {
    id: run.id,
    flow: run.flow,
    phase: run.phase,
    startedAt: run.started_at,
    directedBy: run.directed_by ?? [],
    interrupted: run.round.interrupted,
    input: run.input,
    finalMessage: run.final_message ?? undefined,
    error: run.error ?? undefined,
    plan: run.plan ?? undefined,
    route: run.route ?? undefined,
  };
}

/** Applies the start of a run. */
export function applyStarted(session: SessionState, frame: EventOf<"run.started">): SessionState {
  const { run, flow, input } = frame.data;
  const message = session.messages.find((one) => one.id === input);
  return {
    ...attachToRun(session, input, run),
    // The reason why an earlier run could not start does not concern this one.
    pending: session.pending.filter((one) => !(one.error && one.command.do === "start")),
    run: {
      id: run,
      flow,
      phase: "pending",
      startedAt: frame.at,
      directedBy: participantIn(message?.by ?? frame.by),
      interrupted: false,
      input,
    },
    controls: [],
    usage: { ...session.usage, ofRun: { ...noUsage, of: run } },
  };
}

/** Updates the run. */
export function updateRun(session: SessionState, changes: Partial<RunState>): SessionState {
  return session.run ? { ...session, run: { ...session.run, ...changes } } : session;
}

/** Adds the author of a message that the run consumed to the people who directed it. */
export function applyConsumed(session: SessionState, frame: EventOf<"message.consumed">): SessionState {
  const message = session.messages.find((one) => one.id === frame.data.message);
  const known = session.run?.directedBy ?? [];
  const added = (message ? participantIn(message.by) : []).filter((author) => !known.includes(author));
  return added.length > 0 ? updateRun(session, { directedBy: [...known, ...added] }) : session;
}

/** Clears the interruption: people have said how to continue, and another round begins. */
export function clearInterrupted(session: SessionState): SessionState {
  return session.run?.interrupted ? updateRun(session, { interrupted: false }) : session;
}

/** Applies a new control, or its next phase. `now` is the time at which this page received it. */
export function applyControl(
  session: SessionState,
  frame: EventOf<"control.requested"> | EventOf<"control.acknowledged"> | EventOf<"control.effective">,
  now: number | null,
): SessionState {
  const { control: id, verb } = frame.data;
  const known = session.controls.find((trace) => trace.id === id);
  const trace: ControlTrace = { ...(known ?? { id, verb, by: null }) };
  if (frame.event === "control.requested") {
    trace.by = frame.by;
    trace.requestedAt = frame.at;
    trace.reason = frame.data.reason ?? undefined;
    trace.localRequestedAtMs = session.pending.find((one) => one.command.id === frame.cause)?.at;
  } else if (frame.event === "control.acknowledged") {
    trace.acknowledgedAt = frame.at;
  } else {
    trace.acknowledgedAt ??= frame.at;
    trace.effectiveAt = frame.at;
    if (trace.localRequestedAtMs !== undefined && now !== null)
      trace.durationMs = now - trace.localRequestedAtMs;
  }
  const resumed = frame.event === "control.effective" && verb === "resume";
  const others = session.controls.filter(
    // A pause that has not taken effect before a resume never will.
    (other) => other.id !== id && !(resumed && other.verb === "pause" && !other.effectiveAt),
  );
  const isInterrupted = frame.event === "control.effective" && verb === "interrupt";
  return {
    ...(isInterrupted ? updateRun(session, { interrupted: true }) : session),
    controls: [...others, trace].sort((a, b) => a.id - b.id).slice(-MAX_CONTROLS),
  };
}

type TeamSource = Pick<SessionState, "team">;

/** Returns the command that retries a failed run. */
export function retryCommand(known: TeamSource, { text, files, to }: Message): CommandData {
  const attachments = files?.length ? { files } : {};
  // If someone else is faster, `start` is rejected, whereas `say` would go into their run. But `start` derives its
  // recipients from the text alone.
  if (!to?.length || mentionsExactly(known, text, to))
    return { do: "start", data: { input: text, ...attachments } };
  return { do: "say", data: { text, to, mode: "queue", ...attachments } };
}

/** Returns whether the command is a retry in progress. */
export function isRetry({ command, error }: PendingCommand): boolean {
  return !error && (command.do === "start" || (command.do === "say" && !!command.data?.to));
}

/** Returns whether the text certainly mentions exactly these agents. */
function mentionsExactly({ team }: TeamSource, text: string, to: Target[]): boolean {
  const [, ...mentioned] = text.toLowerCase().split(/[@＠]/);
  const mentions = (name = "") =>
    !!name &&
    mentioned.some((one) => one.startsWith(name.toLowerCase()) && !/^[\w-]/.test(one.slice(name.length)));
  const all = to.every((target) => {
    if (target.kind === "all") return mentions("all");
    if (target.kind !== "agent") return false;
    return mentions(target.id) || mentions(team?.agents.find((agent) => agent.id === target.id)?.name);
  });
  return all && mentioned.length === to.length;
}
