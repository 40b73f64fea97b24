/** List of the calls that I can decide together, each with a checkbox. */
import "../../styles/voting.css";
import { useEffect, useId, useState } from "react";
import type { BatchedVote, Choice, Gate, GateId, SessionId } from "../../protocol";
import { pendingBatch } from "../../state/pendingVotes";
import { useClient, useLive, useSession } from "../../app/hooks";
import { removeUnsentApproval } from "../../app/unsentApprovals";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PendingApproval, useDelayedApproval } from "../gates/Approval";
import { summarizeGate } from "../gates/gateText";
import { BatchItem } from "./BatchItem";
import { isTicked, toggled, votesAt, wasUnticked, withNewGates, type Ticks } from "./batchTicks";
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
  // A call that changed since it was ticked is only decided after another look.
  const others = gates.filter((gate) => !isTicked(ticks, gate) && !wasUnticked(ticks, gate));
  const can = live && !pending && ticked.length > 0;
  // The gate under which a held approval is reported, if it is not sent.
  const [reported, setReported] = useState(gates[0]!.id);
  const one = votesAt(ticked, "approve");
  const both = [...one, ...votesAt(others, "reject")];
  const send = (votes: BatchedVote[]) => client.voteBatch(session, votes);
  // The approval applies to the calls on screen: a changed call must be reviewed again.
  const holding = { session, gate: reported, reason: live ? "changed" : "offline" } as const;
  const heldOne = useDelayedApproval({
    ...holding,
    key: can ? JSON.stringify(one) : null,
    send: () => send(one),
  });
  const heldBoth = useDelayedApproval({
    ...holding,
    key: can ? JSON.stringify(both) : null,
    send: () => send(both),
  });
  const held = heldBoth.due === null ? heldOne : heldBoth;
  const lasting = ticked.some(({ risk, call }) => risk !== "low" && !(call && known.calls[call]?.idempotent));
  const approve = (votes: BatchedVote[], hold: () => void) => {
    if (!lasting) return send(votes);
    removeUnsentApproval({ session, gate: reported });
    setReported(ticked[0]!.id);
    hold();
  };
  const named = (gate: Gate) => summarizeGate(gate, known, words);
  const changed = gates.filter((gate) => wasUnticked(ticks, gate));
  const choices = new Set(
    (pending?.command.data?.votes as BatchedVote[] | undefined)?.map(({ choice }) => choice),
  );
  const isSent = (...wanted: Choice[]) =>
    choices.size === wanted.length && wanted.every((choice) => choices.has(choice));
  return (
    <section className="batch" aria-labelledby={id} data-testid="batch">
      <h2 id={id}>{batch.title(gates.length)}</h2>
      {/* Scrollable, but its checkboxes are reachable with the keyboard. */}
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
      <p className="hidden" role="status">
        {batch.ticked(ticked.length, gates.length)}
      </p>
      {held.due !== null ? (
        <PendingApproval due={held.due} undo={held.undo} now={held.now} />
      ) : (
        <div className="batch-actions">
          <button
            type="button"
            className="primary"
            disabled={!can}
            onClick={(event) => event.detail < 2 && approve(one, heldOne.hold)}
          >
            <Icon name="check" />
            {isSent("approve") ? batch.approving : batch.approve(ticked.length, gates.length)}
          </button>
          {others.length > 0 && (
            <button
              type="button"
              disabled={!can}
              onClick={(event) => event.detail < 2 && approve(both, heldBoth.hold)}
            >
              <Icon name="check" />
              {isSent("approve", "reject") ? batch.sending : batch.both(ticked.length, others.length)}
            </button>
          )}
          <button
            type="button"
            className="danger"
            disabled={!can}
            onClick={(event) => event.detail < 2 && send(votesAt(ticked, "reject"))}
          >
            <Icon name="cross" />
            {isSent("reject") ? batch.rejecting : batch.reject(ticked.length)}
          </button>
        </div>
      )}
    </section>
  );
}
