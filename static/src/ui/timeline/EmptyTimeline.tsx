/** What a session without a word says. */
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/selectors";
import { useDraft } from "../../app/drafts";
import { useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { Avatar, emblemOf } from "../components/Avatar";
import { Starters } from "../components/Starters";

export function EmptyTimeline({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const agents = useSession(session, (state) => state.team?.agents ?? null) ?? [];
  const starters = useSession(session, (state) => state.team?.starters ?? null) ?? [];
  const speaks = useSession(session, (state) => hasRight(state, "say"));
  const [, setDraft] = useDraft(session);
  const first = agents.filter((agent) => agent.role !== "optimizer");
  return (
    <div className="empty">
      <div className="empty-faces">
        {agents.map((agent) => (
          <Avatar key={agent.id} kind="agent" id={agent.id} name={agent.name} emblem={emblemOf(agent)} />
        ))}
      </div>
      <h2>{words.timeline.emptyTitle}</h2>
      <p>{words.timeline.empty(format.list(first.map((agent) => agent.name)))}</p>
      {speaks && (
        <Starters
          starters={starters}
          onPick={(text) => {
            setDraft(text);
            focusComposer();
          }}
        />
      )}
    </div>
  );
}
