/** Parts of one step of the plan that are done at the same time, each in a column of its own. */
import type { SessionId } from "../../protocol";
import type { PartColumn } from "../../state/parallelParts";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Avatar, emblemOf } from "../components/Avatar";
import { Icon } from "../components/Icon";
import { agentName, agentOf } from "../names";
import { MessageBody } from "./MessageBody";
import { StreamingStatus } from "./StreamingStatus";

interface Props {
  session: SessionId;
  number: number;
  columns: PartColumn[];
}

export function ParallelRow({ session, number, columns }: Props) {
  const { plan } = useWords().work;
  return (
    <section className="side" aria-label={`${plan.step(number)}: ${plan.parts(columns.length)}`}>
      <h2 className="side-head">
        <Icon name="columns" size={14} /> {plan.step(number)}
        <span className="soft">{plan.parts(columns.length)}</span>
      </h2>
      <div className="side-columns">
        {columns.map((column) => (
          <ColumnView key={column.part} session={session} column={column} />
        ))}
      </div>
    </section>
  );
}

function ColumnView({ session, column }: { session: SessionId; column: PartColumn }) {
  const { plan } = useWords().work;
  const team = useSession(session, (state) => state.team);
  const last = column.items.at(-1)!;
  const writing = useSession(session, (state) => state.streaming[last.id]);
  const agent = agentOf({ team }, column.agent);
  const name = agentName({ team }, column.agent);
  return (
    <article
      className="side-column"
      aria-label={`${plan.part(column.part + 1)}, ${name}`}
      aria-busy={!last.message}
    >
      <header className="message-head">
        <Avatar kind="agent" id={column.agent} name={name} emblem={emblemOf(agent)} size="s" />
        <span className="message-name">{name}</span>
        <span className="message-title">{plan.part(column.part + 1)}</span>
        <span className="spring" />
        {writing && <StreamingStatus item={writing} />}
      </header>
      {column.items.map((item) => (
        <div key={item.id} data-message={item.id}>
          <MessageBody session={session} id={item.id} message={item.message} />
        </div>
      ))}
    </article>
  );
}
