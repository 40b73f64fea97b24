/** List of the calls that I can decide on at once, each with a tick. */
import "../../styles/voting.css";
import { useEffect, useId, useState } from "react";
import type { Gate, GateId, SessionId } from "../../protocol";
import { pendingBatch } from "../../state/pendingVotes";
import { useClient, useLive, useSession } from "../../app/hooks";
import { removeUnsentApproval } from "../../app/unsentApprovals";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PendingApproval, useDelayedApproval } from "../gates/Approval";
import { summarizeGate } from "../gates/gateText";
import { BatchItem } from "./BatchItem";
import { isTicked, toggled, wasUnticked, withNewGates, type Ticks } from "./batchTicks";
import { useVotingWords } from "./words";

interface Props {
  session: SessionId;
  /** Gates of calls that wait for my approval, at least two. */
  gates: Gate[];
  current: GateId | undefined;
  onChoose: (gate: GateId) => void;
}

export function BatchVote({ session, gates, current, onChoose }: Props) {
  const words = useWords();
  const { batch } = useVotingWords();
  const client = useClient();
  const live = useLive();
  const id = useId();
  const known = useSession(session, ({ calls, run, team }) => ({ calls, run, team }));
  const pending = useSession(session, (state) =>
    gates.map((gate) => pendingBatch(state.pending, gate.id)).find((one) => one),
  );
  const [kept, setTicks] = useState<Ticks>({});
  const ticks = withNewGates(kept, gates);
  useEffect(() => setTicks((old) => withNewGates(old, gates)), [gates]);
  const ticked = gates.filter((gate) => isTicked(ticks, gate));
  const can = live && !pending && ticked.length > 0;
  // The gate under which a held approval is reported, if it is not sent.
  const [reported, setReported] = useState(gates[0]!.id);
  const vote = (choice: "approve" | "reject") => client.voteBatch(session, ticked, choice);
  const held = useDelayedApproval({
    session,
    gate: reported,
    // The approval is for the calls on screen: a changed one must be looked at again.
    key: can ? ticked.map((gate) => `${gate.id} ${gate.rev}`).join() : null,
    reason: live ? "changed" : "offline",
    send: () => vote("approve"),
  });
  const lasting = ticked.some(({ risk, call }) => risk !== "low" && !(call && known.calls[call]?.idempotent));
  const approve = () => {
    if (!lasting) return vote("approve");
    removeUnsentApproval({ session, gate: reported });
    setReported(ticked[0]!.id);
    held.hold();
  };
  const named = (gate: Gate) => summarizeGate(gate, known, words);
  const changed = gates.filter((gate) => wasUnticked(ticks, gate));
  const choice = pending?.command.data?.choice;
  return (
    <section className="batch" aria-labelledby={id} data-testid="batch">
      <h2 id={id}>{batch.title(gates.length)}</h2>
      {/* It scrolls, and its ticks are reached with the keyboard. */}
      <ul>
        {gates.map((gate) => (
          <BatchItem
            key={gate.id}
            summary={named(gate)}
            risk={gate.risk}
            ticked={isTicked(ticks, gate)}
            changed={wasUnticked(ticks, gate)}
            shown={gate.id === current}
            disabled={!!pending || held.due !== null}
            onTick={() => setTicks(toggled(ticks, gate))}
            onShow={() => onChoose(gate.id)}
          />
        ))}
      </ul>
      <p className="hidden" role="status">
        {changed.map((gate) => batch.unticked(`${named(gate).what} ${named(gate).detail}`)).join(" ")}
      </p>
      {held.due !== null ? (
        <PendingApproval due={held.due} undo={held.undo} now={held.now} />
      ) : (
        <div className="batch-actions">
          <button
            type="button"
            className="primary"
            disabled={!can}
            onClick={(event) => event.detail < 2 && approve()}
          >
            <Icon name="check" />
            {choice === "approve" ? batch.approving : batch.approve(ticked.length, gates.length)}
          </button>
          <button
            type="button"
            className="danger"
            disabled={!can}
            onClick={(event) => event.detail < 2 && vote("reject")}
          >
            <Icon name="cross" />
            {choice === "reject" ? batch.rejecting : batch.reject(ticked.length)}
          </button>
        </div>
      )}
    </section>
  );
}
