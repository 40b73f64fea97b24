/** Work of one node: its agents with their messages, time and cost. */
import type { SessionId } from "../../protocol";
import { useCostFormat } from "../../app/hooks";
import { navigate } from "../../app/route";
import { scrollToRow } from "../../app/viewState";
import { useFormat } from "../../i18n/locale";
import { GLOBAL_ID, type LiveAgent, type LiveNode, type WorkTotals } from "../../state/nodeWork";
import { Avatar } from "../components/Avatar";
import { IconButton } from "../components/Icon";
import { Markdown } from "../markdown/Markdown";
import { NodeStateIcon } from "./NodeStateIcon";
import { useTeamsTexts } from "../../i18n/teams.en";

/** Maximum number of an agent's messages that are shown here; the conversation has all of them. */
const MAX_MESSAGES = 5;

interface Props {
  session: SessionId;
  node: LiveNode;
  onClose: () => void;
}

export function NodeDetails({ session, node, onClose }: Props) {
  const texts = useTeamsTexts();
  const name = node.id === GLOBAL_ID ? texts.parts.supervisor : node.name;
  return (
    <aside className="editor-side node-details" aria-label={texts.live.detailsOf(name)}>
      <header className="node-details-head">
        <h2>{name}</h2>
        <IconButton icon="cross" label={texts.live.close} onClick={onClose} />
      </header>
      <p className="base-facts">
        <NodeStateIcon state={node.state} />
        <Metrics work={node} />
      </p>
      {node.note && <p className="soft">{node.note}</p>}
      {node.agents.map((one) => (
        <AgentWork key={one.agent.id} session={session} work={one} />
      ))}
    </aside>
  );
}

function Metrics({ work }: { work: WorkTotals }) {
  const texts = useTeamsTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  return (
    <>
      {work.durationMs !== null && <span>{format.duration(work.durationMs)}</span>}
      {work.cost > 0 && (
        <span>
          {work.estimated && "≈"}
          {formatCost(work.cost)}
        </span>
      )}
      {work.tokens > 0 && <span>{texts.executions.tokens(format.compact(work.tokens))}</span>}
    </>
  );
}

function AgentWork({ session, work }: { session: SessionId; work: LiveAgent }) {
  const texts = useTeamsTexts().live;
  const format = useFormat();
  const { agent, messages, streaming, supervisor } = work;
  const shown = messages.slice(-MAX_MESSAGES);
  return (
    <section className="agent-work" data-agent={agent.id}>
      <h3>
        <Avatar kind="agent" id={agent.id} name={agent.name} size="s" /> {agent.name}
        {supervisor && <span className="tag">{texts.supervisor}</span>}
      </h3>
      <p className="base-facts">
        <Metrics work={work} />
        {messages.length === 0 && !streaming && <span>{texts.messages(0)}</span>}
        {messages.length > shown.length && <span>{texts.newest(shown.length, messages.length)}</span>}
      </p>
      {shown.map((message) => (
        <article key={message.id} className="agent-message">
          <p className="base-facts">
            <time dateTime={message.at}>{format.preciseOrMinute(message.at)}</time>
            <button
              type="button"
              className="text"
              onClick={() => {
                navigate(`/s/${session}`);
                scrollToRow({ session, row: message.id });
              }}
            >
              {texts.show}
            </button>
          </p>
          <Markdown text={message.text} />
        </article>
      ))}
      {streaming && (
        <article className="agent-message">
          <p className="base-facts">{texts.writing}</p>
          <Markdown text={streaming.text || (streaming.before ?? "")} growing />
        </article>
      )}
    </section>
  );
}
