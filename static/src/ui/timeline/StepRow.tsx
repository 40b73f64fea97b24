/** A step in the timeline: its heading, and the parallel parts of a plan item side by side. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { Avatar, emblemOf, plainTitle } from "../components/Avatar";
import { agentName, agentOf } from "../names";
import { StreamingStatus, MessageBody } from "./MessageBody";
import type { PartColumn } from "../../state/parallelParts";
import { Icon } from "../components/Icon";

/**
 * Heading of a step: its agents, its action, and its status. It stays at the top while the step is on screen.
 */
export function StepRow({
  session,
  agents,
  message,
}: {
  session: SessionId;
  agents: string[];
  message: string;
}) {
  const texts = useTexts();
  const format = useFormat();
  const team = useSession(session, (state) => state.team);
  const writing = useSession(session, (state) => state.streaming[message]);
  const at = useSession(session, (state) => state.messages.findLast((one) => one.id === message)?.at);
  const first = agentOf({ team }, agents[0] ?? "");
  return (
    <h2 className="step" data-step={message}>
      <span className="step-faces">
        {agents.map((id) => {
          const agent = agentOf({ team }, id);
          return <Avatar key={id} kind="agent" id={id} name={agent?.name ?? id} icon={emblemOf(agent)} />;
        })}
      </span>
      <span className="message-name">{format.list(agents.map((id) => agentName({ team }, id)))}</span>
      {agents.length === 1 && (
        <span className="message-title">{plainTitle(first) || (first && texts.work.roles[first.role])}</span>
      )}
      <span className="spring" />
      {writing ? (
        <StreamingStatus running={writing} />
      ) : (
        at && (
          <time className="when" dateTime={at} title={format.full(at)}>
            {format.timeOrDay(at)}
          </time>
        )
      )}
    </h2>
  );
}

interface Props {
  session: SessionId;
  number: number;
  columns: PartColumn[];
}

/** Parallel parts of one plan item, each in its own column. */
export function ParallelRow({ session, number, columns }: Props) {
  const { common, work } = useTexts();
  const { plan } = work;
  return (
    <section className="side" aria-label={plan.item(number) + common.colon + plan.parts(columns.length)}>
      <h2 className="side-head">
        <Icon name="columns" size={14} /> {plan.item(number)}
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
  const { common, work } = useTexts();
  const { plan } = work;
  const team = useSession(session, (state) => state.team);
  const last = column.messages.at(-1)!;
  const writing = useSession(session, (state) => state.streaming[last.id]);
  const agent = agentOf({ team }, column.agent);
  const name = agentName({ team }, column.agent);
  return (
    <article
      className="side-column"
      aria-label={plan.part(column.part + 1) + common.comma + name}
      aria-busy={!last.message}
    >
      <header className="message-head">
        <Avatar kind="agent" id={column.agent} name={name} icon={emblemOf(agent)} size="s" />
        <span className="message-name">{name}</span>
        <span className="message-title">{plan.part(column.part + 1)}</span>
        <span className="spring" />
        {writing && <StreamingStatus running={writing} />}
      </header>
      {column.messages.map(({ id, message }) => (
        <div key={id} data-message={id}>
          <MessageBody session={session} id={id} message={message} />
        </div>
      ))}
    </article>
  );
}
