/** Notes in the timeline: who joined, who controlled the run, how it ended, which files were added. */
import type { FinishReason, SessionId, File } from "../../protocol";
import type { ControlTrace, Note } from "../../state/model";
import { permissionOfEvent } from "../../state/standingPermissions";
import type { EventOf } from "../../wire/frames";
import { useSession } from "../../app/hooks";
import type { Words } from "../../i18n/en";
import { useFormat, useWords } from "../../i18n/locale";
import { RetryButton } from "../run/RetryButton";
import { quorumText } from "../gates/gateText";
import { Icon, type IconName } from "../components/Icon";
import { actorName, distinctName, personName, type People, useActorNames } from "../names";
import { permissionText } from "../permissions/standingText";
import { voteNoteText } from "../votes/voteNotes";
import { CollapsedPlan } from "../plan/PlanView";
import { FileChip } from "../files/Attachments";

type SessionUpdate = EventOf<"session.updated">["data"];

interface NoteLine {
  icon: IconName;
  text: string;
  more?: string;
  tone?: "good" | "bad" | "warn";
}

/** Note: who joined, who controlled the run, how it ended. */
export function NoteRow({ session, note }: { session: SessionId; note: Note }) {
  const words = useWords();
  const format = useFormat();
  const known = useSession(session, ({ participants, formerParticipants, team }) => ({
    participants,
    formerParticipants,
    team,
  }));
  const permission = useSession(session, (state) => permissionOfEvent(state, note.frame));
  const trace = useSession(session, (state) =>
    note.frame.event === "control.requested"
      ? state.controls.find((one) => one.id === controlOf(note))
      : undefined,
  );
  const text = permissionText(note.frame, permission, known, words, format);
  const vote = voteNoteText(note.frame, known, words, format);
  const line: NoteLine | null = text
    ? { icon: "key", text }
    : vote
      ? { icon: note.frame.event === "gate.escalated" ? "up" : "people", text: vote }
      : lineOf(note, words, known);
  if (!line) return null;
  const { at } = note.frame;
  const { frame } = note;
  const plan = frame.event === "plan.proposed" || frame.event === "gate.revised" ? frame.data.plan : null;
  return (
    <>
      <div className={`note ${line.tone ?? ""}`}>
        <Icon name={line.icon} size={14} />
        <span>{line.text}</span>
        {line.more && <span className="note-more">{line.more}</span>}
        {trace && <ControlEffect trace={trace} />}
        <time className="when" dateTime={at} title={format.full(at)}>
          {format.brief(at)}
        </time>
      </div>
      {frame.event === "run.failed" && <RetryButton session={session} run={frame.data.run} />}
      {plan && (
        <div className="plan-here">
          <CollapsedPlan session={session} id={`${note.seq}`} plan={plan} />
        </div>
      )}
    </>
  );
}

function controlOf(note: Note): number {
  return note.frame.event === "control.requested" ? note.frame.data.control : 0;
}

/** Time at which a control took effect. */
function ControlEffect({ trace }: { trace: ControlTrace }) {
  const words = useWords();
  const format = useFormat();
  const { requestedAt, effectiveAt, verb, tookMs } = trace;
  if (!requestedAt || !effectiveAt || verb === "resume") return null;
  // For a control from another page, only the server's part of the time is known.
  const took = tookMs ?? Date.parse(effectiveAt) - Date.parse(requestedAt);
  return (
    <span className="note-more" title={`${format.number(took)} ms`} data-receipt={verb}>
      {words.notes.receipt(words.control.phases.effective[verb], format.took(took), tookMs !== undefined)}
    </span>
  );
}

function lineOf({ frame }: Note, words: Words, people: People): NoteLine | null {
  const by = actorName(frame.by, words, people);
  const name = (id: string) => personName(people, id);
  const { notes } = words;
  switch (frame.event) {
    case "participant.joined":
      return {
        icon: "people",
        text: notes.joined(
          distinctName(people, frame.data.participant, frame.data.name),
          words.roles[frame.data.role],
        ),
        more: frame.data.lookalike ? words.manage.lookalikeMeans : undefined,
        tone: frame.data.lookalike ? "warn" : undefined,
      };
    case "participant.renamed": {
      const { participant, from, name } = frame.data;
      const [before, after] = [from, name].map((one) => distinctName(people, participant, one));
      return { icon: "people", text: words.manage.renamed(before!, after!) };
    }
    case "participant.knocked":
      return {
        icon: "people",
        text: words.access.knock.knocked(frame.data.name, words.roles[frame.data.role]),
      };
    case "participant.refused":
      return { icon: "ban", text: words.access.knock.declined(name(frame.data.participant), by) };
    case "participant.left": {
      const gone = frame.data.participant === frame.by.id ? by : name(frame.data.participant);
      return {
        icon: "people",
        text: frame.data.reason === "removed" ? notes.removed(gone, by) : notes.left(gone),
      };
    }
    case "participant.role_changed":
      return { icon: "people", text: notes.role(name(frame.data.participant), words.roles[frame.data.role]) };
    case "session.updated":
      // A generated title is shown in the header, and it is nobody's action.
      if (frame.data.title && frame.by.kind === "system") return null;
      if (frame.data.title) return { icon: "pencil", text: notes.titled(by, frame.data.title) };
      return settingsLine(by, frame.data, words);
    case "session.closed":
      return {
        icon: "ban",
        text: notes.closed(by),
        more: frame.data.reason && notes.reason(frame.data.reason),
      };
    case "control.requested": {
      const icon = (
        { pause: "pause", resume: "play", interrupt: "stop", cancel: "ban", expire: "clock" } as const
      )[frame.data.verb];
      const more = frame.data.reason ? notes.reason(frame.data.reason) : undefined;
      return { icon, text: notes.verbs[frame.data.verb](by), more };
    }
    case "run.finished":
      return ended(frame.data.reason, words);
    case "plan.proposed":
      return { icon: "list", text: words.work.plan.made(frame.data.plan.items.length) };
    case "gate.revised":
      return {
        icon: "pencil",
        text: words.work.plan.changedBy(by),
        more: words.work.plan.revision(frame.data.rev),
      };
    case "file.removed":
      return { icon: "trash", text: words.files.removedBy(by, frame.data.name) };
    case "file.redacted":
      return redactionLine(words.redaction.notes.file(by), frame.data.reason, words);
    case "session.redacted":
      return redactionLine(words.redaction.notes.session(by), frame.data.reason, words);
    case "participant.redacted":
      return redactionLine(words.redaction.notes.participant(by), undefined, words);
    case "run.failed":
      return { icon: "warning", text: notes.failed(frame.data.error.message), tone: "bad" };
    case "run.cancelled":
      return {
        icon: "ban",
        text: notes.cancelled(by),
        more: frame.data.reason && notes.reason(frame.data.reason),
      };
    default:
      return null;
  }
}

function redactionLine(text: string, reason: string | null | undefined, words: Words): NoteLine {
  return { icon: "eraser", text, more: reason ? words.notes.reason(reason) : undefined };
}

/** Returns a text for the changed setting, if it is a single one. Older events do not name it. */
function settingsLine(by: string, { settings, changed = [] }: SessionUpdate, words: Words): NoteLine {
  const { notes } = words;
  const only = changed.length === 1 ? changed[0] : null;
  if (only === "knowledge") return { icon: "book", text: notes.bases(by) };
  if (only === "approval")
    return {
      icon: "pencil",
      text: notes.rule(by),
      more: quorumText(settings?.approval ?? { kind: "any" }, words),
    };
  if (only === "approval_rules") return { icon: "pencil", text: words.votes.changedRules(by) };
  return { icon: "pencil", text: notes.settings(by) };
}

function ended(reason: FinishReason, words: Words): NoteLine {
  switch (reason) {
    case "completed":
      return { icon: "check", text: words.notes.completed, tone: "good" };
    case "message_limit":
      return { icon: "flag", text: words.notes.limit, tone: "warn" };
    case "step_limit":
      return { icon: "flag", text: words.work.notes.stepLimit, tone: "warn" };
    case "budget":
      return { icon: "flag", text: words.work.notes.budget, tone: "warn" };
    case "turn_limit":
      return { icon: "flag", text: words.work.notes.turnLimit, tone: "warn" };
  }
}

interface Props {
  session: SessionId;
  files: File[];
  back: number | null;
}

/** Note: someone added files, or restored a version. */
export function FilesRow({ session, files, back }: Props) {
  const words = useWords().files;
  const format = useFormat();
  const { by, at, call } = files[0]!;
  const name = useActorNames(session).of(by);
  const told = back !== null ? words.putBack(name, back) : call ? words.made(name) : words.added(name);
  return (
    <div className="note file-row">
      <Icon name={back === null ? "clip" : "undo"} size={14} />
      <span>{told}</span>
      {files.map((file) => (
        <FileChip key={file.id} file={file} plain />
      ))}
      <time className="when" dateTime={at} title={format.full(at)}>
        {format.brief(at)}
      </time>
    </div>
  );
}
