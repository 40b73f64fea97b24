/** Approval of a call together with a standing permission, and the notice that one is proposed. */
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { SendState } from "../../app/drafts";
import { useClient, useLive, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { proposalText } from "../permissions/permissionText";
import { PendingFormApproval, useDelayedApproval, useIsIrreversible } from "./Approval";
import { GateForm } from "./GateForm";
import { StandingFields, useIsValidDraft } from "./StandingFields";
import { firstStandingDraft, standingTerms } from "./standingDraft";

interface Props {
  session: SessionId;
  gate: Gate;
  sendState: SendState;
  /** True if the form and the undo button of a delayed approval are on screen. */
  isVisible: boolean;
  onClose: () => void;
  /** Error of the last attempt. */
  children: ReactNode;
}

export function StandingForm({ session, gate, sendState, isVisible, onClose, children }: Props) {
  const texts = useTexts();
  const client = useClient();
  const live = useLive();
  const [draft, setDraft] = useState(firstStandingDraft);
  const form = useRef<HTMLFormElement>(null);
  const valid = useIsValidDraft(draft);
  const can = live && !sendState.busy && valid;
  const approve = () => {
    if (can) client.vote(session, gate, "approve", { standing: standingTerms(draft, Date.now()) });
  };
  const risky = useIsIrreversible(session, gate);
  // A change during the delay requires a new approval.
  const { due, start, undo, sendNow } = useDelayedApproval({
    session,
    gate: gate.id,
    key: can && isVisible ? `${gate.rev} ${JSON.stringify(draft)}` : null,
    reason: !live ? "offline" : isVisible ? "changed" : "left",
    send: approve,
  });
  useEffect(() => form.current?.querySelector<HTMLElement>("input:checked")?.focus(), []);
  return (
    <GateForm
      ref={form}
      className="standing"
      submit={due !== null ? null : sendState.busy ? texts.gate.approving : texts.standingPermissions.allow}
      disabled={!can}
      onSubmit={risky ? start : approve}
      onCancel={due === null ? onClose : undo}
    >
      <StandingFields draft={draft} onChange={setDraft} />
      {children}
      <PendingFormApproval approval={{ due, undo, sendNow }} form={form} />
    </GateForm>
  );
}

/** Permission that is decided together with the call. */
export function ProposedPermission({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts();
  const format = useFormat();
  const tool = useSession(session, (state) => (gate.call ? state.calls[gate.call]?.name : undefined));
  if (!gate.standing || !tool) return null;
  return (
    <p className="dock-standing" data-testid="proposed-permission">
      <Icon name="key" size={14} /> <span>{proposalText(tool, gate.standing, texts, format)}</span>
    </p>
  );
}
