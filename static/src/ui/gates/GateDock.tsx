/** Open gates above the composer: the selected one, and tabs for the others. */
import { useRef, useState } from "react";
import type { Gate, GateId, SessionId } from "../../protocol";
import { batchGates, needsMyVote, openGates } from "../../state/gateSelectors";
import { failedVotes } from "../../state/pendingVotes";
import { useMe, useMedia, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { onDemand } from "../components/onDemand";
import { summarizeGate, iconOf } from "./gateText";
import { GateCard } from "./GateCard";
import { LateVotes, LeftoverDrafts } from "./RecoveredText";
import { UnsentApprovals } from "./Approval";

const BatchVote = onDemand(() => import("../votes/BatchVote").then((part) => part.BatchVote));
const VoteErrors = onDemand(() => import("../votes/VoteErrors").then((part) => part.VoteErrors));

/** Gate that is selected in the dock. */
interface SelectedGate {
  id?: GateId;
  /** True if no gate was selected before it; otherwise it replaced one automatically. */
  first: boolean;
}

export function GateDock({ session }: { session: SessionId }) {
  const me = useMe();
  const active = useSession(session, (state) => !state.closed);
  const gates = useSession(session, openGates);
  const needs = useSession(session, (state) =>
    openGates(state)
      .filter((gate) => needsMyVote(state, gate, me))
      .map((gate) => gate.id),
  );
  const batch = useSession(session, (state) => batchGates(state, me));
  const hasVoteErrors = useSession(session, (state) => failedVotes(state).length > 0);
  const [chosen, setChosen] = useState<GateId | null>(null);
  const { id, first } = useCurrent(gates, needs, chosen);
  // On a phone, a list and a card would leave no room for the conversation, so a call in the list is only
  // shown when it is selected.
  const narrow = useMedia("(max-width: 759px)");
  const isHidden = narrow && id !== chosen && batch.some((gate) => gate.id === id);
  const current = isHidden ? undefined : id;
  return (
    <>
      <LateVotes session={session} />
      <UnsentApprovals session={session} />
      <LeftoverDrafts session={session} />
      {hasVoteErrors && <VoteErrors session={session} />}
      {active && gates.length > 1 && (
        <OtherGates
          session={session}
          gates={gates}
          batched={batch.map((gate) => gate.id)}
          needs={needs}
          current={current}
          onChoose={setChosen}
        />
      )}
      {active && batch.length > 0 && (
        <BatchVote
          session={session}
          gates={batch}
          current={current}
          onChoose={(gate) => setChosen(narrow && gate === chosen ? null : gate)}
        />
      )}
      {active &&
        // All cards stay mounted, so that drafts are not lost when another one is selected.
        gates.map((gate) => (
          <GateCard
            key={gate.id}
            session={session}
            gate={gate}
            shown={gate.id === current}
            replaces={!first && gate.id !== chosen}
          />
        ))}
    </>
  );
}

/**
 * Returns the selected gate: the one that I chose, otherwise the current one as long as it needs my vote, so
 * that nothing moves under the cursor.
 */
function useCurrent(gates: Gate[], needs: GateId[], chosen: GateId | null): SelectedGate {
  const shown = useRef<SelectedGate>({ first: true });
  const { id: before } = shown.current;
  const id = gates.some((gate) => gate.id === chosen) ? chosen! : (needs[0] ?? gates[0]?.id);
  const stays = before && before !== chosen && needs.includes(before) && id !== chosen;
  if (!stays && id !== before) shown.current = { id, first: !before };
  return shown.current;
}

interface OtherGatesProps {
  session: SessionId;
  gates: Gate[];
  /** Gates that are in the list below. */
  batched: GateId[];
  needs: GateId[];
  current: GateId | undefined;
  onChoose: (gate: GateId) => void;
}

function OtherGates({ session, gates, batched, needs, current, onChoose }: OtherGatesProps) {
  const texts = useTexts();
  const known = useSession(session, ({ calls, run, team }) => ({ calls, run, team }));
  return (
    <div className="gates" role="group" aria-label={texts.work.gates.several(gates.length)}>
      <span className="soft">{texts.work.gates.several(gates.length)}</span>
      {gates.map((gate) => {
        if (batched.includes(gate.id)) return null;
        const { title, detail, fullText } = summarizeGate(gate, known, texts);
        return (
          <button
            key={gate.id}
            type="button"
            className={needs.includes(gate.id) ? "gate-chip needs" : "gate-chip"}
            aria-pressed={gate.id === current}
            title={fullText}
            onClick={() => onChoose(gate.id)}
          >
            <Icon name={iconOf(gate)} size={14} />
            <span className="gate-chip-words">
              <small>{title}</small>
              <span>{detail}</span>
            </span>
          </button>
        );
      })}
    </div>
  );
}
