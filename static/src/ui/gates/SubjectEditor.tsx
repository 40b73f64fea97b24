/**
 * Editor for a gate's subject, which approves the edited version; and the notice that someone else is editing
 * it.
 */
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Gate, SessionId, GateId } from "../../protocol";
import { useGateDraftField, type SendState } from "../../app/drafts";
import { useClient, useLive, useSession, useNow } from "../../app/hooks";
import { useTexts, useFormat } from "../../i18n/locale";
import { stringify } from "../../json/lossless";
import { ArgumentsEditor } from "./ArgumentsEditor";
import { GateForm } from "./GateForm";
import { PendingFormApproval, useDelayedApproval, useIsIrreversible } from "./Approval";
import { PlanEditor } from "./PlanEditor";
import { StandingFields, useIsValidDraft } from "./StandingFields";
import { firstStandingDraft, standingTerms, type StandingDraft } from "./standingDraft";
import { TYPING_TIMEOUT_MS } from "../composer/TypingIndicator";
import { Icon } from "../components/Icon";
import { onDemand } from "../components/onDemand";
import { useActorNames } from "../names";

const BudgetEditor = onDemand(() => import("../budget/BudgetEditor").then((part) => part.BudgetEditor));

interface Props {
  session: SessionId;
  gate: Gate;
  sendState: SendState;
  /** True if the editor and the undo button of a delayed approval are on screen. */
  isVisible: boolean;
  /** True at a gate about a budget if a change to a cheaper model is proposed. */
  cheaperModel?: boolean;
  onClose: () => void;
  /** Error of the last attempt. */
  children: ReactNode;
}

/** Selector of the first editable field. */
const FIRST_FIELD = ".plan-editor textarea, .form-fields :is(input, select, textarea), .mono";

/**
 * Receives the edited subject, or null while it cannot be sent, and the subject as text, empty while
 * unchanged.
 */
export type EditHandler = (edited: Record<string, unknown> | null, text: string) => void;

/** Editor that approves the edited subject. */
export function SubjectEditor(props: Props) {
  const { session, gate, sendState, isVisible, cheaperModel = false, onClose, children } = props;
  const texts = useTexts();
  const client = useClient();
  const live = useLive();
  // A vote names the revision that its author has seen.
  const [base, setBase] = useState(gate.rev);
  const [edited, setEdited] = useState<Record<string, unknown> | null>(null);
  const [standing, setStanding] = useState<StandingDraft | null>(null);
  const call = useSession(session, (state) => (gate.call ? state.calls[gate.call] : undefined));
  const plan = useSession(session, (state) => state.run?.plan);
  const [, saveText] = useGateDraftField(session, gate.id, "edit", sendState);
  const onEdit: EditHandler = (next, text) => {
    setEdited(next);
    saveText(text);
  };
  const close = () => {
    saveText("");
    onClose();
  };
  const { busy } = sendState;
  useEditingSignal(session, gate.id, !busy);
  const stale = gate.rev !== base;
  const { gates } = texts.work;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // On a phone, the focus would open the keyboard, which would cover the text.
    if (!window.matchMedia("(pointer: coarse)").matches)
      form.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus({ preventScroll: true });
  }, [base]);
  const loadRevision = () => {
    saveText("");
    setBase(gate.rev);
  };
  const isValidStanding = useIsValidDraft(standing ?? firstStandingDraft);
  const can = edited && !stale && live && !busy && isValidStanding;
  // Repeats the terms of a proposed permission, because an edit without terms would drop it.
  const standingField = () => {
    const terms = standing ? standingTerms(standing, Date.now()) : gate.standing;
    return terms ? { standing: terms } : {};
  };
  const approve = () => {
    if (can) client.vote(session, { ...gate, rev: base }, "approve", { edit: edited, ...standingField() });
  };
  const risky = useIsIrreversible(session, gate);
  // A change during the delay requires a new approval.
  const { due, start, undo, sendNow } = useDelayedApproval({
    session,
    gate: gate.id,
    key: can && isVisible ? `${base} ${stringify(edited)} ${JSON.stringify(standing)}` : null,
    reason: !live ? "offline" : isVisible ? "changed" : "left",
    send: approve,
  });
  const send = risky ? start : approve;
  // With separate duties, the vote of the person who edits does not count.
  const sendEdit = gate.separate_duties ? texts.approval.proposeEdit : gates.sendEdit;
  return (
    <GateForm
      ref={form}
      className="editor"
      submit={due !== null ? null : busy ? texts.gate.approving : sendEdit}
      disabled={!can}
      onSubmit={send}
      onCancel={due === null ? close : undo}
    >
      {stale && (
        <p className="dock-revised">
          {gates.yourBase}
          <button type="button" className="small" onClick={loadRevision}>
            {gates.takeNew}
          </button>
        </p>
      )}
      {gate.budget ? (
        <BudgetEditor key={base} session={session} gate={gate} cheaperModel={cheaperModel} onEdit={onEdit} />
      ) : call ? (
        <ArgumentsEditor key={base} call={call} schema={gate.schema} onEdit={onEdit} />
      ) : (
        plan && <PlanEditor key={base} session={session} plan={plan} onEdit={onEdit} />
      )}
      {gate.kind === "tool" && !gate.standing && (
        <label className="check">
          <input
            type="checkbox"
            checked={!!standing}
            onChange={(event) => setStanding(event.target.checked ? firstStandingDraft : null)}
          />
          {texts.standingPermissions.again}
        </label>
      )}
      {standing && <StandingFields draft={standing} onChange={setStanding} />}
      {children}
      <PendingFormApproval approval={{ due, undo, sendNow }} form={form} />
    </GateForm>
  );
}

/** Milliseconds between two signals while editing continues. */
const SIGNAL_INTERVAL_MS = 3000;

/** Other participants who are editing the subject. If two people edit, one of them loses their work. */
export function EditingNotice({ session, gate }: { session: SessionId; gate: GateId }) {
  const texts = useTexts();
  const format = useFormat();
  const typing = useSession(session, (state) => state.typing);
  const people = useActorNames(session);
  const others = Object.entries(typing).filter(([, one]) => one.gate === gate);
  const now = useNow(1000, others.length > 0);
  const names = others
    .filter(([, { at }]) => now - at < TYPING_TIMEOUT_MS)
    .map(([id, { name }]) => people.now(id, name));
  if (names.length === 0) return null;
  return (
    <p className="dock-editing" role="status" data-testid="editing">
      <Icon name="pencil" size={14} /> {texts.gate.editing(format.list(names), names.length)}
    </p>
  );
}

/** Signals to the others that I am editing the subject. */
function useEditingSignal(session: SessionId, gate: GateId, isEnabled: boolean): void {
  const client = useClient();
  useEffect(() => client.signalEditing(session, gate), [client, session, gate]);
  useEffect(() => {
    if (!isEnabled) return;
    const timer = setInterval(() => client.signalEditing(session, gate), SIGNAL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [client, session, gate, isEnabled]);
}
