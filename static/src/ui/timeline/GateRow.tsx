/** A gate in the timeline: one line that states how it ended. */
import type { Gate, Outcome, SessionId } from "../../protocol";
import type { Texts } from "../../i18n/en";
import { openGates } from "../../state/gateSelectors";
import { isOpen, type Lapse } from "../../state/gates";
import type { Revision } from "../../state/model";
import { useSession } from "../../app/hooks";
import { useFormat, useTexts, type Format } from "../../i18n/locale";
import { escapeBidi } from "../../text/hiddenCharacters";
import { summarizeGate, votes } from "../gates/gateText";
import { onDemand } from "../components/onDemand";
import { Icon, type IconName } from "../components/Icon";
import { type ParticipantSource, actorName, personName } from "../names";

const CommandLine = onDemand(() => import("../commands/CommandSubject").then((part) => part.CommandLine));

const icons: Record<string, IconName> = {
  approved: "check",
  rejected: "cross",
  responded: "reply",
  withdrawn: "undo",
};
const tones: Record<string, string> = { approved: "good", rejected: "bad", responded: "", withdrawn: "" };

/**
 * Gate at its place in the log. While it is open, the dock shows it. Afterwards, one line shows the decision,
 * the people who made it, and the time.
 */
export function GateRow({ session, gate, current }: { session: SessionId; gate: Gate; current: boolean }) {
  const lapsed = useSession(session, (state) => state.lapsed[gate.id]);
  const revision = useSession(session, (state) => state.revised[gate.id]);
  // A former participant cannot answer the gate, so the row does not look like a waiting one.
  const out = useSession(session, (state) => !!state.ended);
  return (
    <div
      className={current ? "gate-row current" : "gate-row"}
      ref={(element) => {
        if (current) element?.focus({ preventScroll: true });
      }}
      tabIndex={-1}
      data-gate={gate.id}
    >
      {gate.decision ? (
        <DecidedGate session={session} gate={gate} revision={revision} />
      ) : lapsed ? (
        <LapsedGate session={session} gate={gate} lapse={lapsed} />
      ) : (
        <p className={out ? "note" : "note waits"}>
          <Icon name="gate" size={14} />
          <WaitingGate session={session} gate={gate} out={out} />
        </p>
      )}
    </div>
  );
}

/** Hint that a decision is open. If several gates are open, each one names its subject. */
function WaitingGate({ session, gate, out }: { session: SessionId; gate: Gate; out: boolean }) {
  const texts = useTexts();
  const first = useSession(session, (state) => state.gates.find((one) => isOpen(state, one))?.id === gate.id);
  const several = useSession(session, (state) => {
    const { calls, run, team } = state;
    return openGates(state).length > 1 ? { calls, run, team } : null;
  });
  return (
    <>
      {first && <span>{out ? texts.gate.waited : texts.gate.waitsBelow}</span>}
      {several && <span className="note-more">{summarizeGate(gate, several, texts).detail}</span>}
    </>
  );
}

interface DecidedGateProps {
  session: SessionId;
  gate: Gate;
  revision: Revision | undefined;
}

function DecidedGate({ session, gate, revision }: DecidedGateProps) {
  const texts = useTexts();
  const format = useFormat();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const decision = gate.decision!;
  const comments = (gate.votes ?? []).filter((vote) => vote.comment);
  const deciders = deciderNames(gate, texts, people, format);
  return (
    <div className="gate-decided">
      <p className={`note ${tones[decision.outcome]}`}>
        <Icon name={icons[decision.outcome] ?? "gate"} size={14} />
        <strong>{outcomeText(gate, decision.outcome, texts)}</strong>
        <span>{texts.gate.by(format.list(deciders))}</span>
        {gate.rev > 1 && gate.subject && (
          <span className="note-more">
            {/* A proposed permission also counts as a revision. */}
            {gate.standing ? texts.work.plan.revision(gate.rev) : revisionText(revision, texts, people)}
          </span>
        )}
        {gate.command && <CommandLine session={session} gate={gate} command={gate.command} />}
        {gate.model && decision.outcome === "approved" && (
          <span className="note-more">{texts.work.chosenModel(escapeBidi(gate.model))}</span>
        )}
        <time className="when" dateTime={decision.at} title={format.full(decision.at)}>
          {format.timeOrDay(decision.at)}
        </time>
      </p>
      {comments.map((vote) => (
        <blockquote key={vote.by.id}>
          {vote.comment} {deciders.length > 1 && <cite>{actorName(vote.by, texts, people)}</cite>}
        </blockquote>
      ))}
    </div>
  );
}

/** Returns how a gate ended, in the wording of its kind. */
function outcomeText({ kind }: Gate, outcome: Outcome, texts: Texts): string {
  const special: Partial<Record<Outcome, string>> = kind === "feedback" ? {} : texts.work.outcomes[kind];
  return special[outcome] ?? texts.gate.outcomes[outcome];
}

/** Describes a revision of the subject, with the editor's name if the revision is known. */
function revisionText(revision: Revision | undefined, texts: Texts, people: ParticipantSource): string {
  const { plan } = texts.work;
  return revision ? plan.revisedBy(actorName(revision.by, texts, people)) : plan.revised;
}

/** Returns the names of the voters who made the decision. Feedback is decided by its author alone. */
function deciderNames(gate: Gate, texts: Texts, people: ParticipantSource, format: Format): string[] {
  const decidingChoice = { approved: "approve", rejected: "reject", responded: "", withdrawn: "" }[
    gate.decision!.outcome
  ];
  const voted = (gate.votes ?? [])
    .filter((vote) => vote.choice === decidingChoice)
    .map((vote) => {
      const delegators = (vote.on_behalf_of ?? []).map((id) => personName(people, id));
      const name = actorName(vote.by, texts, people);
      return delegators.length > 0 ? `${name} ${texts.votes.forPeople(format.list(delegators))}` : name;
    });
  return voted.length > 0 ? voted : [actorName(gate.decision!.by, texts, people)];
}

/** Gate that ended without a decision: the reason, the time, and the votes until then. */
function LapsedGate({ session, gate, lapse }: { session: SessionId; gate: Gate; lapse: Lapse }) {
  const texts = useTexts();
  const format = useFormat();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const cast = votes(gate);
  const allowed = useSession(session, (state) => !!gate.call && !!state.calls[gate.call]?.standing);
  const expired = lapse.outcome === "expired";
  // The tool that asked might have ended while the run continues. In that case, the answer is no longer
  // needed.
  const reason = expired
    ? texts.gate.expired
    : gate.kind === "question"
      ? texts.gate.unasked
      : allowed
        ? texts.standingPermissions.closed
        : gate.command
          ? texts.gate.dropped
          : texts.gate.closed;
  const voteTexts = cast.map(
    (vote) => `${actorName(vote.by, texts, people)} ${texts.gate.choices[vote.choice]}`,
  );
  return (
    <div className="gate-decided">
      <p className="note">
        <Icon name="hourglass" size={14} />
        <span>{reason}</span>
        {voteTexts.length > 0 && <span>{format.list(voteTexts)}</span>}
        {expired && voteTexts.length === 0 && <span>{texts.gate.nobodyVoted}</span>}
        {gate.rev > 1 && <span className="note-more">{texts.work.plan.revision(gate.rev)}</span>}
        {gate.command && <CommandLine session={session} gate={gate} command={gate.command} />}
        {lapse.at && (
          <time className="when" dateTime={lapse.at} title={format.full(lapse.at)}>
            {format.timeOrDay(lapse.at)}
          </time>
        )}
      </p>
      {cast
        .filter((vote) => vote.comment)
        .map((vote) => (
          <blockquote key={vote.by.id}>
            {vote.comment} {cast.length > 1 && <cite>{actorName(vote.by, texts, people)}</cite>}
          </blockquote>
        ))}
    </div>
  );
}
