/** Editor of the subject of a gate, which approves the edited version; and the notice that somebody else is editing it. */
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Gate, SessionId, GateId } from "../../protocol";
import { useGateDraftField, type SendState } from "../../app/drafts";
import { useClient, useLive, useSession, useNow } from "../../app/hooks";
import { useWords, useFormat } from "../../i18n/locale";
import { stringify } from "../../json/lossless";
import { ArgumentsEditor } from "./ArgumentsEditor";
import { GateForm } from "./GateForm";
import { PendingApproval, useDelayedApproval, useIsIrreversible } from "./Approval";
import { PlanEditor } from "./PlanEditor";
import { TYPING_TIMEOUT_MS } from "../composer/TypingIndicator";
import { Icon } from "../components/Icon";
import { useActorNames } from "../names";

interface Props {
  session: SessionId;
  gate: Gate;
  sent: SendState;
  /** It is on screen, with the way to undo what is about to be sent. */
  seen: boolean;
  onClose: () => void;
  /** Why it was refused. */
  children: ReactNode;
}

/** Where one begins to change something. */
const FIRST_FIELD = ".plan-editor textarea, .form-fields :is(input, select, textarea), .mono";

/** What was made of it, null while it cannot be sent; and the same as text, empty while nothing is changed. */
export type EditHandler = (edited: Record<string, unknown> | null, text: string) => void;

/** Changing what is decided on, and approving it as it is then. */
export function SubjectEditor({ session, gate, sent, seen, onClose, children }: Props) {
  const words = useWords();
  const client = useClient();
  const live = useLive();
  // A vote names the revision that its author has seen, not the one that somebody made of it meanwhile.
  const [base, setBase] = useState(gate.rev);
  const [edited, setEdited] = useState<Record<string, unknown> | null>(null);
  const call = useSession(session, (state) => (gate.call ? state.calls[gate.call] : undefined));
  const plan = useSession(session, (state) => state.run?.plan);
  const [, begin] = useGateDraftField(session, gate.id, "edit", sent);
  const onEdit: EditHandler = (next, text) => {
    setEdited(next);
    begin(text);
  };
  const close = () => {
    begin("");
    onClose();
  };
  const { busy } = sent;
  useEditingSignal(session, gate.id, !busy);
  const stale = gate.rev !== base;
  const { gates } = words.work;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // On a phone the keyboard would cover what is to be read first.
    if (!window.matchMedia("(pointer: coarse)").matches)
      form.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus({ preventScroll: true });
  }, [base]);
  const takeNew = () => {
    begin("");
    setBase(gate.rev);
  };
  const can = edited && !stale && live && !busy;
  const approve = () => {
    if (can) client.vote(session, { ...gate, rev: base }, "approve", undefined, edited);
  };
  const risky = useIsIrreversible(session, gate);
  // What is changed while it waits has to be sent again.
  const { due, hold, undo, now } = useDelayedApproval({
    session,
    gate: gate.id,
    key: can && seen ? `${base} ${stringify(edited)}` : null,
    reason: !live ? "offline" : seen ? "changed" : "left",
    send: approve,
  });
  const send = risky ? hold : approve;
  return (
    <GateForm
      ref={form}
      className="editor"
      submit={due !== null ? null : busy ? words.gate.approving : gates.sendEdit}
      disabled={!can}
      onSubmit={send}
      onCancel={due === null ? close : undo}
    >
      {stale && (
        <p className="dock-revised">
          {gates.yourBase}
          <button type="button" className="small" onClick={takeNew}>
            {gates.takeNew}
          </button>
        </p>
      )}
      {call ? (
        <ArgumentsEditor key={base} call={call} schema={gate.schema} onEdit={onEdit} />
      ) : (
        plan && <PlanEditor key={base} session={session} plan={plan} onEdit={onEdit} />
      )}
      {children}
      {due !== null && (
        <PendingApproval
          due={due}
          now={now}
          undo={() => {
            undo();
            requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[type=submit]")?.focus());
          }}
        />
      )}
    </GateForm>
  );
}

/** Milliseconds between two signals of one who goes on. */
const SIGNAL_INTERVAL_MS = 3000;

/** Who else is changing what is decided on: two who do so at once would lose the work of one of them. */
export function EditingNotice({ session, gate }: { session: SessionId; gate: GateId }) {
  const words = useWords();
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
      <Icon name="pencil" size={14} /> {words.gate.editing(format.list(names), names.length)}
    </p>
  );
}

/** Tells the others, for as long as something is changed: what was sent is no longer. */
function useEditingSignal(session: SessionId, gate: GateId, on: boolean): void {
  const client = useClient();
  useEffect(() => client.signalEditing(session, gate), [client, session, gate]);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => client.signalEditing(session, gate), SIGNAL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [client, session, gate, on]);
}
