/** What the client knows: one value, changed by `reduce` alone. */
import type {
  Actor,
  CallId,
  CommandFrame,
  ErrorBody,
  File,
  Gate,
  GateId,
  Item,
  Knock,
  Limits,
  Member,
  Message,
  MessageId,
  Phase,
  Plan,
  Liveness,
  Presence,
  QueuedMessage,
  Redaction,
  Right,
  Run,
  SessionId,
  Settings,
  Team,
  Timestamp,
  UsageTotals,
} from "../protocol";
import type { ConnectionState } from "../wire/connection";
import type { EventFrame } from "../wire/frames";
import type { Base } from "../wire/knowledge";
import type { ServerInfo, SessionEntry } from "../wire/rest";
import type { CallTrace } from "./calls";
import type { Lapse } from "./gates";
import type { ParsedOutput, ParseFailure } from "./parsedOutput";
import type { WorkSpan } from "./spans";

/** A message that an agent is writing. */
export interface StreamingMessage extends Item {
  /** The text so far. */
  text: string;
  /** Its length in UTF-8 bytes, which is where the next delta begins. */
  bytes: number;
  /** What an earlier attempt had written: void, and shown as that until this one says something. */
  before?: string;
  /** Why the last attempt failed, until the next one begins. */
  failure?: { code: string; message: string };
}

/** The run, as far as the screen shows it. */
export interface RunState {
  id: Run["id"];
  flow: string;
  phase: Phase;
  startedAt: Timestamp;
  /** Somebody stopped the agents, and people have not said yet how it goes on. */
  interrupted: boolean;
  /** When it ended, where that was seen. */
  endedAt?: Timestamp;
  input: MessageId;
  final_message?: MessageId;
  error?: { code: string; message: string };
  cancelled?: string;
  /** The plan that it follows. */
  plan?: Plan;
  /** The flow that a router chose. */
  route?: string;
}

/** What is decided on became another one. */
export interface Revision {
  rev: number;
  by: Actor;
  /** What it was before: the arguments of a call, or the plan. */
  before: { arguments?: string; plan?: Plan };
}

/** One act on the run in its three phases. */
export interface ControlTrace {
  id: number;
  verb: "pause" | "resume" | "interrupt" | "cancel";
  by: Actor | null;
  reason?: string;
  requestedAt?: Timestamp;
  acknowledgedAt?: Timestamp;
  effectiveAt?: Timestamp;
  /** When I asked for it, by this machine's clock; absent where somebody else did, or another page. */
  pressed?: number;
  /** Milliseconds from my press until it had come true and this page knew. */
  tookMs?: number;
}

/** A line of the timeline that is neither message nor gate. */
export interface Note {
  seq: number;
  frame: EventFrame;
}

/** A command of mine whose event has not come back yet. */
export interface PendingCommand {
  command: CommandFrame & { session: SessionId };
  /** When it was given, by this machine's clock. */
  at: number;
  /** When the server was first sent it. */
  sentAt?: number;
  /** Why it was not taken yet, in the server's words; it is sent again by itself. */
  delayed?: ErrorBody;
  /** The seq that acknowledged it. */
  acked?: number;
  /** Why it was refused, in the server's words. */
  refused?: ErrorBody;
}

/** Where a reconnect took up again. */
interface Resumption {
  from: number;
  through: number;
  at: number;
  /** Agents whose unfinished text was lost with the server, and who write it again. */
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
  /** The current socket shows it. */
  joined: boolean;
  /** The person went elsewhere: coming back is no reconnect. */
  left: boolean;
  /** It has been seen whole at least once: a snapshot, or the log from its beginning. */
  loaded: boolean;
  /** The cursor: every event up to this one is in here. */
  seq: number;
  /** When the last of them happened: under the same seq another history has another event. */
  at: Timestamp | null;
  /** Every event after this one is known by itself; what was before came in a snapshot, without what that leaves out. */
  knownAfter: number;
  /** Some of it was erased and may still be in here: it is begun anew from a snapshot. */
  stale: boolean;
  /** How often it was begun anew: what was asked for before is not put into what came after. */
  generation: number;
  /** The newest seq that the server spoke of. */
  head: number;
  caughtUp: boolean;
  /** The cursor with which the current join began; null after a snapshot. */
  joinedAfter: number | null;
  resumed: Resumption | null;
  rights: Right[];
  title: string;
  createdAt: Timestamp | null;
  closed: boolean;
  /** All that was written in it was erased, and by whom. */
  redacted?: Redaction | null;
  team: Team | null;
  settings: Settings | null;
  participants: Member[];
  /** Those who are no longer here, as far as this page has seen them: what they did still has their name. */
  former: Member[];
  /** The ids of those who came by a link and named themselves. */
  guests: string[];
  /** Those who ask to come in. */
  knocks: Knock[];
  run: RunState | null;
  gates: Gate[];
  /** Gates that ended without a decision, and how. */
  lapsed: Record<GateId, Lapse>;
  /** Open gates whose subject somebody changed before my eyes. */
  revised: Record<GateId, Revision>;
  /** The calls of tools, in order. */
  calls: Record<CallId, CallTrace>;
  /** What flows read from messages, and what they could not. */
  parsedOutputs: Record<MessageId, ParsedOutput>;
  parseFailures: Record<MessageId, ParseFailure>;
  /** Who worked when. */
  spans: WorkSpan[];
  inbox: QueuedMessage[];
  messages: Message[];
  /** Older messages are to be had. */
  more: boolean;
  streaming: Record<MessageId, StreamingMessage>;
  controls: ControlTrace[];
  notes: Note[];
  /** Every version of every file, oldest first. */
  files: File[];
  usage: UsageState;
  pending: PendingCommand[];
  presence: Presence | null;
  /** What the server last said about its own delay; null: everything comes at once. */
  liveness: Liveness | null;
  /** Who is writing, by their ids; `gate` where they change what it decides on. */
  typing: Record<string, { name: string; at: number; gate?: GateId }>;
  /** Why it is not shown any more. */
  ended: { code: string; message: string } | null;
  /** Why it could not be joined. */
  problem: ErrorBody | null;
}

/** Everything. */
export interface AppState {
  me: Actor | null;
  /** What the server lets me do outside of sessions: `admin`, `member`, `guest`. */
  serverRole: string | null;
  limits: Limits | null;
  server: ServerInfo | null;
  connection: ConnectionState;
  /** The list, as the server last gave it; null until then. */
  list: SessionEntry[] | null;
  /** What that list was searched for. */
  search: string;
  /** The knowledge bases that I may read, as the server last gave them; null until somebody has asked. */
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

/** A session of which nothing is known yet. */
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
    rights: [],
    title: "",
    createdAt: null,
    closed: false,
    team: null,
    settings: null,
    participants: [],
    former: [],
    guests: [],
    knocks: [],
    run: null,
    gates: [],
    lapsed: {},
    revised: {},
    calls: {},
    parsedOutputs: {},
    parseFailures: {},
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
