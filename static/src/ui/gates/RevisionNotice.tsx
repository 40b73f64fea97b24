/** Somebody changed what is decided on while I looked at it: who, and what. */
import type { Gate, SessionId } from "../../protocol";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { agentName } from "../names";
import { Icon } from "../components/Icon";
import { actorName } from "../components/actorName";
import { ArgumentsDiff } from "./ArgumentsDiff";
import { TextDiff } from "./TextDiff";
import { planText } from "./planText";

interface Props {
  session: SessionId;
  gate: Gate;
}

export function RevisionNotice({ session, gate }: Props) {
  const words = useWords();
  const { gates } = words.work;
  const me = useMe();
  const people = useSession(session, ({ participants, former }) => ({ participants, former }));
  const revision = useSession(session, (state) => state.revised[gate.id]);
  if (!revision || revision.by.id === me) return null;
  return (
    <div className="dock-revised" data-testid="revised">
      <Icon name="pencil" size={14} /> <span>{gates.revised(actorName(revision.by, words, people))}</span>
      <details>
        <summary>{gates.whatChanged}</summary>
        <Difference session={session} gate={gate} />
      </details>
    </div>
  );
}

function Difference({ session, gate }: Props) {
  const team = useSession(session, (state) => state.team);
  const before = useSession(session, (state) => state.revised[gate.id]?.before);
  const call = useSession(session, (state) => (gate.call ? state.calls[gate.call] : undefined));
  const plan = useSession(session, (state) => state.run?.plan);
  if (call && before?.arguments !== undefined)
    return <ArgumentsDiff tool={call.name} before={before.arguments} after={call.arguments} />;
  const name = (id: string) => agentName({ team }, id);
  return plan && before?.plan ? (
    <TextDiff before={planText(before.plan.steps, name)} after={planText(plan.steps, name)} />
  ) : null;
}
