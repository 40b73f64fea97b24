/** A participant's command that owners decide on: who asks, and exactly what would be carried out, as plain text. */
import type { AskedAddressee, AskedCommand, AskedCommandData, Gate, SessionId } from "../../protocol";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { isOpen } from "../../state/gates";
import { escapeHidden } from "../../text/hiddenCharacters";
import { Icon } from "../components/Icon";
import { RefusedCommand } from "../components/ErrorNotice";
import { actorName, targetName } from "../names";
import { useCommandWords } from "./words";
import "./commands.css";

interface Props {
  session: SessionId;
  gate: Gate;
  command: AskedCommand;
}

export function CommandSubject({ session, gate, command }: Props) {
  const words = useWords();
  const own = useCommandWords();
  const me = useMe();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const mine = command.by.id === me;
  return (
    <div className="command-subject" data-testid="command-subject">
      <p>{mine ? own.youAsk : own.asks(actorName(command.by, words, people))}</p>
      <CommandText session={session} command={command.command} />
      {mine && <WithdrawButton session={session} gate={gate} />}
    </div>
  );
}

/** Description of the command's effect, with its original text. */
function CommandText({ session, command }: { session: SessionId; command: AskedCommandData }) {
  const words = useWords();
  const own = useCommandWords();
  const format = useFormat();
  const known = useSession(session, ({ team, participants, formerParticipants, files }) => ({
    team,
    participants,
    formerParticipants,
    files,
  }));
  const data = command.data;
  const name = (to: AskedAddressee) => (typeof to === "string" ? `@${to}` : targetName(known, to, words));
  const to = "to" in data && data.to ? data.to.map(name) : [];
  const ids = "files" in data ? (data.files ?? []) : [];
  const files = ids.map((id) => known.files.find((file) => file.id === id)?.name ?? id);
  const notes = [
    to.length > 0 && own.to(format.list(to)),
    "mode" in data && data.mode === "steer" && own.step,
    files.length > 0 && own.files(format.list(files)),
    command.do === "interrupt" && command.data.text && own.then,
  ];
  const text = textOf(command);
  return (
    <>
      <p>
        <strong>{own.does[command.do]}</strong> {notes.filter(Boolean).join(", ")}
      </p>
      {text && (
        <pre className="command-text" dir="auto" tabIndex={0} aria-label={own.does[command.do]}>
          {command.do === "cancel" ? `${own.reason}: ` : ""}
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
    case "pause":
    case "resume":
      return "";
  }
}

function WithdrawButton({ session, gate }: { session: SessionId; gate: Gate }) {
  const own = useCommandWords();
  const client = useClient();
  const live = useLive();
  const open = useSession(session, (state) => isOpen(state, gate));
  const pending = useSession(session, (state) =>
    state.pending.find(({ command }) => command.do === "withdraw_command" && command.data?.gate === gate.id),
  );
  if (!open) return null;
  const busy = !!pending && !pending.refused;
  return (
    <>
      <button type="button" disabled={!live || busy} onClick={() => client.withdrawCommand(session, gate.id)}>
        <Icon name="undo" size={14} /> {busy ? own.withdrawing : own.withdraw}
      </button>
      {pending?.refused && <RefusedCommand session={session} pending={pending} />}
    </>
  );
}

/** Command of a gate that has ended, in one line: the command, its author, and the reason if it was not carried out. */
export function CommandLine({ session, gate, command }: Props) {
  const words = useWords();
  const own = useCommandWords();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const failure = gate.decision?.failure;
  const text = textOf(command.command);
  return (
    <span className="note-more command-line" title={escapeHidden(text) || undefined}>
      {own.does[command.command.do]}, {own.forPerson(actorName(command.by, words, people))}
      {failure && <strong> {own.failure[failure]}</strong>}
    </span>
  );
}
