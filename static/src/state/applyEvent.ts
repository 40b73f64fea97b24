/**
 * Applies one recorded fact to one session: the counterpart of the server's fold, to the extent that the screen shows
 * it.
 */
import type { Actor } from "../protocol";
import type { EventFrame } from "../wire/frames";
import { isGateCommand } from "./gateSelectors";
import * as calls from "./calls";
import { applyCommented, applyThreadChanged } from "./commentThreads";
import { applyDelegated } from "./delegation";
import * as files from "./files";
import * as gates from "./gates";
import * as messages from "./messages";
import type { PendingCommand, SessionState } from "./model";
import * as participants from "./participants";
import * as plan from "./plan";
import * as parsedOutput from "./parsedOutput";
import { applyRedaction } from "./redaction";
import * as permissions from "./standingPermissions";
import * as run from "./run";
import { applySpanEvent } from "./spans";
import * as usage from "./usage";
import * as streaming from "./streaming";

/** Maximum number of timeline notes, in addition to messages and gates. */
const MAX_NOTES = 2000;

/** Applies the event, received at `now`, if it is the next one. A repeated or outdated event changes nothing. */
export function applyEvent(
  session: SessionState,
  frame: EventFrame,
  me: Actor | null,
  now: number | null,
): SessionState {
  if (frame.seq <= session.seq) return session;
  const next = applyFact(participants.applyGuest(session, frame), frame, me, now);
  return {
    ...next,
    seq: frame.seq,
    at: frame.at,
    head: Math.max(next.head, frame.seq),
    spans: applySpanEvent(next.spans, frame),
    notes: isNote(frame) ? [...next.notes.slice(1 - MAX_NOTES), { seq: frame.seq, frame }] : next.notes,
    pending: withoutCausingCommand(next, frame, me),
    typing: withoutTyping(next, frame),
  };
}

function applyFact(
  session: SessionState,
  frame: EventFrame,
  me: Actor | null,
  now: number | null,
): SessionState {
  switch (frame.event) {
    case "session.created": {
      const { title, team, settings } = frame.data;
      return { ...session, title, team, settings, createdAt: frame.at, loaded: true };
    }
    case "session.updated":
      return participants.applySettings(
        {
          ...session,
          title: frame.data.title ?? session.title,
          settings: frame.data.settings ?? session.settings,
        },
        me,
      );
    case "session.closed":
      return { ...session, closed: true };
    case "participant.joined":
      return participants.applyJoined(session, frame, me);
    case "participant.knocked":
      return participants.applyKnocked(session, frame);
    case "participant.refused":
      return participants.applyRefused(session, frame);
    case "participant.renamed":
      return participants.applyRenamed(session, frame);
    case "participant.left":
      return gates.removeVotesOf(participants.applyLeft(session, frame), frame.data.participant);
    case "participant.role_changed":
      return gates.removeVotesOf(participants.applyRoleChanged(session, frame, me), frame.data.participant);
    case "run.started":
      return run.applyStarted(session, frame);
    case "run.state_changed":
      return run.updateRun(session, { phase: frame.data.to });
    case "run.finished":
      return run.updateRun(permissions.applyRunEnded(session, frame.data.run), {
        phase: "completed",
        finalMessage: frame.data.final_message ?? undefined,
        endedAt: frame.at,
      });
    case "run.failed":
      return run.updateRun(permissions.applyRunEnded(session, frame.data.run), {
        phase: "failed",
        error: frame.data.error,
        endedAt: frame.at,
      });
    case "run.cancelled":
      return run.updateRun(permissions.applyRunEnded(session, frame.data.run), {
        phase: "cancelled",
        cancelled: frame.data.reason,
        endedAt: frame.at,
      });
    case "message.posted":
      return messages.applyPosted(session, frame);
    case "message.routed":
      return messages.applyRouted(session, frame);
    case "message.withdrawn":
      return messages.applyWithdrawn(session, frame);
    case "message.consumed": {
      const next = run.applyConsumed(messages.applyConsumed(session, frame), frame);
      // A message that joins a running step does not begin a round.
      return frame.data.step ? next : run.clearInterrupted(next);
    }
    case "message.started":
      return streaming.applyStarted(session, frame);
    case "message.completed": {
      const known = messages.applyFinished(calls.removeOutputs(session, frame), frame);
      return streaming.removeStreaming(known, frame.data.message);
    }
    case "message.aborted":
      return streaming.removeStreaming(messages.applyFinished(session, frame), frame.data.message);
    case "attempt.failed":
      return streaming.applyAttemptFailed(session, frame);
    case "file.added":
      return files.applyAdded(session, frame);
    case "file.removed":
      return files.applyRemoved(session, frame);
    case "message.redacted":
    case "file.redacted":
    case "session.redacted":
    case "participant.redacted":
      return applyRedaction(session, frame);
    case "tool.proposed":
      return calls.applyProposed(session, frame);
    case "tool.checked":
      return permissions.applyUsed(calls.applyCallState(session, frame), frame);
    case "tool.started":
    case "tool.uncertain":
    case "tool.completed":
    case "tool.failed":
      return calls.applyCallState(session, frame);
    case "plan.proposed":
      return parsedOutput.applyParsed(plan.applyPlan(session, frame), frame);
    case "plan.edited":
      return plan.applyPlan(session, frame);
    case "plan.item_changed":
      return plan.applyItemChanged(session, frame);
    case "decision.made": {
      const route = frame.data.decision.flow ?? session.run?.route;
      return parsedOutput.applyParsed(run.updateRun(session, { route }), frame);
    }
    case "output.produced":
      return parsedOutput.applyParsed(session, frame);
    case "output.rejected":
      return parsedOutput.applyRejected(session, frame);
    case "gate.opened":
      return calls.applyGateOpened(gates.applyOpened(session, frame), frame);
    case "gate.revised":
      return calls.applyRevised(plan.applyRevised(gates.applyRevised(session, frame), frame), frame);
    case "gate.voted":
      return gates.applyVoted(session, frame);
    case "gate.vote_withdrawn":
      return gates.applyVoteWithdrawn(session, frame);
    case "gate.commented":
      return applyCommented(session, frame);
    case "gate.thread_changed":
      return applyThreadChanged(session, frame);
    case "gate.escalated":
      return gates.applyEscalated(session, frame);
    case "votes.delegated":
      return applyDelegated(session, frame);
    case "gate.decided": {
      const next = calls.applyDecided(plan.applyDecided(gates.applyDecided(session, frame), frame), frame);
      const gate = session.gates.find((gate) => gate.id === frame.data.gate);
      // A decision about a call, a rule or a command does not begin a round.
      return gate?.call || gate?.kind === "rule" || gate?.command ? next : run.clearInterrupted(next);
    }
    case "permission.granted":
      return permissions.applyGranted(session, frame);
    case "permission.revoked":
      return calls.revertToProposed(permissions.applyRevoked(session, frame), frame.data.permission);
    case "gate.expired":
    case "gate.closed":
      return gates.applyLapsed(session, frame);
    case "control.requested":
    case "control.acknowledged":
    case "control.effective":
      return run.applyControl(session, frame, now);
    case "usage.recorded":
      return usage.applyUsage(session, frame);
    default:
      // An event of a newer server: its seq counts, its content is ignored.
      return session;
  }
}

function isNote(frame: EventFrame): boolean {
  switch (frame.event) {
    case "session.updated":
    case "session.closed":
    case "participant.joined":
    case "participant.knocked":
    case "participant.refused":
    case "participant.left":
    case "participant.renamed":
    case "participant.role_changed":
    case "run.finished":
    case "run.failed":
    case "run.cancelled":
    case "gate.escalated":
    case "votes.delegated":
    case "permission.granted":
    case "permission.revoked":
    case "control.requested":
    case "file.removed":
    case "file.redacted":
    case "session.redacted":
    case "participant.redacted":
      return true;
    // An edited plan is shown in the conversation; an edited call, with the call.
    case "gate.revised":
      return !!frame.data.plan;
    // A plan in an agent's message is shown there.
    case "plan.proposed":
      return !frame.data.message;
    default:
      return false;
  }
}

function withoutCausingCommand(session: SessionState, frame: EventFrame, me: Actor | null) {
  const isMine = typeof frame.cause === "string" && frame.by.id === me?.id;
  if (!isMine || session.pending.length === 0) return session.pending;
  const done = session.pending.find((pending) => pending.command.id === frame.cause);
  return session.pending.filter((pending) => pending !== done && !(done && isSuperseded(pending, done)));
}

/** Returns whether the command was rejected and a later one at the same gate was accepted. */
function isSuperseded({ command, error }: PendingCommand, { command: done }: PendingCommand): boolean {
  return !!error && isGateCommand(command) && isGateCommand(done) && command.data?.gate === done.data?.gate;
}

/** Events that contain the text that a participant was typing, so that the typing notice can disappear. */
const EVENTS_WITH_TEXT: ReadonlySet<EventFrame["event"]> = new Set([
  "message.posted",
  "gate.voted",
  "gate.vote_withdrawn",
  "gate.revised",
  "gate.decided",
]);

function withoutTyping(session: SessionState, frame: EventFrame) {
  if (!EVENTS_WITH_TEXT.has(frame.event) || !session.typing[frame.by.id]) return session.typing;
  const { [frame.by.id]: _done, ...typing } = session.typing;
  return typing;
}
