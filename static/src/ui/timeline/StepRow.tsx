/** The heading of a step: who works, at what, and how it stands. It stays on top while its text is read. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Avatar, emblemOf, plainTitle } from "../components/Avatar";
import { agentName, agentOf } from "../names";
import { StreamingStatus } from "./StreamingStatus";

export function StepRow({
  session,
  agents,
  message,
}: {
  session: SessionId;
  agents: string[];
  message: string;
}) {
  const words = useWords();
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
          return <Avatar key={id} kind="agent" id={id} name={agent?.name ?? id} emblem={emblemOf(agent)} />;
        })}
      </span>
      <span className="message-name">{format.list(agents.map((id) => agentName({ team }, id)))}</span>
      {agents.length === 1 && (
        <span className="message-title">{plainTitle(first) || (first && words.work.roles[first.role])}</span>
      )}
      <span className="spring" />
      {writing ? (
        <StreamingStatus item={writing} />
      ) : (
        at && (
          <time className="when" dateTime={at} title={format.full(at)}>
            {format.brief(at)}
          </time>
        )
      )}
    </h2>
  );
}
