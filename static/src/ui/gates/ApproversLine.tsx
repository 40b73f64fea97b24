/** People who can approve or answer at a gate and are present now; if there are none, the people to ask. */
import type { Gate, SessionId } from "../../protocol";
import { approversOf } from "../../state/approvers";
import { useMe, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { distinctName, personName } from "../names";
import { needsSeveral } from "./gateText";

/** Maximum number of names in a line. */
const MAX_NAMES = 5;

export function ApproversLine({ session, gate }: { session: SessionId; gate: Gate }) {
  const { approval, gate: gateTexts, manage, panel, votes, work } = useTexts();
  const texts = gate.kind === "question" ? work.gates.question : approval;
  const format = useFormat();
  const me = useMe();
  const participants = useSession(session, (state) => state.participants);
  const formerParticipants = useSession(session, (state) => state.formerParticipants);
  const run = useSession(session, (state) => state.run);
  const settings = useSession(session, (state) => state.settings);
  const presence = useSession(session, (state) => state.presence);
  const approvers = approversOf(gate, { participants, run, settings }, presence);
  if (approvers.kind === "too_few") {
    const { eligible, needed } = approvers;
    const tooFewText = approvers.weighted ? votes.tooLight : approval.tooFew;
    return <Missing>{eligible === 0 ? texts.nobody : tooFewText(eligible, needed)}</Missing>;
  }
  const { kind, people } = approvers;
  const known = { participants, formerParticipants };
  const nameOf = ({ member, onBehalfOf, isPresent }: (typeof people)[number]) => {
    const delegators = format.list(onBehalfOf.map((id) => personName(known, id)));
    const isMe = member.id === me;
    const marks = [
      delegators && votes.forPeople(delegators),
      !isMe && kind !== "away" && isPresent !== undefined && (isPresent ? panel.here : panel.away),
    ].filter((mark): mark is string => !!mark);
    const name = isMe ? gateTexts.youToo : distinctName(known, member.id, member.name);
    return marks.length > 0 ? manage.marked(name, marks) : name;
  };
  const names = people.slice(0, MAX_NAMES).map(nameOf);
  const over = people.length - names.length;
  const all = over > 0 ? [...names, approval.more(over)] : names;
  if (kind === "away") return <Missing>{texts.nobodyHere(format.either(all))}</Missing>;
  if (needsSeveral(gate) && people.length > 0)
    return (
      <p className="tally" data-testid="missing">
        {gateTexts.missing(format.list(all))}
      </p>
    );
  // If only I can approve, the line is redundant, because my buttons are shown.
  if (people.every((one) => one.member.id === me)) return null;
  return (
    <p className="tally" data-testid="approvers">
      {texts.may(format.list(all))}
    </p>
  );
}

function Missing({ children }: { children: string }) {
  return (
    <p className="dock-missing" role="status" data-testid="approvers">
      <Icon name="warning" size={14} /> {children}
    </p>
  );
}
