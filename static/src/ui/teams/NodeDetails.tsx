/** Work of one node, or of one of its agents: messages, time and cost. */
import type { SessionId } from "../../protocol";
import { useCostFormat } from "../../app/hooks";
import { navigate } from "../../app/route";
import { scrollToRow } from "../../app/viewState";
import { useFormat } from "../../i18n/locale";
import { GLOBAL_ID, type LiveAgent, type LiveNode, type WorkTotals } from "../../state/nodeWork";
import { Avatar } from "../components/Avatar";
import { Icon, IconButton } from "../components/Icon";
import { Markdown } from "../markdown/Markdown";
import { agentKey } from "./liveViews";
import { NodeStateIcon } from "./NodeStateIcon";
import { useTeamsTexts } from "../../i18n/teams.en";

/** Maximum number of messages that are shown per agent of a node. The conversation has all of them. */
const MAX_MESSAGES = 5;
/** Maximum number of messages that are shown for a single agent. */
const MAX_MESSAGES_OF_ONE = 50;

interface Props {
  session: SessionId;
  node: LiveNode;
  /** The agent to show; null for the whole node. */
  agent: LiveAgent | null;
  /** Selects a node or an agent by its key. */
  onSelect: (key: string) => void;
  onClose: () => void;
}

export function NodeDetails({ session, node, agent, onSelect, onClose }: Props) {
  const texts = useTeamsTexts();
  const nodeName = node.id === GLOBAL_ID ? texts.parts.supervisor : node.name;
  const name = agent?.agent.name ?? nodeName;
  return (
    <aside className="editor-side node-details" aria-label={texts.live.detailsOf(name)}>
      <header className="node-details-head">
        <h2>{name}</h2>
        <IconButton icon="cross" label={texts.live.close} onClick={onClose} />
      </header>
      {agent ? (
        <>
          <button type="button" className="quiet" onClick={() => onSelect(node.id)}>
            <Icon name="back" size={14} /> {texts.live.allOf(nodeName)}
          </button>
          <section className="agent-work alone" data-agent={agent.agent.id}>
            <p className="base-facts">
              <NodeStateIcon state={agent.state} />
              {agent.supervisor && <span className="tag">{texts.live.supervisor}</span>}
              {agent.agent.model && <span>{agent.agent.model}</span>}
            </p>
            <Work session={session} work={agent} max={MAX_MESSAGES_OF_ONE} />
          </section>
        </>
      ) : (
        <>
          <p className="base-facts">
            <NodeStateIcon state={node.state} />
            <Metrics work={node} />
          </p>
          {node.note && <p className="soft">{node.note}</p>}
          {node.agents.map((one) => (
            <section key={one.agent.id} className="agent-work" data-agent={one.agent.id}>
              <h3>
                <Avatar kind="agent" id={one.agent.id} name={one.agent.name} size="s" />
                <button type="button" className="text" onClick={() => onSelect(agentKey(node, one))}>
                  {one.agent.name}
                </button>
                {one.supervisor && <span className="tag">{texts.live.supervisor}</span>}
                <NodeStateIcon state={one.state} />
              </h3>
              <Work session={session} work={one} max={MAX_MESSAGES} />
            </section>
          ))}
        </>
      )}
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

interface WorkProps {
  session: SessionId;
  work: LiveAgent;
  /** Maximum number of messages that are shown. */
  max: number;
}

/** Time, cost and messages of an agent. */
function Work({ session, work, max }: WorkProps) {
  const texts = useTeamsTexts().live;
  const format = useFormat();
  const { messages, streaming } = work;
  const shown = messages.slice(-max);
  return (
    <>
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
    </>
  );
}
