/** Whom the feedback is for: one press puts the mention into the composer. */
import type { Gate, SessionId } from "../../protocol";
import { setDraft } from "../../app/drafts";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Avatar, emblemOf } from "../components/Avatar";
import { agentName, agentOf } from "../names";
import { focusComposer } from "../composer/focusComposer";

export function MentionButtons({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const team = useSession(session, (state) => state.team);
  const mention = (name: string) => {
    setDraft(session, (draft) => `@${name} ${draft.replace(/^[@＠]\S+\s*/, "")}`);
    focusComposer();
  };
  if (gate.agents.length === 0) return null;
  return (
    <div className="address" role="group" aria-label={words.gate.address}>
      <span>{words.gate.address}</span>
      <button type="button" className="chip" title={words.timeline.all} onClick={() => mention("all")}>
        @all
      </button>
      {gate.agents.map((id) => {
        const agent = agentOf({ team }, id);
        const name = agentName({ team }, id);
        return (
          <button key={id} type="button" className="chip" onClick={() => mention(name)}>
            <Avatar kind="agent" id={id} name={name} emblem={emblemOf(agent)} size="s" />@{name}
          </button>
        );
      })}
    </div>
  );
}
