/** Live region: gates, decisions, late votes and finished messages, for screen readers. */
import { useEffect, useRef, useState } from "react";
import type { Actor, Knock, SessionId, PlanItemState } from "../../protocol";
import { lateVotes, openGates } from "../../state/gateSelectors";
import { hasRight } from "../../state/participants";
import { restoredFrom } from "../../state/files";
import { isPermissionNote, permissionOfEvent } from "../../state/standingPermissions";
import { splitParts } from "../../state/plan";
import { useClient, useMe, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { lateVoteText } from "../gates/gateText";
import { permissionText } from "../permissions/permissionText";
import { isVoteNote, voteNoteText } from "../votes/voteNotes";
import { actorName } from "../names";

const NO_KNOCKS: Knock[] = [];

/** State that has already been announced. */
interface AnnouncedState {
  gates: string[];
  /** States of the plan's items. */
  items: (PlanItemState | undefined)[];
  message?: string;
  file?: string;
  decided?: string;
  lateVote?: string;
  /**
   * Seq of the last note about a standing permission or votes. Without such a note, it is the session's seq
   * when the page caught up, because earlier notes can be fetched later.
   */
  permission: number;
  /** Ids of the people who asked to join. */
  knocks: string[];
}

export function Announcer({ session }: { session: SessionId }) {
  const texts = useTexts();
  const format = useFormat();
  const me = useMe();
  const client = useClient();
  const [text, setText] = useState("");
  const caughtUp = useSession(session, (state) => state.caughtUp);
  const gates = useSession(session, openGates);
  const plan = useSession(session, (state) => state.run?.plan);
  const last = useSession(session, (state) => state.messages.at(-1));
  const file = useSession(session, (state) => state.files.at(-1));
  const back = useSession(session, ({ files }) => (file ? restoredFrom(files, file)?.version : undefined));
  const decided = useSession(session, (state) => state.gates.findLast((one) => one.decision));
  const lost = useSession(session, (state) => lateVotes(state).at(-1));
  const permission = useSession(session, (state) =>
    state.notes.findLast((one) => isPermissionNote(one) || isVoteNote(one)),
  );
  const granted = useSession(session, (state) => permission && permissionOfEvent(state, permission.frame));
  const knocks = useSession(session, (state) => (hasRight(state, "manage") ? state.knocks : NO_KNOCKS));
  const people = useSession(session, ({ participants, formerParticipants, team }) => ({
    participants,
    formerParticipants,
    team,
  }));
  const known = useRef<AnnouncedState | null>(null);
  useEffect(() => {
    if (!caughtUp) return;
    const before = known.current;
    known.current = {
      gates: gates.map((gate) => gate.id),
      items: plan?.items.map((item) => item.state) ?? [],
      message: last?.id,
      file: file?.id,
      decided: decided?.id,
      lateVote: lost?.command.id,
      permission: permission?.seq ?? before?.permission ?? client.store.get().sessions[session]!.seq,
      knocks: knocks.map((knock) => knock.participant),
    };
    // Everything from before the page was opened is on the page, so it is not announced.
    if (!before) return;
    const announcements: string[] = [];
    const nameOf = (by: Actor) => actorName(by, texts, people);
    // Turns with tool calls are followed by a later message, and the gates of their calls are announced
    // separately.
    if (last && last.id !== before.message && last.by.id !== me && !last.calls) {
      const { kind, name } = last.by;
      const ended = last.aborted ? texts.timeline.stopped[last.aborted] : texts.timeline.finished;
      announcements.push(kind === "agent" ? ended(name) : texts.timeline.says(nameOf(last.by)));
    }
    if (file && file.id !== before.file) {
      const text =
        back === undefined ? texts.files.added(nameOf(file.by)) : texts.files.putBack(nameOf(file.by), back);
      announcements.push(`${text} ${file.name}.`);
    }
    for (const [i, item] of (plan?.items ?? []).entries()) {
      if (item.state === before.items[i] || before.items.length === 0) continue;
      if (item.state === "completed")
        announcements.push(texts.work.plan.itemDone(i + 1, format.list(splitParts(item))));
      if (item.state === "blocked")
        announcements.push(texts.work.plan.itemBlocked(i + 1, format.list(splitParts(item))));
    }
    if (decided?.decision && decided.id !== before.decided) {
      announcements.push(
        texts.gate.decided(texts.gate.outcomes[decided.decision.outcome], nameOf(decided.decision.by)),
      );
    }
    if (permission && permission.seq > before.permission) {
      const { frame } = permission;
      const text =
        permissionText(frame, granted, people, texts, format) ?? voteNoteText(frame, people, texts, format);
      announcements.push(`${text}.`);
    }
    if (lost && lost.command.id !== before.lateVote)
      announcements.push(lateVoteText(lost.error!, texts, format));
    for (const { participant, name, role } of knocks) {
      if (!before.knocks.includes(participant))
        announcements.push(texts.invites.knock.knocked(name, texts.roles[role]));
    }
    for (const gate of gates)
      if (!before.gates.includes(gate.id)) announcements.push(texts.gate.opened(gate.prompt));
    if (announcements.length > 0) setText(announcements.join(" "));
  }, [
    caughtUp,
    gates,
    plan,
    last,
    file,
    back,
    decided,
    lost,
    knocks,
    permission,
    granted,
    people,
    client,
    session,
    me,
    texts,
    format,
  ]);
  return (
    <p className="hidden" role="status" aria-live="polite" data-testid="announcer">
      {text}
    </p>
  );
}
