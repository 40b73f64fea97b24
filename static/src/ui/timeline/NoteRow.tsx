/** Notes in the timeline: participants, controls and the end of the run, settings, and files. */
import type { FinishReason, SessionId, File } from "../../protocol";
import type { ControlTrace, Note } from "../../state/model";
import { permissionOfEvent } from "../../state/standingPermissions";
import type { EventOf } from "../../wire/frames";
import { useSession } from "../../app/hooks";
import type { Texts } from "../../i18n/en";
import { useFormat, useTexts } from "../../i18n/locale";
import { RetryButton } from "../run/RetryButton";
import { quorumText } from "../gates/gateText";
import { Icon, type IconName } from "../components/Icon";
import { actorName, distinctName, personName, type ParticipantSource, useActorNames } from "../names";
import { permissionText } from "../permissions/permissionText";
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

/** Note about a participant, a control, the end of the run, or the settings. */
export function NoteRow({ session, note }: { session: SessionId; note: Note }) {
  const texts = useTexts();
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
  const text = permissionText(note.frame, permission, known, texts, format);
  const vote = voteNoteText(note.frame, known, texts, format);
  const line: NoteLine | null = text
    ? { icon: "key", text }
    : vote
      ? { icon: note.frame.event === "gate.escalated" ? "up" : "people", text: vote }
      : lineOf(note, texts, known);
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
          {format.timeOrDay(at)}
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
  const texts = useTexts();
  const format = useFormat();
  const { requestedAt, effectiveAt, verb, durationMs } = trace;
  if (!requestedAt || !effectiveAt || verb === "resume") return null;
  // For a control from another page, only the part of the time on the server is known.
  const duration = durationMs ?? Date.parse(effectiveAt) - Date.parse(requestedAt);
  return (
    <span className="note-more" title={`${format.number(duration)} ms`} data-receipt={verb}>
      {texts.notes.receipt(
        texts.control.phases.effective[verb],
        format.duration(duration),
        durationMs !== undefined,
      )}
    </span>
  );
}

function lineOf({ frame }: Note, texts: Texts, people: ParticipantSource): NoteLine | null {
  const by = actorName(frame.by, texts, people);
  const name = (id: string) => personName(people, id);
  const { notes } = texts;
  switch (frame.event) {
    case "participant.joined":
      return {
        icon: "people",
        text: notes.joined(
          distinctName(people, frame.data.participant, frame.data.name),
          texts.roles[frame.data.role],
        ),
        more: frame.data.lookalike ? texts.manage.lookalikeMeans : undefined,
        tone: frame.data.lookalike ? "warn" : undefined,
      };
    case "participant.renamed": {
      const { participant, from, name } = frame.data;
      const [before, after] = [from, name].map((one) => distinctName(people, participant, one));
      return { icon: "people", text: texts.manage.renamed(before!, after!) };
    }
    case "participant.knocked":
      return {
        icon: "people",
        text: texts.invites.knock.knocked(frame.data.name, texts.roles[frame.data.role]),
      };
    case "participant.refused":
      return { icon: "ban", text: texts.invites.knock.declined(name(frame.data.participant), by) };
    case "participant.left": {
      const departed = frame.data.participant === frame.by.id ? by : name(frame.data.participant);
      return {
        icon: "people",
        text: frame.data.reason === "removed" ? notes.removed(departed, by) : notes.left(departed),
      };
    }
    case "participant.role_changed":
      return { icon: "people", text: notes.role(name(frame.data.participant), texts.roles[frame.data.role]) };
    case "session.updated":
      // A generated title is not an action of a person, and the header already shows it.
      if (frame.data.title && frame.by.kind === "system") return null;
      if (frame.data.title) return { icon: "pencil", text: notes.titled(by, frame.data.title) };
      return settingsLine(by, frame.data, texts);
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
      return ended(frame.data.reason, texts);
    case "plan.proposed":
      return { icon: "list", text: texts.work.plan.made(frame.data.plan.items.length) };
    case "gate.revised":
      return {
        icon: "pencil",
        text: texts.work.plan.changedBy(by),
        more: texts.work.plan.revision(frame.data.rev),
      };
    case "file.removed":
      return { icon: "trash", text: texts.files.removedBy(by, frame.data.name) };
    case "file.redacted":
      return redactionLine(texts.redaction.notes.file(by), frame.data.reason, texts);
    case "session.redacted":
      return redactionLine(texts.redaction.notes.session(by), frame.data.reason, texts);
    case "participant.redacted":
      return redactionLine(texts.redaction.notes.participant(by), undefined, texts);
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

function redactionLine(text: string, reason: string | null | undefined, texts: Texts): NoteLine {
  return { icon: "eraser", text, more: reason ? texts.notes.reason(reason) : undefined };
}

/**
 * Returns the line for changed settings. A change of only one setting can have its own text. Older events do
 * not name the changed settings.
 */
function settingsLine(by: string, { settings, changed = [] }: SessionUpdate, texts: Texts): NoteLine {
  const { notes } = texts;
  const only = changed.length === 1 ? changed[0] : null;
  if (only === "knowledge") return { icon: "book", text: notes.bases(by) };
  if (only === "approval")
    return {
      icon: "pencil",
      text: notes.rule(by),
      more: quorumText(settings?.approval ?? { kind: "any" }, texts),
    };
  if (only === "approval_rules") return { icon: "pencil", text: texts.votes.changedRules(by) };
  return { icon: "pencil", text: notes.settings(by) };
}

function ended(reason: FinishReason, texts: Texts): NoteLine {
  switch (reason) {
    case "completed":
      return { icon: "check", text: texts.notes.completed, tone: "good" };
    case "message_limit":
      return { icon: "flag", text: texts.notes.limit, tone: "warn" };
    case "step_limit":
      return { icon: "flag", text: texts.work.notes.stepLimit, tone: "warn" };
    case "budget":
      return { icon: "flag", text: texts.work.notes.budget, tone: "warn" };
    case "turn_limit":
      return { icon: "flag", text: texts.work.notes.turnLimit, tone: "warn" };
  }
}

interface Props {
  session: SessionId;
  files: File[];
  back: number | null;
}

/** Note: someone added files, or restored a version. */
export function FilesRow({ session, files, back }: Props) {
  const texts = useTexts().files;
  const format = useFormat();
  const { by, at, call } = files[0]!;
  const name = useActorNames(session).of(by);
  const text = back !== null ? texts.putBack(name, back) : call ? texts.made(name) : texts.added(name);
  return (
    <div className="note file-row">
      <Icon name={back === null ? "clip" : "undo"} size={14} />
      <span>{text}</span>
      {files.map((file) => (
        <FileChip key={file.id} file={file} plain />
      ))}
      <time className="when" dateTime={at} title={format.full(at)}>
        {format.timeOrDay(at)}
      </time>
    </div>
  );
}
