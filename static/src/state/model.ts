/** State of the client: one value that only `reduce` changes. */
import type {
  Actor,
  Budget,
  CallId,
  ErrorBody,
  File,
  Gate,
  GateId,
  Knock,
  Limits,
  Member,
  Message,
  ControlVerb,
  MessageId,
  ParticipantId,
  Phase,
  Plan,
  Liveness,
  Presence,
  QueuedMessage,
  Redaction,
  Right,
  Role,
  Run,
  RunningMessage,
  SessionId,
  Settings,
  StandingPermission,
  Team,
  Timestamp,
  UsageTotals,
} from "../protocol";
import type { ConnectionState } from "../wire/connection";
import type { CommandFrame, EventFrame } from "../wire/frames";
import type { Base } from "../wire/knowledge";
import type { ServerInfo, SessionEntry } from "../wire/rest";
import type { CallTrace } from "./calls";
import type { Lapse } from "./gates";
import type { ParsedOutput, ParseFailure } from "./parsedOutput";
import type { WorkSpan } from "./spans";

/** A message that an agent is writing. */
export interface StreamingMessage extends RunningMessage {
  /** Text so far. */
  text: string;
  /** Length of the text in UTF-8 bytes, which is where the next delta begins. */
  bytes: number;
  /** Void text of an earlier attempt, shown until this attempt has text. */
  before?: string;
  /** Failure of the last attempt, until the next one begins. */
  failure?: { code: string; message: string };
}

/** The run, to the extent that the screen shows it. */
export interface RunState {
  id: Run["id"];
  flow: string;
  phase: Phase;
  startedAt: Timestamp;
  /** Participants who started the run, or whose messages reached its agents outside of gates. */
  directedBy: ParticipantId[];
  /** True if the agents were interrupted and people have not yet decided how to continue. */
  interrupted: boolean;
  /** Time of the end, if this page saw it. */
  endedAt?: Timestamp;
  input: MessageId;
  finalMessage?: MessageId;
  error?: { code: string; message: string };
  cancelled?: string;
  /** Plan that the run follows. */
  plan?: Plan;
  /** Flow chosen by a router. */
  route?: string;
}

/** Change of the subject of a gate. */
export interface Revision {
  rev: number;
  by: Actor;
  /** Subject before the change: the arguments of a call, the plan, or a budget with the model. */
  before: { arguments?: string; plan?: Plan; budget?: Budget; model?: string };
}

/** A control of the run in its three phases. */
export interface ControlTrace {
  id: number;
  verb: ControlVerb;
  by: Actor | null;
  reason?: string;
  requestedAt?: Timestamp;
  acknowledgedAt?: Timestamp;
  effectiveAt?: Timestamp;
  /** Time of my request, by this machine's clock; absent for requests by others and from other pages. */
  localRequestedAtMs?: number;
  /** Milliseconds from my request until this page received the effect. */
  durationMs?: number;
}

/** Line of the timeline that is neither a message nor a gate. */
export interface Note {
  seq: number;
  frame: EventFrame;
}

/** A command of mine whose event has not arrived yet. */
export interface PendingCommand {
  command: CommandFrame & { session: SessionId };
  /** Time of the command, by this machine's clock. */
  at: number;
  /** Time when it was first sent. */
  sentAt?: number;
  /** Error because of which it has not been accepted yet. It is retried automatically. */
  delayed?: ErrorBody;
  /** Seq of its acknowledgement. */
  acked?: number;
  /** Error that rejected it. */
  error?: ErrorBody;
}

/** Position at which a reconnect resumed. */
interface Resumption {
  from: number;
  through: number;
  at: number;
  /** Agents whose unfinished text was lost with the server and who are writing it again. */
  rewriting: string[];
}

interface UsageState {
  byAgent: UsageTotals[];
  byParticipant: UsageTotals[];
  ofRun: UsageTotals;
}

/** One session. */
export interface SessionState {
  id: SessionId;
  /** True if it has been joined on the current socket. */
  joined: boolean;
  /**
   * True if I am a guest on the server, absent until it has been joined. The session lists me as I was when I became a
   * participant, and an administrator can have changed my server role since then.
   */
  isOwnGuest?: boolean;
  /** True if the user left the session. Coming back is then not a reconnect. */
  left: boolean;
  /** True after a snapshot, or after the log was received from its beginning. */
  loaded: boolean;
  /** Cursor: every event up to this one is applied. */
  seq: number;
  /** Time of the last event. In another history, the same seq is another event. */
  at: Timestamp | null;
  /** Every event after this seq is known. Earlier ones came in a snapshot, without what it leaves out. */
  knownAfter: number;
  /** True if content was erased that might still be here; the session is reloaded from a snapshot. */
  stale: boolean;
  /** Number of reloads. Responses to requests from before a reload are dropped. */
  generation: number;
  /** Newest seq that the server has mentioned. */
  head: number;
  caughtUp: boolean;
  /** Cursor at which the current join began; null after a snapshot. */
  joinedAfter: number | null;
  resumed: Resumption | null;
  /** The role that my account has in every session; null if none. */
  grantedRole: Role | null;
  rights: Right[];
  /** Rights that I must ask the owners for. */
  requestableRights: Right[];
  title: string;
  createdAt: Timestamp | null;
  closed: boolean;
  /** Redaction of the whole session. */
  redacted?: Redaction | null;
  team: Team | null;
  settings: Settings | null;
  participants: Member[];
  /** Former participants that this page has seen; their actions still show their names. */
  formerParticipants: Member[];
  /** Ids of participants who joined by a link and chose their own names. */
  guests: string[];
  /** Pending join requests. */
  knocks: Knock[];
  run: RunState | null;
  gates: Gate[];
  /** Gates that ended without a decision. */
  lapsed: Record<GateId, Lapse>;
  /** Open gates whose subject changed while this page was open. */
  revised: Record<GateId, Revision>;
  /** Tool calls, in order. */
  calls: Record<CallId, CallTrace>;
  /** Results of parsing messages, including failures. */
  parsedOutputs: Record<MessageId, ParsedOutput>;
  parseFailures: Record<MessageId, ParseFailure>;
  /** Standing permissions, including those whose time or uses are exhausted. */
  permissions: StandingPermission[];
  /** Periods of work. */
  spans: WorkSpan[];
  inbox: QueuedMessage[];
  messages: Message[];
  /** True if older messages can be loaded. */
  more: boolean;
  streaming: Record<MessageId, StreamingMessage>;
  controls: ControlTrace[];
  notes: Note[];
  /** All versions of all files, oldest first. */
  files: File[];
  usage: UsageState;
  pending: PendingCommand[];
  presence: Presence | null;
  /** Latest liveness signal of the server; null if everything arrives live. */
  liveness: Liveness | null;
  /** Participants who are typing, by id; `gate` if they edit its subject. */
  typing: Record<string, { name: string; at: number; gate?: GateId }>;
  /** Reason why the session is no longer shown. */
  ended: { code: string; message: string } | null;
  /** Reason why joining failed. */
  problem: ErrorBody | null;
}

/** State of the whole client. */
export interface AppState {
  me: Actor | null;
  /** My role on the server: `admin`, `member`, `guest`. */
  serverRole: string | null;
  limits: Limits | null;
  server: ServerInfo | null;
  connection: ConnectionState;
  /** List of sessions from the server; null until it arrives. */
  list: SessionEntry[] | null;
  /** Search text of that list. */
  search: string;
  /** Knowledge bases that I can read; null until requested. */
  bases: Base[] | null;
  sessions: Record<SessionId, SessionState>;
}

export const noUsage: UsageTotals = {
  of: "",
  turns: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_micros: 0,
  estimated: false,
};

export const emptyApp: AppState = {
  me: null,
  serverRole: null,
  limits: null,
  server: null,
  connection: { phase: "connecting" },
  list: null,
  search: "",
  bases: null,
  sessions: {},
};

/** Returns a session without content. */
export function emptySession(id: SessionId): SessionState {
  return {
    id,
    joined: false,
    left: false,
    loaded: false,
    seq: 0,
    at: null,
    knownAfter: 0,
    stale: false,
    generation: 0,
    head: 0,
    caughtUp: false,
    joinedAfter: null,
    resumed: null,
    grantedRole: null,
    rights: [],
    requestableRights: [],
    title: "",
    createdAt: null,
    closed: false,
    team: null,
    settings: null,
    participants: [],
    formerParticipants: [],
    guests: [],
    knocks: [],
    run: null,
    gates: [],
    lapsed: {},
    revised: {},
    calls: {},
    parsedOutputs: {},
    parseFailures: {},
    permissions: [],
    spans: [],
    inbox: [],
    messages: [],
    more: false,
    streaming: {},
    controls: [],
    notes: [],
    files: [],
    usage: { byAgent: [], byParticipant: [], ofRun: noUsage },
    pending: [],
    presence: null,
    liveness: null,
    typing: {},
    ended: null,
    problem: null,
  };
}
