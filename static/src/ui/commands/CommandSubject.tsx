/**
 * Participant's command that owners decide on: its sender, and the exact command to execute, as plain text.
 */
import type { AskedAddressee, AskedCommand, AskedCommandData, Gate, SessionId } from "../../protocol";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { isOpen } from "../../state/gates";
import { escapeHidden } from "../../text/hiddenCharacters";
import { Icon } from "../components/Icon";
import { CommandError } from "../components/ErrorNotice";
import { actorName, targetName } from "../names";
import { useCommandTexts } from "../../i18n/command.en";
import "./commands.css";

interface Props {
  session: SessionId;
  gate: Gate;
  command: AskedCommand;
}

export function CommandSubject({ session, gate, command }: Props) {
  const texts = useTexts();
  const commandTexts = useCommandTexts();
  const me = useMe();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const isOwn = command.by.id === me;
  return (
    <div className="command-subject" data-testid="command-subject">
      <p>{isOwn ? commandTexts.youAsk : commandTexts.asks(actorName(command.by, texts, people))}</p>
      <CommandText session={session} command={command.command} />
      {isOwn && <WithdrawButton session={session} gate={gate} />}
    </div>
  );
}

/** Description of the command's effect, with its original text. */
function CommandText({ session, command }: { session: SessionId; command: AskedCommandData }) {
  const texts = useTexts();
  const commandTexts = useCommandTexts();
  const format = useFormat();
  const known = useSession(session, ({ team, participants, formerParticipants, files }) => ({
    team,
    participants,
    formerParticipants,
    files,
  }));
  const data = command.data;
  const name = (to: AskedAddressee) => (typeof to === "string" ? `@${to}` : targetName(known, to, texts));
  const to = "to" in data && data.to ? data.to.map(name) : [];
  const ids = "files" in data ? (data.files ?? []) : [];
  const files = ids.map((id) => known.files.find((file) => file.id === id)?.name ?? id);
  const notes = [
    to.length > 0 && commandTexts.to(format.list(to)),
    "mode" in data && data.mode === "steer" && commandTexts.step,
    files.length > 0 && commandTexts.files(format.list(files)),
    command.do === "invite" && commandTexts.as(texts.roles[command.data.role]),
    command.do === "interrupt" && command.data.text && commandTexts.then,
  ];
  const text = textOf(command);
  return (
    <>
      <p>
        <strong>{commandTexts.does[command.do]}</strong> {notes.filter(Boolean).join(texts.common.comma)}
      </p>
      {text && (
        <pre className="command-text" dir="auto" tabIndex={0} aria-label={commandTexts.does[command.do]}>
          {command.do === "cancel" ? commandTexts.reason + texts.common.colon : ""}
          {escapeHidden(text)}
        </pre>
      )}
    </>
  );
}

/** Returns the text in the command, as its sender wrote it. */
function textOf(command: AskedCommandData): string {
  switch (command.do) {
    case "say":
      return command.data.text;
    case "start":
      return command.data.input;
    case "interrupt":
      return command.data.text ?? "";
    case "cancel":
      return command.data.reason ?? "";
    case "invite":
      return command.data.name;
    case "pause":
    case "resume":
      return "";
  }
}

function WithdrawButton({ session, gate }: { session: SessionId; gate: Gate }) {
  const commandTexts = useCommandTexts();
  const client = useClient();
  const live = useLive();
  const open = useSession(session, (state) => isOpen(state, gate));
  const pending = useSession(session, (state) =>
    state.pending.find(({ command }) => command.do === "withdraw_command" && command.data?.gate === gate.id),
  );
  if (!open) return null;
  const busy = !!pending && !pending.error;
  return (
    <>
      <button type="button" disabled={!live || busy} onClick={() => client.withdrawCommand(session, gate.id)}>
        <Icon name="undo" size={14} /> {busy ? commandTexts.withdrawing : commandTexts.withdraw}
      </button>
      {pending?.error && <CommandError session={session} pending={pending} />}
    </>
  );
}

/**
 * Command of a gate that has ended, in one line: the command, its sender, and the reason if it was not
 * executed.
 */
export function CommandLine({ session, gate, command }: Props) {
  const texts = useTexts();
  const commandTexts = useCommandTexts();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const failure = gate.decision?.failure;
  const text = textOf(command.command);
  return (
    <span className="note-more command-line" title={escapeHidden(text) || undefined}>
      {commandTexts.does[command.command.do]}
      {texts.common.comma}
      {commandTexts.forPerson(actorName(command.by, texts, people))}
      {failure && <strong> {commandTexts.failure[failure]}</strong>}
    </span>
  );
}
