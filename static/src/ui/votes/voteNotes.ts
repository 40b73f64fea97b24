/** Texts of notes about votes: delegations and escalated gates. */
import type { Note } from "../../state/model";
import type { EventFrame } from "../../wire/frames";
import type { Texts } from "../../i18n/en";
import type { Format } from "../../i18n/locale";
import { quorumText } from "../gates/gateText";
import { personName, type ParticipantSource } from "../names";

/** Returns whether the note is about a delegation or an escalation. */
export function isVoteNote({ frame }: Note): boolean {
  return frame.event === "gate.escalated" || frame.event === "votes.delegated";
}

/** Describes a delegation or an escalation. Returns null for other events. */
export function voteNoteText(
  frame: EventFrame,
  people: ParticipantSource,
  texts: Texts,
  format: Format,
): string | null {
  const { votes } = texts;
  if (frame.event === "gate.escalated") return votes.escalated(quorumText(frame.data.quorum, texts));
  if (frame.event !== "votes.delegated") return null;
  const { participant, delegate } = frame.data;
  const name = personName(people, participant);
  if (!delegate) return votes.undelegated(name);
  const to = personName(people, delegate.to);
  return delegate.until
    ? votes.delegatedUntil(name, to, format.timeOrMinute(delegate.until))
    : votes.delegated(name, to);
}
