// Made from docs/protocol.schema.json by `npm run types`. Change the Rust types in src/protocol instead.

/**
 * One text frame from a client.
 */
export type ClientFrame =
  | {
      /**
       * `name/version` of the client.
       */
      client?: string | null;
      /**
       * A token.
       */
      token?: string | null;
      type: "hello";
    }
  | {
      /**
       * The seq that I already have; absent: a snapshot, then live; 0: the whole log.
       */
      after?: number | null;
      /**
       * The `at` of the event with that seq, as I have it. Where the log has another event there by now, as after a backup
       * was restored, the answer begins with a snapshot.
       */
      at?: Timestamp | null;
      session: SessionId;
      type: "join";
    }
  | {
      session: SessionId;
      type: "leave";
    }
  | (CommandFrame & {
      type: "command";
    })
  | {
      /**
       * What about it, at most 1 KiB.
       */
      data?: {
        [k: string]: unknown;
      };
      /**
       * `typing` or `looking_at`.
       */
      name: string;
      session: SessionId;
      type: "signal";
    }
  | {
      type: "ping";
    };
export type Timestamp = string;
export type SessionId = string;
/**
 * Chosen by the client (a ULID or UUID) so that sending a command twice is safe.
 */
export type CommandId = string;
/**
 * The commands and their arguments: `do` is the name, `data` the fields.
 */
export type CommandData =
  | {
      data: {
        /**
         * Files of the session that come with the words.
         */
        files?: FileId[];
        mode?: Mode;
        text: string;
        to?: SayTo[] | null;
      };
      do: "say";
    }
  | {
      data: {
        message: MessageId;
      };
      do: "withdraw";
    }
  | {
      data: {
        /**
         * Files of the session that come with it.
         */
        files?: FileId[];
        flow?: string | null;
        input: string;
      };
      do: "start";
    }
  | {
      data: {
        choice: Choice;
        comment?: string | null;
        /**
         * What is decided on, changed: the arguments of a call, or a plan. Comes with `approve`.
         */
        edit?: {
          [k: string]: unknown;
        };
        gate: GateId;
      };
      do: "vote";
    }
  | {
      data: {
        gate: GateId;
        value: unknown;
      };
      do: "answer";
    }
  | {
      data: {};
      do: "pause";
    }
  | {
      data: {};
      do: "resume";
    }
  | {
      data: {
        text?: string | null;
      };
      do: "interrupt";
    }
  | {
      data: {
        reason?: string | null;
      };
      do: "cancel";
    }
  | {
      data: {
        participant: ParticipantId;
        role: Role;
      };
      do: "invite";
    }
  | {
      data: {
        participant: ParticipantId;
        role: Role;
      };
      do: "set_role";
    }
  | {
      data: {
        participant: ParticipantId;
      };
      do: "remove";
    }
  | {
      data: {};
      do: "leave";
    }
  | {
      data: {
        settings?: Settings | null;
        title?: string | null;
      };
      do: "set";
    }
  | {
      data: {
        name: string;
      };
      do: "remove_file";
    }
  | {
      data: {
        file: FileId;
      };
      do: "restore_file";
    }
  | {
      data: {
        reason?: string | null;
      };
      do: "close";
    };
export type FileId = string;
/**
 * How a message acts on a busy run.
 */
export type Mode = "queue" | "steer";
/**
 * Whom a `say` is for, in place of the mentions in its text: ids, names, or `all`, `people`, `role:reviewer`.
 */
export type SayTo = Target | string;
/**
 * One addressee.
 */
export type Target =
  | {
      kind: "all";
    }
  | {
      id: AgentId;
      kind: "agent";
    }
  | {
      id: ParticipantId;
      kind: "participant";
    }
  | {
      id: Role;
      kind: "role";
    }
  | {
      kind: "people";
    };
/**
 * An agent of a team, as its configuration names it: `TestCase_Generator`.
 */
export type AgentId = string;
export type ParticipantId = string;
/**
 * A participant's part in a session.
 */
export type Role = "owner" | "member" | "reviewer" | "viewer" | "bot";
export type MessageId = string;
/**
 * A vote.
 */
export type Choice = "approve" | "reject" | "abstain";
export type GateId = string;
/**
 * When votes are enough.
 */
export type Rule =
  | {
      rule: "any";
    }
  | {
      rule: "all";
    }
  | {
      /**
       * How many.
       */
      n: number;
      rule: "at_least";
    }
  | {
      role: Role;
      rule: "role";
    }
  | {
      rule: "veto";
    };
/**
 * What went wrong, as clients can match on it.
 */
export type Code =
  | "unknown_session"
  | "session_closed"
  | "not_a_member"
  | "forbidden"
  | "run_active"
  | "no_run"
  | "nothing_running"
  | "already_paused"
  | "not_paused"
  | "already_requested"
  | "unknown_gate"
  | "already_decided"
  | "gate_closed"
  | "stale_revision"
  | "comment_required"
  | "not_waiting"
  | "not_the_author"
  | "inbox_full"
  | "unknown_participant"
  | "last_owner"
  | "unknown_file"
  | "files_full"
  | "session_full"
  | "too_many_sessions"
  | "not_joined"
  | "link_invalid"
  | "bad_frame"
  | "unknown_command"
  | "invalid_argument"
  | "too_large"
  | "binary_frame"
  | "unauthenticated"
  | "already_authenticated"
  | "not_found"
  | "method_not_allowed"
  | "wrong_origin"
  | "rate_limited"
  | "busy"
  | "store_unavailable"
  | "shutting_down"
  | "timed_out"
  | "internal";
/**
 * What sort of being acts.
 */
export type ActorKind = "user" | "bot" | "agent" | "system";
/**
 * One text frame from the server.
 */
export type ServerFrame =
  | {
      limits: Limits;
      type: "welcome";
      /**
       * The version of the wire.
       */
      version: number;
      you: Actor;
    }
  | {
      /**
       * The newest seq at this moment.
       */
      head: number;
      session: SessionId;
      /**
       * Where you start, if not after a seq of your own.
       */
      snapshot?: SnapshotFrame | null;
      type: "joined";
      /**
       * What you may do here.
       */
      you_can: Right[];
    }
  | ((
      | {
          data: {
            settings: Settings;
            team: Team;
            title: string;
          };
          event: "session.created";
        }
      | {
          data: {
            settings?: Settings | null;
            title?: string | null;
          };
          event: "session.updated";
        }
      | {
          data: {
            reason: string;
          };
          event: "session.closed";
        }
      | {
          data: {
            kind: ActorKind;
            name: string;
            participant: ParticipantId;
            role: Role;
          };
          event: "participant.joined";
        }
      | {
          data: {
            participant: ParticipantId;
            reason: LeaveReason;
          };
          event: "participant.left";
        }
      | {
          data: {
            participant: ParticipantId;
            role: Role;
          };
          event: "participant.role_changed";
        }
      | {
          data: {
            flow: string;
            input: MessageId;
            run: RunId;
            to: Target[];
          };
          event: "run.started";
        }
      | {
          data: {
            from: Phase;
            run: RunId;
            to: Phase;
          };
          event: "run.state_changed";
        }
      | {
          data: {
            answer?: MessageId | null;
            reason: FinishReason;
            run: RunId;
          };
          event: "run.finished";
        }
      | {
          data: {
            error: StepError;
            run: RunId;
          };
          event: "run.failed";
        }
      | {
          data: {
            reason: string;
            run: RunId;
          };
          event: "run.cancelled";
        }
      | {
          data: {
            /**
             * The files that came with it.
             */
            files?: FileId[];
            message: MessageId;
            text: string;
          };
          event: "message.posted";
        }
      | {
          data: {
            message: MessageId;
            reason: RouteReason;
            to: Target[];
            unresolved?: Unresolved[];
            /**
             * How it waits for a busy run; absent: it does not wait.
             */
            waiting?: Mode | null;
          };
          event: "message.routed";
        }
      | {
          data: {
            message: MessageId;
          };
          event: "message.withdrawn";
        }
      | {
          data: {
            message: MessageId;
            run: RunId;
            step?: StepId | null;
          };
          event: "message.consumed";
        }
      | {
          data: {
            agent: AgentId;
            attempt: number;
            message: MessageId;
            /**
             * The attempt takes up work that a restart or a lost node left behind.
             */
            recovered?: boolean;
            run: RunId;
            step: StepId;
            task?: Task;
          };
          event: "message.started";
        }
      | {
          data: {
            agent: AgentId;
            attempt: number;
            /**
             * How many tools it calls; as many `tool.proposed` follow.
             */
            calls?: number;
            message: MessageId;
            run: RunId;
            step: StepId;
            text: string;
          };
          event: "message.completed";
        }
      | {
          data: {
            agent: AgentId;
            attempt: number;
            message: MessageId;
            reason: AbortReason;
            run: RunId;
            step: StepId;
            text: string;
          };
          event: "message.aborted";
        }
      | {
          data: {
            agents: AgentId[];
            run: RunId;
            step: StepId;
          };
          event: "step.started";
        }
      | {
          data: {
            run: RunId;
            step: StepId;
          };
          event: "step.completed";
        }
      | {
          data: {
            reason: AbortReason;
            run: RunId;
            step: StepId;
          };
          event: "step.skipped";
        }
      | {
          data: {
            agent: AgentId;
            attempt: number;
            error: StepError;
            message: MessageId;
            retry_at?: Timestamp | null;
            run: RunId;
            step: StepId;
          };
          event: "step.failed";
        }
      | {
          data: {
            /**
             * The agent that made it.
             */
            agent?: AgentId | null;
            bytes: number;
            /**
             * The call that made it.
             */
            call?: CallId | null;
            /**
             * BLAKE3 of the content, in hexadecimal.
             */
            digest: string;
            file: FileId;
            /**
             * What the server takes it for.
             */
            media_type: string;
            name: string;
            /**
             * From 1; one more than there were of this name.
             */
            version: number;
          };
          event: "file.added";
        }
      | {
          data: {
            file: FileId;
            name: string;
          };
          event: "file.removed";
        }
      | {
          data: {
            agent: AgentId;
            /**
             * As its author wrote them: JSON, if it did well.
             */
            arguments: string;
            call: CallId;
            /**
             * The message that it came with; absent where a step of the plan is the call.
             */
            message?: MessageId | null;
            name: string;
            run: RunId;
            step: StepId;
            task?: Task;
          };
          event: "tool.proposed";
        }
      | {
          data: {
            call: CallId;
            idempotent: boolean;
            permission: Permission;
            run: RunId;
          };
          event: "tool.judged";
        }
      | {
          data: {
            attempt: number;
            call: CallId;
            digest: string;
            rev: number;
            run: RunId;
          };
          event: "tool.started";
        }
      | {
          data: {
            attempt: number;
            call: CallId;
            /**
             * The files that it made; each is in the log already.
             */
            files?: FileId[];
            output: string;
            run: RunId;
          };
          event: "tool.completed";
        }
      | {
          data: {
            attempt: number;
            call: CallId;
            error: StepError;
            run: RunId;
          };
          event: "tool.failed";
        }
      | {
          data: {
            attempt: number;
            call: CallId;
            run: RunId;
          };
          event: "tool.uncertain";
        }
      | {
          data: {
            message?: MessageId | null;
            plan: Plan;
            run: RunId;
          };
          event: "plan.proposed";
        }
      | {
          data: {
            plan: Plan;
            run: RunId;
          };
          event: "plan.edited";
        }
      | {
          data: {
            note?: string;
            /**
             * From 1.
             */
            number: number;
            run: RunId;
            state: StepState;
          };
          event: "plan.step_changed";
        }
      | {
          data: {
            agent: AgentId;
            decision: Judgement;
            message: MessageId;
            run: RunId;
          };
          event: "decision.made";
        }
      | {
          data: {
            message: MessageId;
            output: unknown;
            run: RunId;
          };
          event: "output.produced";
        }
      | {
          data: {
            /**
             * The agent is asked again; else the flow goes on with what it has for this case.
             */
            again: boolean;
            message: MessageId;
            reason: string;
            run: RunId;
          };
          event: "output.rejected";
        }
      | {
          data: {
            gate: Gate;
          };
          event: "gate.opened";
        }
      | {
          data: {
            choice: Choice;
            comment?: string | null;
            gate: GateId;
            /**
             * The message that holds the voter's words.
             */
            message?: MessageId | null;
            rev: number;
            role: Role;
          };
          event: "gate.voted";
        }
      | {
          data: {
            /**
             * The arguments of the call, as they are now.
             */
            arguments?: string | null;
            digest: string;
            gate: GateId;
            /**
             * The plan, as it is now.
             */
            plan?: Plan | null;
            rev: number;
          };
          event: "gate.revised";
        }
      | {
          data: {
            gate: GateId;
            message?: MessageId | null;
            outcome: Outcome;
            rev: number;
            /**
             * Whom the feedback sends back to work.
             */
            to?: Target[];
            votes: Vote[];
          };
          event: "gate.decided";
        }
      | {
          data: {
            gate: GateId;
          };
          event: "gate.expired";
        }
      | {
          data: {
            gate: GateId;
          };
          event: "gate.closed";
        }
      | {
          data: {
            control: number;
            /**
             * The words that came with an interrupt; the run goes on with them.
             */
            message?: MessageId | null;
            reason?: string | null;
            run: RunId;
            verb: ControlVerb;
          };
          event: "control.requested";
        }
      | {
          data: {
            control: number;
            run: RunId;
            verb: ControlVerb;
          };
          event: "control.acknowledged";
        }
      | {
          data: {
            control: number;
            run: RunId;
            verb: ControlVerb;
          };
          event: "control.effective";
        }
      | {
          data: {
            agent: AgentId;
            /**
             * Millionths of the currency that the prices are configured in; 0 where no price is.
             */
            cost_micros: number;
            /**
             * Whether the figures are the server's own estimate, because the provider gave none.
             */
            estimated: boolean;
            input_tokens: number;
            message: MessageId;
            model: string;
            output_tokens: number;
            /**
             * The person or bot whose words the run works on.
             */
            participant?: ParticipantId | null;
            run: RunId;
          };
          event: "usage.recorded";
        }
    ) & {
      at: Timestamp;
      by: Actor;
      /**
       * What led to it.
       */
      cause?: Cause | null;
      /**
       * The run that it belongs to.
       */
      run?: RunId | null;
      /**
       * Its place in the session's log: gapless, from 1.
       */
      seq: number;
      session: SessionId;
      type: "event";
    })
  | {
      /**
       * Offset of the fragment in the item's text, in UTF-8 bytes.
       */
      at: number;
      /**
       * The attempt; a higher one starts again at 0.
       */
      attempt: number;
      item: MessageId;
      session: SessionId;
      /**
       * The fragment.
       */
      text: string;
      type: "delta";
    }
  | {
      /**
       * What about it: for `presence` see [`Presence`], for `liveness` [`Liveness`].
       */
      data: {
        [k: string]: unknown;
      };
      /**
       * `presence`, `liveness`, `typing`, `looking_at`.
       */
      name: string;
      session: SessionId;
      type: "signal";
    }
  | {
      session: SessionId;
      /**
       * The newest seq that you have.
       */
      through: number;
      type: "caught_up";
    }
  | {
      id: CommandId;
      /**
       * The seq of its last event.
       */
      seq: number;
      type: "ack";
    }
  | {
      code: Code;
      /**
       * What else helps: the decision, the current revision, the incident's id.
       */
      details?: {
        [k: string]: unknown;
      };
      /**
       * The command, if it was one.
       */
      id?: CommandId | null;
      /**
       * What it means and what to do.
       */
      message: string;
      /**
       * When to send the same again, where that can help.
       */
      retry_after_ms?: number | null;
      /**
       * The session, if one was named.
       */
      session?: SessionId | null;
      type: "error";
    }
  | {
      /**
       * `removed`, `closed`, `left`.
       */
      code: string;
      /**
       * Why, in words.
       */
      message: string;
      session: SessionId;
      type: "closing";
    }
  | {
      type: "pong";
    };
/**
 * What a gate allows people to do.
 */
export type Act = "approve" | "edit" | "reject" | "respond";
export type CallId = string;
/**
 * How a gate ended.
 */
export type Outcome = "approved" | "rejected" | "responded";
/**
 * What sort of question a gate asks.
 */
export type GateKind = "feedback" | "plan" | "tool" | "question" | "uncertain";
export type RunId = string;
/**
 * What a subject is.
 */
export type SubjectId = MessageId | CallId;
/**
 * Why an item ended without being finished.
 */
export type AbortReason = "interrupted" | "cancelled" | "failed";
export type StepId = string;
/**
 * What an agent is to do in a step.
 */
export type Task =
  | {
      kind: "reply";
    }
  | {
      kind: "route";
    }
  | {
      kind: "plan";
    }
  | {
      kind: "execute";
      /**
       * Its number.
       */
      number: number;
      /**
       * Which of the parts that are done side by side, from 0.
       */
      part?: number;
    }
  | {
      kind: "judge";
    }
  | {
      kind: "summarize";
    };
/**
 * One of the three ways to act on a run that is not finished, each in three recorded phases.
 */
export type ControlVerb = "pause" | "resume" | "interrupt" | "cancel";
/**
 * Where a call stands.
 */
export type CallState = "proposed" | "asked" | "allowed" | "started" | "uncertain" | "completed" | "failed";
/**
 * What comes next.
 */
export type Action =
  "continue" | "retry" | "skip" | "end" | "request_input" | "synthesize" | "adjust_plan" | "route";
/**
 * Where a step of a plan stands.
 */
export type StepState = "not_started" | "in_progress" | "completed" | "blocked" | "skipped";
/**
 * Where a run stands. Derived, never set: see [`Run::phase`].
 */
export type Phase =
  | "pending"
  | "planning"
  | "waiting"
  | "executing"
  | "paused"
  | "recovering"
  | "completed"
  | "failed"
  | "cancelled";
/**
 * What may be done with a call, as the rules of its agent and its tool have it.
 */
export type Permission = "allow" | "ask" | "deny";
/**
 * An agent's place in the flow.
 */
export type AgentRole =
  "generator" | "reviewer" | "optimizer" | "worker" | "router" | "planner" | "executor" | "summarizer";
/**
 * Whether an agent calls tools.
 */
export type ToolChoice = "none" | "auto" | "required";
/**
 * The language that the server's own words to a session are in.
 */
export type Language = "en" | "zh";
/**
 * One thing that a role may allow.
 */
export type Right = "watch" | "say" | "approve" | "control" | "invite" | "manage";
/**
 * Why a participant is no longer in the session.
 */
export type LeaveReason = "left" | "removed";
/**
 * Why a run ended well.
 */
export type FinishReason = "completed" | "message_limit" | "step_limit";
/**
 * Why a message went where it went.
 */
export type RouteReason = "explicit" | "mention" | "default" | "approval" | "vote" | "unresolved";
/**
 * What led to an event: a participant's command, or an earlier event.
 */
export type Cause = number | CommandId;

/**
 * Everything that goes over the wire.
 */
export interface Wire {
  client: ClientFrame;
  command: CommandData;
  error: ErrorBody;
  liveness: Liveness;
  presence: Presence;
  server: ServerFrame;
}
/**
 * A request to change a session.
 */
export interface CommandFrame {
  /**
   * Its arguments, see [`CommandData`].
   */
  data?: {
    [k: string]: unknown;
  } | null;
  /**
   * What: the name of the command.
   */
  do: string;
  /**
   * What the sender believes; if it is no longer so, the command is refused.
   */
  expect?: Expect | null;
  id: CommandId;
  /**
   * Where. Over REST the path says it.
   */
  session?: SessionId | null;
}
/**
 * What the sender of a command believes.
 */
export interface Expect {
  /**
   * The revision of the gate that the sender saw.
   */
  rev: number;
}
/**
 * A session's own settings.
 */
export interface Settings {
  approval?: Rule;
  /**
   * Tries of one turn before the run fails.
   */
  attempts?: number;
  /**
   * Calls of tools in one turn; further ones are refused.
   */
  calls_per_turn?: number;
  /**
   * Code bases that agents may read, by the names that the server's configuration has for them.
   */
  code?: string[];
  /**
   * Seconds that a gate stays open; absent: until it is decided.
   */
  gate_seconds?: number | null;
  /**
   * Messages that may wait for a busy run.
   */
  inbox?: number;
  /**
   * Knowledge bases that agents may search.
   */
  knowledge?: string[];
  /**
   * Messages of people and agents that one run may hold before it ends with `message_limit`; turns that call tools do
   * not count.
   */
  messages_per_run?: number;
  /**
   * Agents at work side by side; further ones wait for the next step.
   */
  parallel?: number;
  /**
   * How often an agent is asked again for an answer that could not be read.
   */
  repairs?: number;
  /**
   * How often a step of a plan is begun again before it counts as blocked.
   */
  retries?: number;
  /**
   * Steps that one run may take before it ends with `step_limit`.
   */
  steps_per_run?: number;
  /**
   * Turns of one agent for one task: the last one may call no tools.
   */
  turns_per_task?: number;
}
/**
 * An error as clients receive it, over the socket and over HTTP.
 */
export interface ErrorBody {
  code: Code;
  /**
   * What else helps: the decision, the current revision, the incident's id.
   */
  details?: {
    [k: string]: unknown;
  };
  /**
   * What it means and what to do.
   */
  message: string;
  /**
   * When to send the same again, where that can help.
   */
  retry_after_ms?: number | null;
}
/**
 * The data of a `liveness` signal: whether what is written is seen as it is written. Absent as long as it always was.
 */
export interface Liveness {
  /**
   * Else events come up to so many milliseconds late, and fragments not at all: the way between the server's nodes is
   * interrupted. Nothing is lost.
   */
  delay_ms: number;
  /**
   * Events and fragments come at once.
   */
  live: boolean;
}
/**
 * The data of a `presence` signal: everybody who is watching now.
 */
export interface Presence {
  /**
   * Who, each once, however many tabs they have open.
   */
  here: Actor[];
  /**
   * Connections beyond these that the list has no room for.
   */
  more: number;
}
/**
 * Who did something, as the server knows it; never taken from a client (law 7).
 */
export interface Actor {
  /**
   * A participant's or an agent's id; `system` for the server.
   */
  id: string;
  kind: ActorKind;
  /**
   * The name that people read.
   */
  name: string;
}
/**
 * What the server accepts.
 */
export interface Limits {
  /**
   * Bytes of one frame from a client.
   */
  frame_bytes: number;
  /**
   * Sessions that one connection may join.
   */
  joined_sessions: number;
  /**
   * Seconds between the server's pings.
   */
  ping_seconds: number;
  /**
   * Bytes of a message's text.
   */
  text_bytes: number;
}
/**
 * Where a viewer starts without a seq of its own.
 */
export interface SnapshotFrame {
  /**
   * The state is the fold of all events up to this one.
   */
  seq: number;
  state: View;
}
/**
 * A session at one seq, bounded however long its log is.
 */
export interface View {
  /**
   * It takes no further commands.
   */
  closed: boolean;
  created_at: Timestamp;
  /**
   * Gates that ended, newest last, at most [`View::DECIDED`].
   */
  decided: Gate[];
  /**
   * Every version of its files, oldest first; the newest of a name is the one that counts.
   */
  files?: File[];
  /**
   * Open gates.
   */
  gates: Gate[];
  /**
   * Messages that wait for the run, in order.
   */
  inbox: Queued[];
  /**
   * The newest messages, oldest first, at most [`View::MESSAGES`].
   */
  messages: Message[];
  /**
   * Whether there are older messages than these; they are to be had over REST.
   */
  more: boolean;
  /**
   * Its people and bots.
   */
  participants: Member[];
  /**
   * Participants who were removed, newest last, at most [`View::REMOVED`]: an old invitation does not bring them back.
   */
  removed?: ParticipantId[];
  /**
   * The current run, or the last one.
   */
  run?: Run | null;
  session: SessionId;
  settings: Settings;
  team: Team;
  /**
   * Its title.
   */
  title: string;
  updated_at: Timestamp;
  /**
   * What agents used in the session.
   */
  usage_by_agent: UsageTotals[];
  /**
   * What was used on behalf of each participant.
   */
  usage_by_participant: UsageTotals[];
  usage_of_run: UsageTotals;
}
/**
 * A place where a run waits for people.
 */
export interface Gate {
  /**
   * The agent after whose work it opened.
   */
  agent?: AgentId | null;
  /**
   * The agents that feedback may be addressed to.
   */
  agents: AgentId[];
  /**
   * What people may do.
   */
  allow: Act[];
  /**
   * The call that waits for it.
   */
  call?: CallId | null;
  /**
   * What one should know to answer it.
   */
  context?: string | null;
  /**
   * When it expires.
   */
  deadline?: Timestamp | null;
  /**
   * How it ended.
   */
  decision?: Decision | null;
  /**
   * Roles that may vote.
   */
  eligible: Role[];
  id: GateId;
  kind: GateKind;
  opened_at: Timestamp;
  /**
   * What is asked, in the session's language.
   */
  prompt: string;
  /**
   * The revision that a vote must name.
   */
  rev: number;
  rule: Rule;
  run: RunId;
  /**
   * JSON Schema of an answer, or of the arguments that may be edited.
   */
  schema?: {
    [k: string]: unknown;
  };
  /**
   * What is decided on; absent where nothing has been written yet.
   */
  subject?: Subject | null;
  /**
   * Votes so far, the latest of each participant.
   */
  votes?: Vote[];
}
/**
 * How and by whom a gate was ended.
 */
export interface Decision {
  at: Timestamp;
  by: Actor;
  /**
   * The feedback that decided it.
   */
  message?: MessageId | null;
  outcome: Outcome;
}
/**
 * What is decided on; a decision holds for exactly this revision and text (law 11).
 */
export interface Subject {
  /**
   * BLAKE3 of its text or arguments, in hexadecimal.
   */
  digest: string;
  id: SubjectId;
  /**
   * Counted from 1.
   */
  rev: number;
}
/**
 * Who voted what.
 */
export interface Vote {
  at: Timestamp;
  by: Actor;
  choice: Choice;
  /**
   * Why.
   */
  comment?: string | null;
  /**
   * The message that holds the voter's words, for the agents to read.
   */
  message?: MessageId | null;
  role: Role;
}
/**
 * One version of a file.
 */
export interface File {
  at: Timestamp;
  by: Actor;
  /**
   * How large it is.
   */
  bytes: number;
  /**
   * The call of a tool that made it.
   */
  call?: CallId | null;
  /**
   * BLAKE3 of the content, in hexadecimal.
   */
  digest: string;
  id: FileId;
  /**
   * What the server takes it for, by its name and its content.
   */
  media_type: string;
  /**
   * What the file is called; all versions are called the same.
   */
  name: string;
  /**
   * Somebody took the file out of the list after this version.
   */
  removed?: boolean;
  /**
   * From 1.
   */
  version: number;
}
/**
 * A message that waits. It stands among the messages as well; this is its place in the queue.
 */
export interface Queued {
  message: MessageId;
  mode: Mode;
  /**
   * For whom.
   */
  to: Target[];
}
/**
 * A text that is complete, or as complete as it will ever be.
 */
export interface Message {
  /**
   * Why an agent did not finish it; absent: it did.
   */
  aborted?: AbortReason | null;
  at: Timestamp;
  by: Actor;
  /**
   * How many tools it calls.
   */
  calls?: number;
  /**
   * The files that came with it.
   */
  files?: FileId[];
  id: MessageId;
  /**
   * The run that it belongs to; absent: conversation beside the runs.
   */
  run?: RunId | null;
  /**
   * The step in which an agent wrote it.
   */
  step?: StepId | null;
  task?: Task;
  /**
   * The text.
   */
  text: string;
  /**
   * Whom it is for; empty: the flow decides.
   */
  to?: Target[];
  /**
   * The mentions in it that name nobody.
   */
  unresolved?: Unresolved[];
}
/**
 * A mention that names nobody; never guessed at.
 */
export interface Unresolved {
  /**
   * The names that come nearest, best first, at most three.
   */
  nearest: string[];
  /**
   * What was written after the `@`.
   */
  text: string;
}
/**
 * A person or bot in the session.
 */
export interface Member {
  id: ParticipantId;
  kind: ActorKind;
  /**
   * The name that people read; also works in a mention.
   */
  name: string;
  role: Role;
}
/**
 * One execution of a flow.
 */
export interface Run {
  /**
   * Its final answer.
   */
  answer?: MessageId | null;
  /**
   * Acts that are not yet effective.
   */
  controls: Control[];
  /**
   * Tasks that are done, in the order in which they were begun.
   */
  done?: Done[];
  /**
   * Why it failed.
   */
  error?: StepError | null;
  /**
   * Turns that called tools, with the calls.
   */
  exchanges?: Exchange[];
  /**
   * Its flow.
   */
  flow: string;
  id: RunId;
  input: MessageId;
  /**
   * The agents of the running step that are not done yet in it, with those who write now.
   */
  items: Item[];
  /**
   * What was decided last.
   */
  judgement?: Judgement | null;
  /**
   * Messages of people and agents in it, but for those that called tools.
   */
  messages: number;
  /**
   * What it has found, where that has a shape.
   */
  output?: {
    [k: string]: unknown;
  };
  /**
   * Somebody paused it.
   */
  paused: boolean;
  phase: Phase;
  /**
   * The plan that it follows.
   */
  plan?: Plan | null;
  /**
   * Answers of the tasks under way that could not be read.
   */
  rejected?: Rejected[];
  round: Round;
  /**
   * Rounds so far.
   */
  rounds: number;
  /**
   * The flow that a router chose.
   */
  route?: string | null;
  started_at: Timestamp;
  /**
   * The participant whose words it works on, and what sort they are: their usage it is.
   *
   * @minItems 2
   * @maxItems 2
   */
  started_by?: [ParticipantId, ActorKind] | null;
  /**
   * The running step.
   */
  step?: StepId | null;
  /**
   * Steps so far.
   */
  steps?: number;
}
/**
 * An act on the run that is requested and not yet effective.
 */
export interface Control {
  /**
   * The orchestrator has begun with it.
   */
  acknowledged: boolean;
  /**
   * The seq of its `control.requested`.
   */
  id: number;
  /**
   * The words that came with it.
   */
  message?: MessageId | null;
  /**
   * The reason given.
   */
  reason?: string | null;
  verb: ControlVerb;
}
/**
 * A task that is done.
 */
export interface Done {
  agent: AgentId;
  /**
   * The call that did it.
   */
  call?: CallId | null;
  /**
   * The words that ended it; absent where a tool was called without a model.
   */
  message?: MessageId | null;
  step: StepId;
  task?: Task;
}
/**
 * What went wrong with an attempt or a run, in words for people.
 */
export interface StepError {
  /**
   * A code from the model layer: `model_rate_limited`, `model_stream_cut` …
   */
  code: string;
  /**
   * What it means and what to do; no secrets, no upstream bodies.
   */
  message: string;
}
/**
 * A model's turn that called tools, with its calls; or the one call that a step of a plan is.
 */
export interface Exchange {
  agent: AgentId;
  /**
   * The calls, in the order in which the model made them.
   */
  calls: Call[];
  /**
   * Its results were read, or never will be.
   */
  closed: boolean;
  /**
   * How many there will be.
   */
  expected: number;
  /**
   * The words that came with the calls; absent where the flow made the call.
   */
  message?: MessageId | null;
  step: StepId;
  task?: Task;
  /**
   * Which turn of its task it was, from 1.
   */
  turn: number;
}
/**
 * One call.
 */
export interface Call {
  /**
   * The arguments: JSON, if its author did well.
   */
  arguments: string;
  /**
   * Tries of it.
   */
  attempt?: number;
  /**
   * When it was over.
   */
  ended_at?: Timestamp | null;
  /**
   * Why it brought nothing.
   */
  error?: StepError | null;
  /**
   * The gate that asks about it.
   */
  gate?: GateId | null;
  id: CallId;
  /**
   * Whether it can be made twice without harm.
   */
  idempotent?: boolean;
  /**
   * The tool.
   */
  name: string;
  /**
   * What it brought, for the agent to read. Left out once its task is done.
   */
  output?: string | null;
  /**
   * Revision of the arguments, from 1; people may edit them before they allow it (law 11).
   */
  rev: number;
  /**
   * When it was sent.
   */
  started_at?: Timestamp | null;
  state: CallState;
}
/**
 * A message that an agent is writing.
 */
export interface Item {
  agent: AgentId;
  /**
   * Counted from 1; a result of an earlier attempt is dropped.
   */
  attempt: number;
  /**
   * Attempts of it that failed.
   */
  failures: number;
  message: MessageId;
  /**
   * The attempt takes up work that a restart left behind.
   */
  recovered?: boolean;
  /**
   * When it is tried again; while set, nothing runs for it.
   */
  retry_at?: Timestamp | null;
  started_at: Timestamp;
  step: StepId;
  task?: Task;
  /**
   * Which turn of this task it is, from 1: a turn that calls tools is followed by another one.
   */
  turn?: number;
}
/**
 * What an agent decided, and why.
 */
export interface Judgement {
  action: Action;
  /**
   * Who does the next step.
   */
  agent?: AgentId | null;
  /**
   * What it makes of the last result.
   */
  analysis?: string;
  /**
   * Nobody decided it: what the agent wrote could not be read.
   */
  fallback?: boolean;
  /**
   * The flow that was chosen.
   */
  flow?: string | null;
  /**
   * What they are told.
   */
  instruction?: string;
  /**
   * Why it goes on like this.
   */
  reason?: string;
  /**
   * Steps that are added to the plan.
   */
  steps?: PlanStep[];
}
/**
 * One step of a plan.
 */
export interface PlanStep {
  /**
   * What is to be done. Parts between `<sep>` can be done side by side.
   */
  action: string;
  /**
   * Who is to do it; absent: whoever the flow has for it.
   */
  agent?: AgentId | null;
  /**
   * What the tool is called with.
   */
  arguments?: {
    [k: string]: unknown;
  };
  /**
   * What was noted when its state changed.
   */
  note?: string;
  /**
   * Why.
   */
  reason?: string;
  state?: StepState;
  /**
   * The tool that does it without a model; `user_input` asks people.
   */
  tool?: string | null;
  /**
   * How often it was begun.
   */
  tries?: number;
}
/**
 * The plan of a run.
 */
export interface Plan {
  /**
   * People confirmed it.
   */
  approved?: boolean;
  /**
   * How long it takes, as its author thinks.
   */
  estimated_time?: string;
  /**
   * No model made it: what one wrote could not be read as a plan.
   */
  fallback?: boolean;
  /**
   * Its author says that the rest need not be done.
   */
  finished?: boolean;
  /**
   * People want another one.
   */
  rejected?: boolean;
  /**
   * Counted from 1; a confirmation names it.
   */
  rev?: number;
  /**
   * What may go wrong.
   */
  risks?: string[];
  /**
   * What is to be done, in order; numbered from 1.
   */
  steps: PlanStep[];
  /**
   * What it is called.
   */
  title?: string;
}
/**
 * An answer that could not be read as what was asked for.
 */
export interface Rejected {
  agent: AgentId;
  message: MessageId;
  /**
   * What is wrong with it.
   */
  reason: string;
  task?: Task;
}
/**
 * What the flow has been asked to do next; set by the run's input, by feedback and by approval.
 */
export interface Round {
  /**
   * People approved: the final answer is due.
   */
  approved: boolean;
  /**
   * Agents whose turn in this round is over.
   */
  done: AgentId[];
  /**
   * The message that the round works on; absent where a vote without words began it.
   */
  input?: MessageId | null;
  /**
   * Somebody interrupted it: people are asked before it goes on.
   */
  interrupted: boolean;
  /**
   * The last message that an agent completed in it.
   */
  last?: MessageId | null;
  /**
   * Whom the words are for; empty: the whole flow.
   */
  to: Target[];
  /**
   * The words that came with the interrupt: they are the answer.
   */
  words?: MessageId | null;
}
/**
 * A named set of agents with a flow. Written whole into `session.created`, so that a log means the same after the
 * configuration has changed.
 */
export interface Team {
  /**
   * Its agents, in the order in which the flow uses them.
   */
  agents: Agent[];
  /**
   * Which policy drives its runs: `review`.
   */
  flow: string;
  language?: Language;
  /**
   * What a request for a session calls it: `testcase-zh`.
   */
  name: string;
  /**
   * What flow `workflow` does, in order.
   */
  steps?: FixedStep[];
  /**
   * What people read.
   */
  title: string;
}
/**
 * A mind inside a run.
 */
export interface Agent {
  id: AgentId;
  /**
   * `provider/model` or a model of the default provider; absent: the server's default model.
   */
  model?: string | null;
  /**
   * What people read; also works in a mention.
   */
  name: string;
  /**
   * What its calls may do without being asked about; the first rule that fits counts.
   */
  permissions?: CallRule[];
  /**
   * Its system prompt.
   */
  prompt: string;
  role: AgentRole;
  /**
   * One line that says what it is for, with its emblem: "🎯 Test case author".
   */
  title?: string;
  tool_choice?: ToolChoice;
  /**
   * The tools that it may call, by name; `*` stands for any letters: `code_*`.
   */
  tools?: string[];
}
/**
 * What some calls may do.
 */
export interface CallRule {
  /**
   * Arguments that it is about, as JSON text, where `*` stands for anything: `*"branch":"main"*`; absent: any.
   */
  arguments?: string | null;
  permission: Permission;
  /**
   * The tools that it is about: `mcp_github_*`.
   */
  tool: string;
}
/**
 * A step of a flow that is always the same.
 */
export interface FixedStep {
  /**
   * What is to be done.
   */
  action: string;
  agent: AgentId;
}
/**
 * Tokens and cost, summed.
 */
export interface UsageTotals {
  /**
   * Millionths of the configured currency.
   */
  cost_micros: number;
  /**
   * Some of the figures are estimates.
   */
  estimated: boolean;
  /**
   * Tokens sent to models.
   */
  input_tokens: number;
  /**
   * Agent id, participant id or run id.
   */
  of: string;
  /**
   * Tokens that models wrote.
   */
  output_tokens: number;
  /**
   * Turns.
   */
  turns: number;
}
