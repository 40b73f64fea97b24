/** Timing of a gate: its escalation steps, and how it ends if nobody decides it. */
import type { Gate, SessionId } from "../../protocol";
import { useMe, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { delegationOf } from "../../state/delegation";
import { hasVoted } from "../../state/gateSelectors";
import { isRepresented } from "../../state/voters";
import { Icon } from "../components/Icon";
import { personName } from "../names";
import { quorumText } from "../gates/gateText";

export function GateTimes({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts();
  const format = useFormat();
  const escalated = useSession(session, ({ notes }) =>
    notes.some(({ frame }) => frame.event === "gate.escalated" && frame.data.gate === gate.id),
  );
  const { at, undecided } = texts.votes;
  const { deadline, at_deadline: outcome, escalations = [] } = gate;
  const ends = outcome === "approved" ? undecided.approved : undecided[expiryOf(gate)];
  return (
    <>
      {escalated && (
        <p className="dock-missing" data-testid="escalated">
          <Icon name="up" size={14} /> {texts.votes.escalated(quorumText(gate.quorum, texts))}
        </p>
      )}
      {(escalations.length > 0 || deadline) && (
        <ul className="dock-hints" data-testid="times">
          {escalations.map((step) => (
            <li key={step.at}>{at(format.preciseOrMinute(step.at), quorumText(step.quorum, texts))}</li>
          ))}
          {deadline && <li>{ends(format.timeOrMinute(deadline))}</li>}
        </ul>
      )}
      <RepresentedNotice session={session} gate={gate} />
    </>
  );
}

/** Returns the kind of work that is affected if nobody decides the gate. */
function expiryOf({ kind, call, origin }: Gate): "call" | "question" | "command" | "budget" | "run" {
  if (kind === "command" || kind === "budget") return kind;
  if (!call) return "run";
  // A tool that asks people a question during its call continues without an answer.
  return origin ? "question" : "call";
}

/** Notice that another participant votes on my behalf at this gate. */
function RepresentedNotice({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts().votes;
  const me = useMe();
  const by = useSession(session, (state) => {
    if (hasVoted(gate, me) || !isRepresented(gate, state, me)) return null;
    const to = delegationOf(
      state.participants.find((member) => member.id === me),
      Date.now(),
    )?.to;
    return to ? personName(state, to) : null;
  });
  return by && <p className="tally">{texts.represented(by)}</p>;
}
