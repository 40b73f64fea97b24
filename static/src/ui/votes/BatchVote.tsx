/** List of the calls that I can decide together, each with a checkbox. */
import "../../styles/voting.css";
import { useEffect, useId, useState } from "react";
import type { BatchedVote, Choice, Gate, GateId, SessionId } from "../../protocol";
import { pendingBatch } from "../../state/pendingVotes";
import { useClient, useLive, useSession } from "../../app/hooks";
import { removeUnsentApproval } from "../../app/unsentApprovals";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PendingApproval, useDelayedApproval } from "../gates/Approval";
import { summarizeGate } from "../gates/gateText";
import { BatchItem } from "./BatchItem";
import {
  isSelected,
  toggleGate,
  votesFor,
  isOutdated,
  withNewGates,
  type BatchSelection,
} from "./batchSelection";
import { useVoteFormTexts } from "../../i18n/voteForms.en";

interface Props {
  session: SessionId;
  /** Gates of calls that wait for my approval, at least two. */
  gates: Gate[];
  current: GateId | undefined;
  onChoose: (gate: GateId) => void;
}

export function BatchVote({ session, gates, current, onChoose }: Props) {
  const texts = useTexts();
  const { batch } = useVoteFormTexts();
  const client = useClient();
  const live = useLive();
  const id = useId();
  const known = useSession(session, ({ calls, run, team }) => ({ calls, run, team }));
  const pending = useSession(session, (state) =>
    gates.map((gate) => pendingBatch(state.pending, gate.id)).find((one) => one),
  );
  const [storedSelection, setSelection] = useState<BatchSelection>({});
  const selection = withNewGates(storedSelection, gates);
  useEffect(() => setSelection((old) => withNewGates(old, gates)), [gates]);
  const selected = gates.filter((gate) => isSelected(selection, gate));
  // A call that has changed since it was selected is not decided until it is selected again.
  const others = gates.filter((gate) => !isSelected(selection, gate) && !isOutdated(selection, gate));
  const canVote = live && !pending && selected.length > 0;
  // The gate at which a delayed approval is reported if it is not sent.
  const [reported, setReported] = useState(gates[0]!.id);
  const approvals = votesFor(selected, "approve");
  const allVotes = [...approvals, ...votesFor(others, "reject")];
  const send = (votes: BatchedVote[]) => client.voteBatch(session, votes);
  // The approval applies to the calls on screen: a changed call must be reviewed again.
  const delayProps = { session, gate: reported, reason: live ? "changed" : "offline" } as const;
  const approval = useDelayedApproval({
    ...delayProps,
    key: canVote ? JSON.stringify(approvals) : null,
    send: () => send(approvals),
  });
  const approvalAndRejection = useDelayedApproval({
    ...delayProps,
    key: canVote ? JSON.stringify(allVotes) : null,
    send: () => send(allVotes),
  });
  const delayed = approvalAndRejection.due === null ? approval : approvalAndRejection;
  const isIrreversible = selected.some(
    ({ risk, call }) => risk !== "low" && !(call && known.calls[call]?.idempotent),
  );
  const approve = (votes: BatchedVote[], startDelay: () => void) => {
    if (!isIrreversible) return send(votes);
    removeUnsentApproval({ session, gate: reported });
    setReported(selected[0]!.id);
    startDelay();
  };
  const summaryOf = (gate: Gate) => summarizeGate(gate, known, texts);
  const changed = gates.filter((gate) => isOutdated(selection, gate));
  const choices = new Set(
    (pending?.command.data?.votes as BatchedVote[] | undefined)?.map(({ choice }) => choice),
  );
  const isSent = (...expected: Choice[]) =>
    choices.size === expected.length && expected.every((choice) => choices.has(choice));
  return (
    <section className="batch" aria-labelledby={id} data-testid="batch">
      <h2 id={id}>{batch.title(gates.length)}</h2>
      {/* The list scrolls, but needs no tab stop, because its checkboxes are reachable with the keyboard. */}
      <ul>
        {gates.map((gate) => (
          <BatchItem
            key={gate.id}
            summary={summaryOf(gate)}
            risk={gate.risk}
            isSelected={isSelected(selection, gate)}
            changed={isOutdated(selection, gate)}
            shown={gate.id === current}
            disabled={!!pending || delayed.due !== null}
            onToggle={() => setSelection(toggleGate(selection, gate))}
            onShow={() => onChoose(gate.id)}
          />
        ))}
      </ul>
      <p className="hidden" role="status">
        {changed
          .map((gate) => batch.unticked(`${summaryOf(gate).title} ${summaryOf(gate).detail}`))
          .join(" ")}
      </p>
      <p className="hidden" role="status">
        {batch.ticked(selected.length, gates.length)}
      </p>
      {delayed.due !== null ? (
        <PendingApproval due={delayed.due} undo={delayed.undo} sendNow={delayed.sendNow} />
      ) : (
        <div className="batch-actions">
          <button
            type="button"
            className="primary"
            disabled={!canVote}
            onClick={(event) => event.detail < 2 && approve(approvals, approval.start)}
          >
            <Icon name="check" />
            {isSent("approve") ? batch.approving : batch.approve(selected.length, gates.length)}
          </button>
          {others.length > 0 && (
            <button
              type="button"
              disabled={!canVote}
              onClick={(event) => event.detail < 2 && approve(allVotes, approvalAndRejection.start)}
            >
              <Icon name="check" />
              {isSent("approve", "reject") ? batch.sending : batch.both(selected.length, others.length)}
            </button>
          )}
          <button
            type="button"
            className="danger"
            disabled={!canVote}
            onClick={(event) => event.detail < 2 && send(votesFor(selected, "reject"))}
          >
            <Icon name="cross" />
            {isSent("reject") ? batch.rejecting : batch.reject(selected.length)}
          </button>
        </div>
      )}
    </section>
  );
}
