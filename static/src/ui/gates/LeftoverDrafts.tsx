/** What I was writing when somebody else decided: the gate is gone, my words are not. */
import type { SessionId } from "../../protocol";
import { useGateDrafts, useGateDraft, wasEditedLast, type GateDraft } from "../../app/gateDrafts";
import { useSession } from "../../app/hooks";
import { openGates } from "../../state/selectors";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { endedGateText } from "./gateText";
import { RecoveredText } from "./RecoveredText";

export function LeftoverDrafts({ session }: { session: SessionId }) {
  const begun = useGateDrafts(session);
  const loaded = useSession(session, (state) => state.loaded);
  const open = useSession(session, (state) => openGates(state).map((gate) => gate.id));
  if (!loaded) return null;
  return begun
    .filter((one) => !open.includes(one.gate))
    .map((one) => <One key={`${one.gate} ${one.as}`} session={session} begun={one} />);
}

function One({ session, begun }: { session: SessionId; begun: GateDraft }) {
  const words = useWords();
  const [text, write] = useGateDraft(session, begun.gate, begun.as);
  const gate = useSession(session, (state) => state.gates.find((one) => one.id === begun.gate));
  const drop = () => write("");
  return (
    <section className="notice warn" aria-label={words.gate.yourWords} data-testid="unsaid">
      <Icon name="info" size={14} />
      <span>
        {endedGateText(gate, words)} {words.gate.stillYours}
      </span>
      <button type="button" className="small" onClick={drop}>
        {words.common.dismiss}
      </button>
      <RecoveredText
        session={session}
        text={text}
        onText={write}
        onSaid={drop}
        focused={wasEditedLast(begun.gate)}
      />
    </section>
  );
}
