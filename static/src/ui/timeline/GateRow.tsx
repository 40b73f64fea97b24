/** A gate in the timeline: one line that says how it ended. */
import type { Gate, Outcome, SessionId } from "../../protocol";
import type { Words } from "../../i18n/en";
import { openGates } from "../../state/gateSelectors";
import { isOpen, type Lapse } from "../../state/gates";
import type { Revision } from "../../state/model";
import { useSession } from "../../app/hooks";
import { useFormat, useWords, type Format } from "../../i18n/locale";
import { escapeBidi } from "../../text/hiddenCharacters";
import { summarizeGate, votes } from "../gates/gateText";
import { onDemand } from "../components/onDemand";
import { Icon, type IconName } from "../components/Icon";
import { type People, actorName, personName } from "../names";

const CommandLine = onDemand(() => import("../commands/CommandSubject").then((part) => part.CommandLine));

const icons: Record<string, IconName> = {
  approved: "check",
  rejected: "cross",
  responded: "reply",
  withdrawn: "undo",
};
const tones: Record<string, string> = { approved: "good", rejected: "bad", responded: "", withdrawn: "" };

/**
 * Gate at its place in the log. While it is open, the dock shows it; afterwards, one line shows who decided, what, and
 * when.
 */
export function GateRow({ session, gate, current }: { session: SessionId; gate: Gate; current: boolean }) {
  const lapsed = useSession(session, (state) => state.lapsed[gate.id]);
  const revision = useSession(session, (state) => state.revised[gate.id]);
  // A former participant does not see what it waits for.
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

/** Hint that a decision is open; with several gates, each names its own. */
function WaitingGate({ session, gate, out }: { session: SessionId; gate: Gate; out: boolean }) {
  const words = useWords();
  const first = useSession(session, (state) => state.gates.find((one) => isOpen(state, one))?.id === gate.id);
  const several = useSession(session, (state) => {
    const { calls, run, team } = state;
    return openGates(state).length > 1 ? { calls, run, team } : null;
  });
  return (
    <>
      {first && <span>{out ? words.gate.waited : words.gate.waitsBelow}</span>}
      {several && <span className="note-more">{summarizeGate(gate, several, words).detail}</span>}
    </>
  );
}

interface DecidedGateProps {
  session: SessionId;
  gate: Gate;
  revision: Revision | undefined;
}

function DecidedGate({ session, gate, revision }: DecidedGateProps) {
  const words = useWords();
  const format = useFormat();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const decision = gate.decision!;
  const comments = (gate.votes ?? []).filter((vote) => vote.comment);
  const deciders = voters(gate, words, people, format);
  return (
    <div className="gate-decided">
      <p className={`note ${tones[decision.outcome]}`}>
        <Icon name={icons[decision.outcome] ?? "gate"} size={14} />
        <strong>{outcomeText(gate, decision.outcome, words)}</strong>
        <span>{words.gate.by(format.list(deciders))}</span>
        {gate.rev > 1 && gate.subject && (
          <span className="note-more">
            {/* A proposed permission is a revision, too. */}
            {gate.standing ? words.work.plan.revision(gate.rev) : changed(revision, words, people)}
          </span>
        )}
        {gate.command && <CommandLine session={session} gate={gate} command={gate.command} />}
        {gate.model && decision.outcome === "approved" && (
          <span className="note-more">{words.work.chosenModel(escapeBidi(gate.model))}</span>
        )}
        <time className="when" dateTime={decision.at} title={format.full(decision.at)}>
          {format.brief(decision.at)}
        </time>
      </p>
      {comments.map((vote) => (
        <blockquote key={vote.by.id}>
          {vote.comment} {deciders.length > 1 && <cite>{actorName(vote.by, words, people)}</cite>}
        </blockquote>
      ))}
    </div>
  );
}

/** Returns how a gate ended, in the wording of its kind. */
function outcomeText({ kind }: Gate, outcome: Outcome, words: Words): string {
  const special: Partial<Record<Outcome, string>> = kind === "feedback" ? {} : words.work.outcomes[kind];
  return special[outcome] ?? words.gate.outcomes[outcome];
}

/** Note that people edited the subject, with their names if they were seen. */
function changed(revision: Revision | undefined, words: Words, people: People): string {
  const { plan } = words.work;
  return revision ? plan.revisedBy(actorName(revision.by, words, people)) : plan.revised;
}

/** Returns the voters who made the decision; feedback is decided by its author alone. */
function voters(gate: Gate, words: Words, people: People, format: Format): string[] {
  const wanted = { approved: "approve", rejected: "reject", responded: "", withdrawn: "" }[
    gate.decision!.outcome
  ];
  const voted = (gate.votes ?? [])
    .filter((vote) => vote.choice === wanted)
    .map((vote) => {
      const lent = (vote.on_behalf_of ?? []).map((id) => personName(people, id));
      const name = actorName(vote.by, words, people);
      return lent.length > 0 ? `${name} ${words.votes.forPeople(format.list(lent))}` : name;
    });
  return voted.length > 0 ? voted : [actorName(gate.decision!.by, words, people)];
}

/** Gate that ended without a decision: the reason, the time, and the votes until then. */
function LapsedGate({ session, gate, lapse }: { session: SessionId; gate: Gate; lapse: Lapse }) {
  const words = useWords();
  const format = useFormat();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const cast = votes(gate);
  const allowed = useSession(session, (state) => !!gate.call && !!state.calls[gate.call]?.standing);
  const expired = lapse.how === "expired";
  // The tool that asked may be gone while the run continues. In that case, nobody needs the answer.
  const why = expired
    ? words.gate.expired
    : gate.kind === "question"
      ? words.gate.unasked
      : allowed
        ? words.standing.closed
        : gate.command
          ? words.gate.dropped
          : words.gate.closed;
  const said = cast.map((vote) => `${actorName(vote.by, words, people)} ${words.gate.choices[vote.choice]}`);
  return (
    <div className="gate-decided">
      <p className="note">
        <Icon name="hourglass" size={14} />
        <span>{why}</span>
        {said.length > 0 && <span>{format.list(said)}</span>}
        {expired && said.length === 0 && <span>{words.gate.nobodyVoted}</span>}
        {gate.rev > 1 && <span className="note-more">{words.work.plan.revision(gate.rev)}</span>}
        {gate.command && <CommandLine session={session} gate={gate} command={gate.command} />}
        {lapse.at && (
          <time className="when" dateTime={lapse.at} title={format.full(lapse.at)}>
            {format.brief(lapse.at)}
          </time>
        )}
      </p>
      {cast
        .filter((vote) => vote.comment)
        .map((vote) => (
          <blockquote key={vote.by.id}>
            {vote.comment} {cast.length > 1 && <cite>{actorName(vote.by, words, people)}</cite>}
          </blockquote>
        ))}
    </div>
  );
}
