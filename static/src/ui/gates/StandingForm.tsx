/** Approval of a call together with a standing permission, and the notice that one is proposed. */
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { SendState } from "../../app/drafts";
import { useClient, useLive, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { proposalText } from "../permissions/standingText";
import { PendingFormApproval, useDelayedApproval, useIsIrreversible } from "./Approval";
import { GateForm } from "./GateForm";
import { StandingFields } from "./StandingFields";
import { firstStandingDraft, hasInvalidUses, standingTerms } from "./standingDraft";

interface Props {
  session: SessionId;
  gate: Gate;
  sent: SendState;
  /** True if it is on screen, with the undo button of a held approval. */
  seen: boolean;
  onClose: () => void;
  /** Error of the last attempt. */
  children: ReactNode;
}

export function StandingForm({ session, gate, sent, seen, onClose, children }: Props) {
  const words = useWords();
  const client = useClient();
  const live = useLive();
  const [draft, setDraft] = useState(firstStandingDraft);
  const form = useRef<HTMLFormElement>(null);
  const can = live && !sent.busy && !hasInvalidUses(draft);
  const approve = () => {
    if (can) client.vote(session, gate, "approve", { standing: standingTerms(draft, Date.now()) });
  };
  const risky = useIsIrreversible(session, gate);
  // A change during the hold requires a new approval.
  const { due, hold, undo, now } = useDelayedApproval({
    session,
    gate: gate.id,
    key: can && seen ? `${gate.rev} ${JSON.stringify(draft)}` : null,
    reason: !live ? "offline" : seen ? "changed" : "left",
    send: approve,
  });
  useEffect(() => form.current?.querySelector<HTMLElement>("input:checked")?.focus(), []);
  return (
    <GateForm
      ref={form}
      className="standing"
      submit={due !== null ? null : sent.busy ? words.gate.approving : words.standing.allow}
      disabled={!can}
      onSubmit={risky ? hold : approve}
      onCancel={due === null ? onClose : undo}
    >
      <StandingFields draft={draft} onChange={setDraft} />
      {children}
      <PendingFormApproval approval={{ due, undo, now }} form={form} />
    </GateForm>
  );
}

/** Permission that is decided together with the call. */
export function ProposedPermission({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const format = useFormat();
  const tool = useSession(session, (state) => (gate.call ? state.calls[gate.call]?.name : undefined));
  if (!gate.standing || !tool) return null;
  return (
    <p className="dock-standing" data-testid="proposed-permission">
      <Icon name="key" size={14} /> <span>{proposalText(tool, gate.standing, words, format)}</span>
    </p>
  );
}
