/** Actions of the page: every action of the screen ends here. */
import type {
  Choice,
  CommandData,
  FileId,
  Gate,
  GateId,
  BatchedVote,
  MessageId,
  Mode,
  PermissionId,
  Role,
  RunId,
  ServerFrame,
  SessionId,
  StandingTerms,
  VoteDelegate,
} from "../protocol";
import { commandId } from "../wire/commandId";
import type { NewComment } from "../state/commentThreads";
import { Connection } from "../wire/connection";
import { knowledge, type Base, type BaseRequest } from "../wire/knowledge";
import { manage } from "../wire/manage";
import { rest } from "../wire/rest";
import { seqOf } from "../wire/frames";
import { currentStep } from "../state/runSelectors";
import type { SessionState } from "../state/model";
import { backfillStart } from "../state/backfill";
import { fetchEventsAfter } from "./eventLog";
import { Outbox } from "./outbox";
import { Store } from "./store";
import { unknownSessionError } from "./unknownSessionError";
import { fetchCurrentUser } from "./currentUser";

/** Messages requested at a time. */
const PAGE_SIZE = 100;
/** Milliseconds between two typing signals. */
const TYPING_INTERVAL_MS = 2500;

/** Content of a vote, apart from the choice. */
interface Ballot {
  comment?: string;
  /** Edited subject: a plan, or the arguments of a call. */
  edit?: Record<string, unknown>;
  /** Standing permission that the vote proposes. */
  standing?: StandingTerms;
}

export class Client {
  readonly store = new Store();
  readonly connection: Connection;
  readonly #outbox: Outbox;
  #current: SessionId | null = null;
  #search = "";
  #typedAt = 0;
  #loading = new Set<SessionId>();
  #backfills = new Map<SessionId, Promise<void>>();
  /** Session that waits for a snapshot because of a redaction. Until it arrives, no other snapshot is requested. */
  #renewing: SessionId | null = null;

  constructor(url: string) {
    this.connection = new Connection(url, {
      frame: (frame) => this.#onFrame(frame),
      state: (connection) => this.store.dispatch({ type: "connection_changed", connection }),
      signedIn: () => this.#signedIn(),
    });
    this.#outbox = new Outbox(this.store, (frame) => this.connection.send(frame));
  }

  /** Connects, and fetches the description of the server. */
  start(): void {
    this.connection.open();
    void this.refreshServer();
    void this.refreshList();
  }

  /** Opens the session and leaves the previous one. */
  openSession(session: SessionId | null): void {
    if (session === this.#current) return;
    if (this.#current) {
      this.connection.send({ type: "leave", session: this.#current });
      this.store.dispatch({ type: "session_left", session: this.#current });
    }
    this.#current = session;
    if (!session) return;
    this.store.dispatch({ type: "session_opened", session });
    this.#outbox.restore(session);
    this.#join(session);
  }

  async refreshServer(): Promise<void> {
    try {
      const [facts, me] = await Promise.all([rest.server(), fetchCurrentUser()]);
      this.store.dispatch({ type: "server_loaded", facts });
      if (me) this.store.dispatch({ type: "user_loaded", you: me.you, serverRole: me.server_role ?? null });
    } catch {
      // The connection state already shows that the server is unreachable.
    }
  }

  async refreshList(search: string = this.#search): Promise<void> {
    this.#search = search;
    try {
      const { sessions } = await rest.sessions(search);
      if (search === this.#search) this.store.dispatch({ type: "sessions_loaded", sessions, search });
    } catch {
      // The list on screen stays; the connection state shows why it is not updated.
    }
  }

  /** Fetches the list of knowledge bases. */
  async refreshBases(): Promise<void> {
    const bases = await knowledge.list();
    this.store.dispatch({ type: "bases_loaded", bases });
  }

  async createBase(body: BaseRequest): Promise<Base> {
    const base = await knowledge.create(body);
    await this.refreshBases();
    return base;
  }

  async updateBase(base: number, body: Partial<BaseRequest>): Promise<void> {
    await knowledge.change(base, body);
    await this.refreshBases();
  }

  async removeBase(base: number): Promise<void> {
    await knowledge.remove(base);
    await this.refreshBases();
  }

  /** Fetches the messages before the oldest one on screen. */
  async loadOlder(session: SessionId): Promise<void> {
    const known = this.store.get().sessions[session];
    const oldest = known?.messages[0];
    if (!oldest || this.#loading.has(session)) return;
    this.#loading.add(session);
    try {
      const { messages, more } = await rest.messages(session, oldest.id, PAGE_SIZE);
      // The session was reloaded meanwhile, and the response can contain erased content.
      if (this.store.get().sessions[session]?.generation !== known.generation) return;
      this.store.dispatch({ type: "history_loaded", session, messages, more });
      void this.#backfillTimeline(session);
    } catch {
      // The row that requests them stays, and requests them again when it is next visible.
    } finally {
      this.#loading.delete(session);
    }
  }

  /** Fetches which participants chose their own names. */
  async refreshGuests(session: SessionId): Promise<void> {
    try {
      const { guests } = await manage.guests(session);
      this.store.dispatch({ type: "guests_loaded", session, guests });
    } catch {
      // In this case, nobody is marked; the next new participant triggers another request.
    }
  }

  say(session: SessionId, text: string, mode: Mode, files: FileId[] = []): void {
    this.#sendCommand(session, { do: "say", data: { text, mode, ...(files.length > 0 ? { files } : {}) } });
  }

  /** Starts a run. */
  startRun(session: SessionId, command: CommandData): void {
    this.#sendCommand(session, command);
  }

  removeFile(session: SessionId, name: string): void {
    this.#sendCommand(session, { do: "remove_file", data: { name } });
  }

  /** Makes this version the newest, even if the file was removed. */
  restoreFile(session: SessionId, file: FileId): void {
    this.#sendCommand(session, { do: "restore_file", data: { file } });
  }

  withdraw(session: SessionId, message: MessageId): void {
    this.#sendCommand(session, { do: "withdraw", data: { message } });
  }

  /** Withdraws my command that waits for an owner. */
  withdrawCommand(session: SessionId, gate: GateId): void {
    this.#sendCommand(session, { do: "withdraw_command", data: { gate } });
  }

  vote(session: SessionId, gate: Gate, choice: Choice, ballot: Ballot = {}): void {
    this.#sendCommand(session, { do: "vote", data: { gate: gate.id, choice, ...ballot } }, gate.rev);
  }

  /** Votes at several gates at the same time: all of the votes count, or none. */
  voteBatch(session: SessionId, votes: BatchedVote[]): void {
    const [first, ...others] = votes;
    if (first) this.#sendCommand(session, { do: "vote_batch", data: { votes: [first, ...others] } });
  }

  withdrawVote(session: SessionId, gate: GateId): void {
    this.#sendCommand(session, { do: "withdraw_vote", data: { gate } });
  }

  /** Comments at the gate at this revision: starts a thread at a place, or replies in one. Returns the command's id. */
  comment(session: SessionId, gate: Gate, comment: NewComment): string {
    return this.#sendCommand(session, { do: "comment", data: { gate: gate.id, ...comment } }, gate.rev);
  }

  resolveComment(session: SessionId, gate: GateId, thread: MessageId, resolved: boolean): void {
    this.#sendCommand(session, { do: "resolve_comment", data: { gate, thread, resolved } });
  }

  /** Erases my own comment while the gate is open. */
  deleteComment(session: SessionId, gate: GateId, comment: MessageId): void {
    this.#sendCommand(session, { do: "delete_comment", data: { gate, comment } });
  }

  /** Lets a participant vote on my behalf. With null, I vote myself again. */
  delegateVotes(session: SessionId, delegate: VoteDelegate | null): void {
    this.#sendCommand(session, { do: "delegate_votes", data: { ...delegate } });
  }

  /** Proposes a rule that the votes suggest. */
  proposeRule(session: SessionId, suggestion: string): void {
    this.#sendCommand(session, { do: "propose_rule", data: { suggestion } });
  }

  /** Ends a standing permission. */
  revokePermission(session: SessionId, permission: PermissionId): void {
    this.#sendCommand(session, { do: "revoke_permission", data: { permission } });
  }

  /** Answers the gate at this revision, with text or with a value of the form. */
  answer(session: SessionId, gate: Gate, value: unknown): void {
    // The gate's schema defines valid values; the server checks them.
    // The gate's schema defines valid values; the server checks them.
    const answer = typeof value === "string" ? { text: value } : { value: value as Record<string, unknown> };
    this.#sendCommand(session, { do: "answer", data: { gate: gate.id, ...answer } }, gate.rev);
  }

  /** Fetches the events of a run that began before this page was opened. */
  loadRunEvents(session: SessionId, run: RunId): Promise<void> {
    return this.#backfill(session, () => seqOf(run) - 1);
  }

  pause(session: SessionId): void {
    this.#control(session, (run) => ({ do: "pause", data: { run } }));
  }

  resume(session: SessionId): void {
    this.#control(session, (run) => ({ do: "resume", data: { run } }));
  }

  interrupt(session: SessionId): void {
    // The command targets the step that runs now. If it is resent after a lost response, it must not stop a later step.
    const step = currentStep(this.store.get().sessions[session]);
    this.#control(session, (run) => ({ do: "interrupt", data: { run, ...(step && { step }) } }));
  }

  /** Cancels the run for which the dialog was opened; another one can have begun since. */
  cancel(session: SessionId, run: RunId, reason: string): void {
    this.#sendCommand(session, { do: "cancel", data: reason ? { run, reason } : { run } });
  }

  rename(session: SessionId, title: string): void {
    this.#sendCommand(session, { do: "set", data: { title } });
  }

  setRole(session: SessionId, participant: string, role: Role): void {
    this.#sendCommand(session, { do: "set_role", data: { participant, role } });
  }

  admit(session: SessionId, participant: string): void {
    this.#sendCommand(session, { do: "admit", data: { participant } });
  }

  refuse(session: SessionId, participant: string): void {
    this.#sendCommand(session, { do: "refuse", data: { participant } });
  }

  /** Joins a session again after an error, because the result can be different now. */
  rejoin(session: SessionId): void {
    if (session === this.#current) this.#join(session);
    void this.refreshList();
  }

  removeParticipant(session: SessionId, participant: string): void {
    this.#sendCommand(session, { do: "remove", data: { participant } });
  }

  /** Removes a pending or rejected command. */
  dismiss(session: SessionId, id: string): void {
    this.store.dispatch({ type: "command_removed", session, id });
  }

  /** Tells the others that I am typing. */
  signalTyping(session: SessionId): void {
    const now = Date.now();
    if (now - this.#typedAt < TYPING_INTERVAL_MS) return;
    this.#typedAt = now;
    this.connection.send({ type: "signal", session, name: "typing" });
  }

  /** Tells the others that I am editing the subject of this gate. */
  signalEditing(session: SessionId, gate: GateId): void {
    this.connection.send({ type: "signal", session, name: "typing", data: { gate } });
  }

  /** Controls the run on screen. If the command is resent after a lost response, it cannot reach another run. */
  #control(session: SessionId, command: (run: RunId) => CommandData): void {
    const run = this.store.get().sessions[session]?.run;
    if (run) this.#sendCommand(session, command(run.id));
  }

  /** Sends a command. Returns its id. */
  #sendCommand(session: SessionId, command: CommandData, rev?: number): string {
    const expect = rev === undefined ? {} : { expect: { rev } };
    const id = commandId();
    this.#outbox.enqueue({ id, session, ...command, ...expect });
    return id;
  }

  #onFrame(frame: ServerFrame): void {
    if (frame.type === "error" && this.#outbox.retryLater(frame)) return;
    this.store.receive(frame);
    if (frame.type === "joined" || (frame.type === "event" && frame.event === "participant.joined"))
      void this.refreshGuests(frame.session);
    if (frame.type === "welcome" || (frame.type === "joined" && frame.session === this.#renewing))
      this.#renewing = null;
    if (frame.type === "welcome") {
      this.store.flush();
      this.#outbox.reconnected();
      if (this.#current) this.#join(this.#current);
      void this.refreshList();
    } else if (frame.type === "caught_up") {
      this.store.flush();
      this.#outbox.flush(frame.session);
      void this.#backfillTimeline(frame.session);
    } else if (frame.type === "closing") {
      void this.refreshList();
    } else if (frame.type === "event" && frame.event.endsWith(".redacted")) {
      this.#redacted(frame.session);
    }
  }

  /** Drops erased content: the session is reloaded from a snapshot, and the list is fetched for the title. */
  #redacted(session: SessionId): void {
    this.store.flush();
    if (!this.store.get().sessions[session]?.stale || this.#renewing === session) return;
    if (session === this.#current) {
      this.#renewing = session;
      this.#join(session);
    }
    void this.refreshList();
  }

  /** Fetches the events between the messages on screen that no snapshot contains. */
  async #backfillTimeline(session: SessionId): Promise<void> {
    try {
      await this.#backfill(session, backfillStart);
    } catch {
      // Their rows are missing until the next visit of the session requests the events again.
    }
  }

  /** Fetches the events after a seq that this page does not know. Fetches for one session run one after another. */
  #backfill(id: SessionId, since: (session: SessionState) => number): Promise<void> {
    const backfill = (this.#backfills.get(id) ?? Promise.resolve()).then(async () => {
      const session = this.store.get().sessions[id];
      if (!session) return;
      const { knownAfter: until } = session;
      const after = since(session);
      if (after >= until) return;
      const events = await fetchEventsAfter(id, after);
      this.store.dispatch({ type: "events_loaded", session: id, after, until, events });
    });
    this.#backfills.set(
      id,
      backfill.catch(() => undefined),
    );
    return backfill;
  }

  #join(session: SessionId): void {
    const frame = unknownSessionError(session);
    if (frame) return this.store.dispatch({ type: "frame", frame, now: Date.now() });
    const known = this.store.get().sessions[session];
    const position = known?.loaded && !known.stale ? { after: known.seq, at: known.at ?? undefined } : {};
    this.connection.send({ type: "join", session, ...position });
  }

  async #signedIn(): Promise<boolean | null> {
    try {
      return (await fetchCurrentUser()) !== null;
    } catch {
      return null;
    }
  }
}
