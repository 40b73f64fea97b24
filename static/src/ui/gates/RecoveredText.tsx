/** My text that did not count at a gate: it can be edited, copied, or sent as a message. */
import { useLayoutEffect, useRef, useState } from "react";
import type { SessionId, Gate } from "../../protocol";
import { setDraft, useGateDrafts, useGateDraft, wasEditedLast, type GateDraft } from "../../app/drafts";
import { useSession, useClient } from "../../app/hooks";
import { canWrite } from "../../state/participants";
import { lateVotes, openGates } from "../../state/gateSelectors";
import { useTexts, useFormat } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { CopyButton } from "../components/CopyButton";
import type { PendingCommand } from "../../state/model";
import { agentName } from "../names";
import { textOfCommand, lateVoteText, endedGateText } from "./gateText";
import { Icon } from "../components/Icon";

interface Props {
  session: SessionId;
  text: string;
  onText: (text: string) => void;
  /** Called when the text has been moved to a message. */
  onMoved: () => void;
  /** True if the focus must move here. */
  focused?: boolean;
}

/** Maximum visible lines of the field. */
const MAX_ROWS = 6;

/** My text that was not accepted: it can be edited, copied, or moved to a message. */
function RecoveredText({ session, text, onText, onMoved, focused }: Props) {
  const { gate } = useTexts();
  const canWriteMessages = useSession(session, (state) => canWrite(state));
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    // The focused field disappeared with the gate. Without a new focus, the next letters would count as
    // shortcuts.
    if (!focused || document.activeElement !== document.body) return;
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [focused]);
  const say = () => {
    setDraft(session, (draft) => (draft ? `${draft}\n${text}` : text));
    onMoved();
    focusComposer();
  };
  return (
    <div className="your-words">
      <textarea
        dir="auto"
        ref={field}
        rows={Math.min(MAX_ROWS, text.split("\n").length + 1)}
        aria-label={gate.yourText}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <div className="buttons">
        {canWriteMessages && (
          <button type="button" className="small" onClick={say}>
            {gate.intoMessage}
          </button>
        )}
        <CopyButton text={text} className="small" />
      </div>
    </div>
  );
}

interface LateTextProps {
  session: SessionId;
  pending: PendingCommand;
  gate: Gate | undefined;
}

/** Text of my rejected vote or answer, if there is any. */
function LateText({ session, pending, gate }: LateTextProps) {
  const client = useClient();
  const team = useSession(session, (state) => state.team);
  const [text, setText] = useState(() => textOfCommand(pending, gate, (id) => agentName({ team }, id)));
  const [any] = useState(!!text);
  if (!any) return null;
  const dismiss = () => client.dismiss(session, pending.command.id);
  return <RecoveredText session={session} text={text} onText={setText} onMoved={dismiss} />;
}

/** My votes that came too late. The announcer also reports them, so they need no live region. */
export function LateVotes({ session }: { session: SessionId }) {
  const lateCommands = useSession(session, lateVotes);
  return lateCommands.map((pending) => (
    <LateVote key={pending.command.id} session={session} pending={pending} />
  ));
}

function LateVote({ session, pending }: { session: SessionId; pending: PendingCommand }) {
  const texts = useTexts();
  const format = useFormat();
  const client = useClient();
  const { id, data } = pending.command;
  const gate = useSession(session, (state) => state.gates.find((one) => one.id === data?.gate));
  return (
    <div className="notice warn" data-testid="lost-vote">
      <Icon name="info" size={14} />
      <span>{lateVoteText(pending.error!, texts, format)}</span>
      <button type="button" className="small" onClick={() => client.dismiss(session, id)}>
        {texts.common.dismiss}
      </button>
      <LateText session={session} pending={pending} gate={gate} />
    </div>
  );
}

/** My drafts at gates that have since been decided. */
export function LeftoverDrafts({ session }: { session: SessionId }) {
  const drafts = useGateDrafts(session);
  const loaded = useSession(session, (state) => state.loaded);
  const open = useSession(session, (state) => openGates(state).map((gate) => gate.id));
  if (!loaded) return null;
  return drafts
    .filter((one) => !open.includes(one.gate))
    .map((one) => <LeftoverDraft key={`${one.gate} ${one.as}`} session={session} draft={one} />);
}

function LeftoverDraft({ session, draft }: { session: SessionId; draft: GateDraft }) {
  const texts = useTexts();
  const [text, write] = useGateDraft(session, draft.gate, draft.as);
  const gate = useSession(session, (state) => state.gates.find((one) => one.id === draft.gate));
  const discard = () => write("");
  return (
    <section className="notice warn" aria-label={texts.gate.yourText} data-testid="unsaid">
      <Icon name="info" size={14} />
      <span>
        {endedGateText(gate, texts)} {texts.gate.stillYours}
      </span>
      <button type="button" className="small" onClick={discard}>
        {texts.common.dismiss}
      </button>
      <RecoveredText
        session={session}
        text={text}
        onText={write}
        onMoved={discard}
        focused={wasEditedLast(draft.gate)}
      />
    </section>
  );
}
