// Made from docs/protocol.schema.json by `npm run types`. Change the Rust types in src/protocol instead.

/**
 * One text frame from a client.
 */
export type ClientFrame =
  | {
      type: "hello";
      /**
       * A token.
       */
      token?: string | null;
      /**
       * `name/version` of the client.
       */
      client?: string | null;
    }
  | {
      type: "join";
      session: SessionId;
      /**
       * The seq that I already have; absent: a snapshot, then live; 0: the whole log.
       */
      after?: number | null;
      /**
       * The `at` of the event with that seq, as I have it. Where the log has another event there by now, as after a backup
       * was restored, the answer begins with a snapshot.
       */
      at?: Timestamp | null;
    }
  | {
      type: "leave";
      session: SessionId;
    }
  | (CommandFrame & {
      type: "command";
    })
  | {
      type: "signal";
      session: SessionId;
      /**
       * `typing` or `looking_at`.
       */
      name: string;
      /**
       * What about it, at most 1 KiB.
       */
      data?: {
        [k: string]: unknown;
      };
    }
  | {
      type: "ping";
    };
export type SessionId = string;
export type Timestamp = string;
/**
 * Chosen by the client (a ULID or UUID) so that sending a command twice is safe.
 */
export type CommandId = string;
/**
 * The commands and their arguments: `do` is the name, `data` the fields.
 */
export type CommandData =
  | {
      do: "say";
      data: {
        text: string;
        to?: SayTo[] | null;
        mode?: Mode;
        /**
         * Files of the session that come with the words.
         */
        files?: FileId[];
      };
    }
  | {
      do: "withdraw";
      data: {
        message: MessageId;
      };
    }
  | {
      do: "start";
      data: {
        flow?: string | null;
        input: string;
        /**
         * Files of the session that come with it.
         */
        files?: FileId[];
        /**
         * A conversation that took place elsewhere, oldest first, at most 50 messages; agents read it as words that the
         * sender passes on.
         */
        earlier?: Earlier[];
      };
    }
  | {
      do: "vote";
      data: {
        gate: GateId;
        choice: Choice;
        /**
         * What is decided on, changed: the arguments of a call, or a plan. Comes with `approve`.
         */
        edit?: {
          [k: string]: unknown;
        };
        comment?: string | null;
      };
    }
  | {
      do: "answer";
      data: {
        gate: GateId;
        value: unknown;
      };
    }
  | {
      do: "pause";
      data: {
        run: RunId;
      };
    }
  | {
      do: "resume";
      data: {
        run: RunId;
      };
    }
  | {
      do: "interrupt";
      data: {
        run: RunId;
        /**
         * Refused once this step is over.
         */
        step?: StepId | null;
        /**
         * Refused once this item is over.
         */
        item?: MessageId | null;
        text?: string | null;
      };
    }
  | {
      do: "cancel";
      data: {
        run: RunId;
        reason?: string | null;
      };
    }
  | {
      do: "invite";
      data: {
        participant: ParticipantId;
        role: Role;
      };
    }
  | {
      do: "set_role";
      data: {
        participant: ParticipantId;
        role: Role;
      };
    }
  | {
      do: "admit";
      data: {
        participant: ParticipantId;
      };
    }
  | {
      do: "refuse";
      data: {
        participant: ParticipantId;
      };
    }
  | {
      do: "remove";
      data: {
        participant: ParticipantId;
      };
    }
  | {
      do: "leave";
      data: {};
    }
  | {
      do: "set";
      data: {
        title?: string | null;
        settings?: Settings | null;
      };
    }
  | {
      do: "remove_file";
      data: {
        name: string;
      };
    }
  | {
      do: "restore_file";
      data: {
        file: FileId;
      };
    }
  | {
      do: "redact";
      data: {
        message?: MessageId | null;
        file?: FileId | null;
        participant?: ParticipantId | null;
        /**
         * With a participant: what they wrote in the session as well.
         */
        content?: boolean;
        reason?: string | null;
      };
    }
  | {
      do: "close";
      data: {
        reason?: string | null;
      };
    };
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
      kind: "agent";
      id: AgentId;
    }
  | {
      kind: "participant";
      id: ParticipantId;
    }
  | {
      kind: "role";
      id: Role;
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
/**
 * How a message acts on a busy run.
 */
export type Mode = "queue" | "steer";
export type FileId = string;
export type MessageId = string;
/**
 * In which role the words were said, as their sender tells. The server has not seen it: the words count as the sender's.
 */
export type Relay = "user" | "assistant" | "system" | "tool";
export type GateId = string;
/**
 * A vote.
 */
export type Choice = "approve" | "reject" | "abstain";
export type RunId = string;
export type StepId = string;
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
      rule: "at_least";
      /**
       * How many.
       */
      n: number;
    }
  | {
      rule: "role";
      role: Role;
    }
  | {
      rule: "veto";
    };
/**
 * One text frame from the server.
 */
export type ServerFrame =
  | {
      type: "welcome";
      you: Actor;
      /**
       * The version of the wire.
       */
      version: number;
      limits: Limits;
    }
  | {
      type: "joined";
      session: SessionId;
      /**
       * The newest seq at this moment.
       */
      head: number;
      /**
       * What you may do here.
       */
      you_can: Right[];
      /**
       * Where you start, if not after a seq of your own.
       */
      snapshot?: SnapshotFrame | null;
    }
  | ((
      | {
          event: "session.created";
          data: {
            title: string;
            team: Team;
            settings: Settings;
          };
        }
      | {
          event: "session.updated";
          data: {
            title?: string | null;
            settings?: Settings | null;
            changed?: string[];
          };
        }
      | {
          event: "session.closed";
          data: {
            reason: string;
          };
        }
      | {
          event: "session.redacted";
          data: {
            reason?: string | null;
          };
        }
      | {
          event: "participant.joined";
          data: {
            participant: ParticipantId;
            kind: ActorKind;
            name: string;
            role: Role;
            /**
             * The name looks like that of an agent, or of somebody in the session who spells it differently.
             */
            lookalike?: boolean;
          };
        }
      | {
          event: "participant.renamed";
          data: {
            participant: ParticipantId;
            from: string;
            name: string;
          };
        }
      | {
          event: "participant.knocked";
          data: {
            participant: ParticipantId;
            kind: ActorKind;
            name: string;
            role: Role;
          };
        }
      | {
          event: "participant.refused";
          data: {
            participant: ParticipantId;
          };
        }
      | {
          event: "participant.left";
          data: {
            participant: ParticipantId;
            reason: LeaveReason;
          };
        }
      | {
          event: "participant.role_changed";
          data: {
            participant: ParticipantId;
            role: Role;
          };
        }
      | {
          event: "participant.redacted";
          data: {
            participant: ParticipantId;
            content?: boolean;
          };
        }
      | {
          event: "run.started";
          data: {
            run: RunId;
            flow: string;
            input: MessageId;
            to: Target[];
          };
        }
      | {
          event: "run.state_changed";
          data: {
            run: RunId;
            from: Phase;
            to: Phase;
          };
        }
      | {
          event: "run.finished";
          data: {
            run: RunId;
            reason: FinishReason;
            answer?: MessageId | null;
          };
        }
      | {
          event: "run.failed";
          data: {
            run: RunId;
            error: StepError;
          };
        }
      | {
          event: "run.cancelled";
          data: {
            run: RunId;
            reason: string;
          };
        }
      | {
          event: "message.posted";
          data: {
            message: MessageId;
            text: string;
            files?: FileId[];
            /**
             * Role in which the words were said, in a conversation elsewhere that its sender passes on.
             */
            relays?: Relay | null;
          };
        }
      | {
          event: "message.routed";
          data: {
            message: MessageId;
            to: Target[];
            reason: RouteReason;
            unresolved?: Unresolved[];
            /**
             * How it waits for a busy run; absent: it does not wait.
             */
            waiting?: Mode | null;
          };
        }
      | {
          event: "message.withdrawn";
          data: {
            message: MessageId;
          };
        }
      | {
          event: "message.consumed";
          data: {
            message: MessageId;
            run: RunId;
            step?: StepId | null;
          };
        }
      | {
          event: "message.started";
          data: {
            message: MessageId;
            run: RunId;
            step: StepId;
            agent: AgentId;
            task?: Task;
            attempt: number;
            /**
             * The attempt takes up work that a restart or a lost node left behind.
             */
            recovered?: boolean;
          };
        }
      | {
          event: "message.completed";
          data: {
            message: MessageId;
            run: RunId;
            step: StepId;
            agent: AgentId;
            attempt: number;
            text: string;
            /**
             * How many tools it calls; as many `tool.proposed` follow.
             */
            calls?: number;
            /**
             * Its agent has had as many turns as one task may take: the calls fail, and the task is over with these words.
             */
            out_of_turns?: boolean;
            /**
             * The model stopped at its token limit: the text is not whole.
             */
            truncated?: boolean;
          };
        }
      | {
          event: "message.aborted";
          data: {
            message: MessageId;
            run: RunId;
            step: StepId;
            agent: AgentId;
            attempt: number;
            text: string;
            reason: AbortReason;
          };
        }
      | {
          event: "message.redacted";
          data: {
            message: MessageId;
            reason?: string | null;
          };
        }
      | {
          event: "step.started";
          data: {
            step: StepId;
            run: RunId;
            agents: AgentId[];
          };
        }
      | {
          event: "step.completed";
          data: {
            step: StepId;
            run: RunId;
          };
        }
      | {
          event: "step.skipped";
          data: {
            step: StepId;
            run: RunId;
            reason: AbortReason;
          };
        }
      | {
          event: "step.failed";
          data: {
            step: StepId;
            run: RunId;
            message: MessageId;
            agent: AgentId;
            attempt: number;
            error: StepError;
            retry_at?: Timestamp | null;
          };
        }
      | {
          event: "file.added";
          data: {
            file: FileId;
            name: string;
            /**
             * From 1; one more than there were of this name.
             */
            version: number;
            /**
             * What the server takes it for.
             */
            media_type: string;
            bytes: number;
            /**
             * BLAKE3 of the content, in hexadecimal.
             */
            digest: string;
            /**
             * The agent that made it.
             */
            agent?: AgentId | null;
            /**
             * The call that made it.
             */
            call?: CallId | null;
          };
        }
      | {
          event: "file.removed";
          data: {
            file: FileId;
            name: string;
          };
        }
      | {
          event: "file.redacted";
          data: {
            file: FileId;
            reason?: string | null;
          };
        }
      | {
          event: "tool.proposed";
          data: {
            call: CallId;
            run: RunId;
            step: StepId;
            /**
             * The message that it came with; absent where a step of the plan is the call.
             */
            message?: MessageId | null;
            agent: AgentId;
            task?: Task;
            name: string;
            /**
             * As its author wrote them: JSON, if it did well.
             */
            arguments: string;
          };
        }
      | {
          event: "tool.judged";
          data: {
            call: CallId;
            run: RunId;
            permission: Permission;
            idempotent: boolean;
          };
        }
      | {
          event: "tool.started";
          data: {
            call: CallId;
            run: RunId;
            attempt: number;
            rev: number;
            digest: string;
          };
        }
      | {
          event: "tool.completed";
          data: {
            call: CallId;
            run: RunId;
            attempt: number;
            output: string;
            /**
             * The files that it made; each is in the log already.
             */
            files?: FileId[];
          };
        }
      | {
          event: "tool.failed";
          data: {
            call: CallId;
            run: RunId;
            attempt: number;
            error: StepError;
          };
        }
      | {
          event: "tool.uncertain";
          data: {
            call: CallId;
            run: RunId;
            attempt: number;
          };
        }
      | {
          event: "plan.proposed";
          data: {
            run: RunId;
            message?: MessageId | null;
            plan: Plan;
          };
        }
      | {
          event: "plan.edited";
          data: {
            run: RunId;
            plan: Plan;
          };
        }
      | {
          event: "plan.step_changed";
          data: {
            run: RunId;
            /**
             * From 1.
             */
            number: number;
            state: StepState;
            note?: string;
          };
        }
      | {
          event: "decision.made";
          data: {
            run: RunId;
            message: MessageId;
            agent: AgentId;
            decision: Judgement;
          };
        }
      | {
          event: "output.produced";
          data: {
            run: RunId;
            message: MessageId;
            output: unknown;
          };
        }
      | {
          event: "output.rejected";
          data: {
            run: RunId;
            message: MessageId;
            reason: string;
            /**
             * The agent is asked again; else the flow goes on with what it has for this case.
             */
            again: boolean;
          };
        }
      | {
          event: "gate.opened";
          data: {
            gate: Gate;
          };
        }
      | {
          event: "gate.voted";
          data: {
            gate: GateId;
            rev: number;
            choice: Choice;
            role: Role;
            comment?: string | null;
            /**
             * The message that holds the voter's words.
             */
            message?: MessageId | null;
          };
        }
      | {
          event: "gate.revised";
          data: {
            gate: GateId;
            rev: number;
            digest: string;
            /**
             * The arguments of the call, as they are now.
             */
            arguments?: string | null;
            /**
             * The plan, as it is now.
             */
            plan?: Plan | null;
            /**
             * When it expires from now on; absent: as before.
             */
            deadline?: Timestamp | null;
          };
        }
      | {
          event: "gate.decided";
          data: {
            gate: GateId;
            rev: number;
            outcome: Outcome;
            votes: Vote[];
            message?: MessageId | null;
            /**
             * Whom the feedback sends back to work.
             */
            to?: Target[];
          };
        }
      | {
          event: "gate.expired";
          data: {
            gate: GateId;
          };
        }
      | {
          event: "gate.closed";
          data: {
            gate: GateId;
          };
        }
      | {
          event: "control.requested";
          data: {
            control: number;
            run: RunId;
            verb: ControlVerb;
            reason?: string | null;
            /**
             * The words that came with an interrupt; the run goes on with them.
             */
            message?: MessageId | null;
          };
        }
      | {
          event: "control.acknowledged";
          data: {
            control: number;
            run: RunId;
            verb: ControlVerb;
          };
        }
      | {
          event: "control.effective";
          data: {
            control: number;
            run: RunId;
            verb: ControlVerb;
          };
        }
      | {
          event: "usage.recorded";
          data: {
            message: MessageId;
            run: RunId;
            agent: AgentId;
            /**
             * The person or bot whose words the run works on.
             */
            participant?: ParticipantId | null;
            model: string;
            input_tokens: number;
            output_tokens: number;
            /**
             * Whether the figures are the server's own estimate, because the provider gave none.
             */
            estimated: boolean;
            /**
             * Millionths of the currency that the prices are configured in; 0 where no price is.
             */
            cost_micros: number;
          };
        }
    ) & {
      type: "event";
      session: SessionId;
      /**
       * Its place in the session's log: gapless, from 1.
       */
      seq: number;
      at: Timestamp;
      by: Actor;
      /**
       * The run that it belongs to.
       */
      run?: RunId | null;
      /**
       * What led to it.
       */
      cause?: Cause | null;
      /**
       * Some of what it said was erased since, and by whom.
       */
      redacted?: Redaction | null;
    })
  | {
      type: "delta";
      session: SessionId;
      item: MessageId;
      /**
       * The attempt; a higher one starts again at 0.
       */
      attempt: number;
      /**
       * Offset of the fragment in the item's text, in UTF-8 bytes.
       */
      at: number;
      /**
       * The fragment.
       */
      text: string;
    }
  | {
      type: "signal";
      session: SessionId;
      /**
       * `presence`, `liveness`, `progress`, `typing`, `looking_at`.
       */
      name: string;
      /**
       * What about it: for `presence` see [`Presence`], for `liveness` [`Liveness`], for `progress` [`CallProgress`].
       */
      data: {
        [k: string]: unknown;
      };
    }
  | {
      type: "caught_up";
      session: SessionId;
      /**
       * The newest seq that you have.
       */
      through: number;
    }
  | {
      type: "ack";
      id: CommandId;
      /**
       * The seq of its last event.
       */
      seq: number;
    }
  | {
      type: "error";
      /**
       * The command, if it was one.
       */
      id?: CommandId | null;
      /**
       * The session, if one was named.
       */
      session?: SessionId | null;
      code: Code;
      /**
       * What it means and what to do.
       */
      message: string;
      /**
       * When to send the same again, where that can help.
       */
      retry_after_ms?: number | null;
      /**
       * What else helps: the decision, the current revision, the bytes that are accepted, the incident's id.
       */
      details?: {
        [k: string]: unknown;
      };
    }
  | {
      type: "closing";
      session: SessionId;
      /**
       * `removed`, `closed`, `left`.
       */
      code: string;
      /**
       * Why, in words.
       */
      message: string;
    }
  | {
      type: "pong";
    };
/**
 * What sort of being acts.
 */
export type ActorKind = "user" | "bot" | "agent" | "system";
/**
 * One thing that a role may allow.
 */
export type Right = "watch" | "say" | "approve" | "control" | "invite" | "manage";
/**
 * The language that the server's own words to a session are in.
 */
export type Language = "en" | "zh";
/**
 * An agent's place in the flow.
 */
export type AgentRole =
  "generator" | "reviewer" | "optimizer" | "worker" | "router" | "planner" | "executor" | "summarizer";
/**
 * Temperature of a model's sampling, 0 to 2, to the hundredth: low for figures and code, high for ideas.
 */
export type Temperature = number;
/**
 * Whether an agent calls tools.
 */
export type ToolChoice = "none" | "auto" | "required";
/**
 * What may be done with a call, as the rules of its agent and its tool have it.
 */
export type Permission = "allow" | "ask" | "deny";
/**
 * Where a run stands: follows from its work and its gates, and is written down where it changes.
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
export type CallId = string;
/**
 * Where a call stands.
 */
export type CallState = "proposed" | "asked" | "allowed" | "started" | "uncertain" | "completed" | "failed";
/**
 * Where a step of a plan stands.
 */
export type StepState = "not_started" | "in_progress" | "completed" | "blocked" | "skipped";
/**
 * What comes next.
 */
export type Action =
  "continue" | "retry" | "skip" | "end" | "request_input" | "synthesize" | "adjust_plan" | "route";
/**
 * One of the three ways to act on a run that is not finished, each in three recorded phases.
 */
export type ControlVerb = "pause" | "resume" | "interrupt" | "cancel";
/**
 * What sort of question a gate asks.
 */
export type GateKind = "feedback" | "plan" | "tool" | "question" | "uncertain";
/**
 * What a subject is.
 */
export type SubjectId = MessageId | CallId;
/**
 * What a gate allows people to do.
 */
export type Act = "approve" | "edit" | "reject" | "respond";
/**
 * How a gate ended.
 */
export type Outcome = "approved" | "rejected" | "responded";
/**
 * Why an item ended without being finished.
 */
export type AbortReason = "interrupted" | "cancelled" | "failed";
/**
 * Why a participant is no longer in the session.
 */
export type LeaveReason = "left" | "removed";
/**
 * Why a run ended well.
 */
export type FinishReason = "completed" | "message_limit" | "step_limit" | "turn_limit";
/**
 * Why a message went where it went.
 */
export type RouteReason = "explicit" | "mention" | "default" | "approval" | "vote" | "unresolved";
/**
 * What led to an event: a participant's command, or an earlier event.
 */
export type Cause = number | CommandId;
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
  | "target_over"
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
  | "unknown_message"
  | "unknown_file"
  | "files_full"
  | "unknown_knowledge"
  | "unknown_document"
  | "knowledge_full"
  | "quota_exceeded"
  | "session_full"
  | "too_many_sessions"
  | "not_joined"
  | "link_invalid"
  | "bad_frame"
  | "unknown_command"
  | "invalid_argument"
  | "too_large"
  | "not_text"
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
 * Everything that goes over the wire.
 */
export interface Wire {
  client: ClientFrame;
  command: CommandData;
  server: ServerFrame;
  error: ErrorBody;
  presence: Presence;
  liveness: Liveness;
  progress: CallProgress;
}
/**
 * A request to change a session.
 */
export interface CommandFrame {
  id: CommandId;
  /**
   * Where. Over REST the path says it.
   */
  session?: SessionId | null;
  /**
   * What: the name of the command.
   */
  do: string;
  /**
   * Its arguments, see [`CommandData`].
   */
  data?: {
    [k: string]: unknown;
  } | null;
  /**
   * What the sender believes; if it is no longer so, the command is refused.
   */
  expect?: Expect | null;
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
 * One message of such a conversation.
 */
export interface Earlier {
  role: Relay;
  /**
   * The words; empty only where files stand for them.
   */
  text: string;
  /**
   * Files of the session that came with them.
   */
  files?: FileId[];
}
/**
 * A session's own settings.
 */
export interface Settings {
  approval?: Rule;
  /**
   * Messages of people and agents that one run may hold before it ends with `message_limit`; turns that call tools do
   * not count. In a team that works in rounds, such as `review`, it is what one round may hold before people are asked.
   */
  messages_per_run?: number;
  /**
   * Steps that one run may take before it ends with `step_limit`, or one round before people are asked.
   */
  steps_per_run?: number;
  /**
   * Turns of one agent for one task: the last one may call no tools, and what it calls fails with `too_many_turns`.
   */
  turns_per_task?: number;
  /**
   * Agents at work side by side; further ones wait for the next step.
   */
  parallel?: number;
  /**
   * Calls of tools in one turn; further ones are refused.
   */
  calls_per_turn?: number;
  /**
   * How often a step of a plan is begun again before it counts as blocked.
   */
  retries?: number;
  /**
   * How often an agent is asked again for an answer that could not be read.
   */
  repairs?: number;
  /**
   * Code bases that agents may read, by the names that the server's configuration has for them. A new session that names
   * none is given all of them, at most 32; `[]` gives it none.
   */
  code?: string[];
  /**
   * Knowledge bases that agents may search, by their ids, as in `["1", "7"]`.
   */
  knowledge?: string[];
  /**
   * Tries of one turn before the run fails.
   */
  attempts?: number;
  /**
   * Messages that may wait for a busy run.
   */
  inbox?: number;
  /**
   * Seconds that a gate stays open, counted anew from an edit; absent: until it is decided.
   */
  gate_seconds?: number | null;
  /**
   * Days after its last event until everything that was written in the session is erased; absent: never. Not while a run is
   * under way.
   */
  retention_days?: number | null;
}
/**
 * Who did something, as the server knows it; never taken from a client (law 7).
 */
export interface Actor {
  kind: ActorKind;
  /**
   * A participant's or an agent's id; `system` for the server.
   */
  id: string;
  /**
   * The name that people read.
   */
  name: string;
  /**
   * Came by a link and named themselves, so that the name may be somebody else's too.
   */
  guest?: boolean;
  /**
   * A participant's role when it happened, as the session knew it; absent for agents, the server, and whoever was not in
   * the session.
   */
  role?: Role | null;
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
   * Bytes of a message's text.
   */
  text_bytes: number;
  /**
   * Sessions that one connection may join.
   */
  joined_sessions: number;
  /**
   * Seconds between the server's pings.
   */
  ping_seconds: number;
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
  session: SessionId;
  /**
   * Its title.
   */
  title: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  /**
   * It takes no further commands.
   */
  closed: boolean;
  /**
   * All that was written in it was erased, and by whom.
   */
  redacted?: Redaction | null;
  team: Team;
  settings: Settings;
  /**
   * Its people and bots.
   */
  participants: Member[];
  /**
   * The current run, or the last one.
   */
  run?: Run | null;
  /**
   * Open gates.
   */
  gates: Gate[];
  /**
   * Gates that ended, newest last, at most [`View::DECIDED`].
   */
  decided: Gate[];
  /**
   * Messages that wait for the run, in order.
   */
  inbox: Queued[];
  /**
   * The newest messages, oldest first, at most [`View::MESSAGES`].
   */
  messages: Message[];
  /**
   * Every version of its files, oldest first; the newest of a name is the one that counts.
   */
  files?: File[];
  /**
   * Whether there are older messages than these; they are to be had over REST.
   */
  more: boolean;
  /**
   * Participants who were removed, newest last, at most [`View::REMOVED`]: an old invitation does not bring them back.
   */
  removed?: ParticipantId[];
  /**
   * Those who wait to be let in, oldest first, at most [`View::KNOCKS`].
   */
  knocks?: Knock[];
  /**
   * Those whose request to come in was declined, newest last, at most [`View::REMOVED`]; they cannot ask again.
   */
  refused?: ParticipantId[];
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
 * Mark on an event, message or file whose content was erased.
 */
export interface Redaction {
  /**
   * Seq of the event that recorded the redaction.
   */
  seq: number;
  at: Timestamp;
  by: Actor;
}
/**
 * A named set of agents with a flow. Written whole into `session.created`, so that a log means the same after the
 * configuration has changed.
 */
export interface Team {
  /**
   * What a request for a session calls it: `testcase-zh`.
   */
  name: string;
  /**
   * What people read.
   */
  title: string;
  /**
   * Which policy drives its runs: `review`.
   */
  flow: string;
  language?: Language;
  /**
   * First messages that people can choose from, at most [`Team::STARTERS`] of 500 characters.
   */
  starters?: string[];
  /**
   * Its agents, in the order in which the flow uses them.
   */
  agents: Agent[];
  /**
   * What flow `workflow` does, in order.
   */
  steps?: FixedStep[];
}
/**
 * A mind inside a run.
 */
export interface Agent {
  id: AgentId;
  /**
   * What people read; also works in a mention.
   */
  name: string;
  role: AgentRole;
  /**
   * One line that says what it is for, with its emblem: "🎯 Test case author".
   */
  title?: string;
  /**
   * Its system prompt.
   */
  prompt: string;
  /**
   * `provider/model` or a model of the default provider; absent: the server's default model.
   */
  model?: string | null;
  /**
   * How freely its model chooses words; absent: as the provider has it.
   */
  temperature?: Temperature | null;
  /**
   * Tokens that one of its answers may have; absent: as the model's `max_output_tokens` says. An answer that reaches it
   * is cut and marked so.
   */
  max_tokens?: number | null;
  /**
   * The tools that it may call, by name; `*` stands for any letters: `code_*`.
   */
  tools?: string[];
  tool_choice?: ToolChoice;
  /**
   * What its calls may do without being asked about; the first rule that fits counts.
   */
  permissions?: CallRule[];
}
/**
 * What some calls may do.
 */
export interface CallRule {
  /**
   * The tools that it is about: `mcp_github_*`.
   */
  tool: string;
  /**
   * Arguments that it is about, as JSON text, where `*` stands for anything: `*"branch":"main"*`; absent: any.
   */
  arguments?: string | null;
  permission: Permission;
}
/**
 * A step of a flow that is always the same.
 */
export interface FixedStep {
  agent: AgentId;
  /**
   * What is to be done.
   */
  action: string;
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
  /**
   * The name looked like that of an agent, or of somebody who spells it differently, when they came in.
   */
  lookalike?: boolean;
}
/**
 * One execution of a flow.
 */
export interface Run {
  id: RunId;
  /**
   * Its flow.
   */
  flow: string;
  started_at: Timestamp;
  /**
   * The participant whose words it works on, and what sort they are: their usage it is.
   *
   * @minItems 2
   * @maxItems 2
   */
  started_by?: [ParticipantId, ActorKind] | null;
  input: MessageId;
  phase: Phase;
  round: Round;
  /**
   * Rounds so far.
   */
  rounds: number;
  /**
   * The running step.
   */
  step?: StepId | null;
  /**
   * The agents of the running step that are not done yet in it, with those who write now.
   */
  items: Item[];
  /**
   * Messages of people and agents in it, but for those that called tools.
   */
  messages: number;
  /**
   * Steps so far.
   */
  steps?: number;
  /**
   * Tasks that are done, in the order in which they were begun.
   */
  done?: Done[];
  /**
   * Turns that called tools, with the calls.
   */
  exchanges?: Exchange[];
  /**
   * Answers of the tasks under way that could not be read.
   */
  rejected?: Rejected[];
  /**
   * The plan that it follows.
   */
  plan?: Plan | null;
  /**
   * What was decided last.
   */
  judgement?: Judgement | null;
  /**
   * The flow that a router chose.
   */
  route?: string | null;
  /**
   * What it has found, where that has a shape.
   */
  output?: {
    [k: string]: unknown;
  };
  /**
   * Acts that are not yet effective.
   */
  controls: Control[];
  /**
   * Somebody paused it.
   */
  paused: boolean;
  /**
   * Why it failed.
   */
  error?: StepError | null;
  /**
   * Its final answer.
   */
  answer?: MessageId | null;
}
/**
 * What the flow has been asked to do next; set by the run's input, by feedback and by approval.
 */
export interface Round {
  /**
   * Whom the words are for; empty: the whole flow.
   */
  to: Target[];
  /**
   * People approved: the final answer is due.
   */
  approved: boolean;
  /**
   * The message that the round works on; absent where a vote without words began it.
   */
  input?: MessageId | null;
  /**
   * Agents whose turn in this round is over.
   */
  done: AgentId[];
  /**
   * Somebody interrupted it: people are asked before it goes on.
   */
  interrupted: boolean;
  /**
   * The words that came with the interrupt: they are the answer.
   */
  words?: MessageId | null;
  /**
   * The last message that an agent completed in it.
   */
  last?: MessageId | null;
}
/**
 * A message that an agent is writing.
 */
export interface Item {
  message: MessageId;
  step: StepId;
  agent: AgentId;
  task?: Task;
  /**
   * Which turn of this task it is, from 1: a turn that calls tools is followed by another one.
   */
  turn?: number;
  /**
   * Counted from 1; a result of an earlier attempt is dropped.
   */
  attempt: number;
  /**
   * Attempts of it that failed.
   */
  failures: number;
  started_at: Timestamp;
  /**
   * When it is tried again; while set, nothing runs for it.
   */
  retry_at?: Timestamp | null;
  /**
   * The attempt takes up work that a restart left behind.
   */
  recovered?: boolean;
}
/**
 * A task that is done.
 */
export interface Done {
  agent: AgentId;
  task?: Task;
  step: StepId;
  /**
   * The words that ended it; absent where a tool was called without a model.
   */
  message?: MessageId | null;
  /**
   * The call that did it.
   */
  call?: CallId | null;
  /**
   * It came to no end of its own: its agent called tools in every turn that it had.
   */
  out_of_turns?: boolean;
  /**
   * Why it could not be done: the last attempt of its agent's model failed, and the flow goes on without it.
   */
  failure?: string | null;
}
/**
 * A model's turn that called tools, with its calls; or the one call that a step of a plan is.
 */
export interface Exchange {
  /**
   * The words that came with the calls; absent where the flow made the call.
   */
  message?: MessageId | null;
  agent: AgentId;
  task?: Task;
  step: StepId;
  /**
   * Which turn of its task it was, from 1.
   */
  turn: number;
  /**
   * The calls, in the order in which the model made them.
   */
  calls: Call[];
  /**
   * How many there will be.
   */
  expected: number;
  /**
   * Its results were read, or never will be.
   */
  closed: boolean;
}
/**
 * One call.
 */
export interface Call {
  id: CallId;
  /**
   * The tool.
   */
  name: string;
  /**
   * The arguments: JSON, if its author did well.
   */
  arguments: string;
  /**
   * Revision of the arguments, from 1; people may edit them before they allow it (law 11).
   */
  rev: number;
  state: CallState;
  /**
   * Whether it can be made twice without harm.
   */
  idempotent?: boolean;
  /**
   * Tries of it.
   */
  attempt?: number;
  /**
   * The gate that asks about it.
   */
  gate?: GateId | null;
  /**
   * When it was sent.
   */
  started_at?: Timestamp | null;
  /**
   * When it was over.
   */
  ended_at?: Timestamp | null;
  /**
   * What it brought, for the agent to read. Left out once its task is done.
   */
  output?: string | null;
  /**
   * Why it brought nothing.
   */
  error?: StepError | null;
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
 * An answer that could not be read as what was asked for.
 */
export interface Rejected {
  agent: AgentId;
  task?: Task;
  message: MessageId;
  /**
   * What is wrong with it.
   */
  reason: string;
}
/**
 * The plan of a run.
 */
export interface Plan {
  /**
   * Counted from 1; a confirmation names it.
   */
  rev?: number;
  /**
   * What it is called.
   */
  title?: string;
  /**
   * What is to be done, in order; numbered from 1.
   */
  steps: PlanStep[];
  /**
   * How long it takes, as its author thinks.
   */
  estimated_time?: string;
  /**
   * What may go wrong.
   */
  risks?: string[];
  /**
   * People confirmed it.
   */
  approved?: boolean;
  /**
   * People want another one.
   */
  rejected?: boolean;
  /**
   * Its author says that the rest need not be done.
   */
  finished?: boolean;
  /**
   * No model made it: what one wrote could not be read as a plan.
   */
  fallback?: boolean;
}
/**
 * One step of a plan.
 */
export interface PlanStep {
  /**
   * Who is to do it; absent: whoever the flow has for it.
   */
  agent?: AgentId | null;
  /**
   * What is to be done. Parts between `<sep>` can be done side by side.
   */
  action: string;
  /**
   * Why.
   */
  reason?: string;
  /**
   * The tool that does it without a model; `user_input` asks people.
   */
  tool?: string | null;
  /**
   * What the tool is called with.
   */
  arguments?: {
    [k: string]: unknown;
  };
  state?: StepState;
  /**
   * What was noted when its state changed.
   */
  note?: string;
  /**
   * How often it was begun.
   */
  tries?: number;
}
/**
 * What an agent decided, and why.
 */
export interface Judgement {
  action: Action;
  /**
   * What it makes of the last result.
   */
  analysis?: string;
  /**
   * Why it goes on like this.
   */
  reason?: string;
  /**
   * Who does the next step.
   */
  agent?: AgentId | null;
  /**
   * What they are told.
   */
  instruction?: string;
  /**
   * Steps that are added to the plan.
   */
  steps?: PlanStep[];
  /**
   * The flow that was chosen.
   */
  flow?: string | null;
  /**
   * Nobody decided it: what the agent wrote could not be read.
   */
  fallback?: boolean;
}
/**
 * An act on the run that is requested and not yet effective.
 */
export interface Control {
  /**
   * The seq of its `control.requested`.
   */
  id: number;
  verb: ControlVerb;
  /**
   * The reason given.
   */
  reason?: string | null;
  /**
   * The words that came with it.
   */
  message?: MessageId | null;
  /**
   * The orchestrator has begun with it.
   */
  acknowledged: boolean;
}
/**
 * A place where a run waits for people.
 */
export interface Gate {
  id: GateId;
  run: RunId;
  kind: GateKind;
  /**
   * What is decided on; absent where nothing has been written yet.
   */
  subject?: Subject | null;
  /**
   * The revision that a vote must name.
   */
  rev: number;
  /**
   * What is asked, in the session's language.
   */
  prompt: string;
  /**
   * What one should know to answer it.
   */
  context?: string | null;
  /**
   * The call that waits for it.
   */
  call?: CallId | null;
  /**
   * JSON Schema of an answer, or of the arguments that may be edited.
   */
  schema?: {
    [k: string]: unknown;
  };
  /**
   * The server of tools that asks, where no agent does.
   */
  origin?: QuestionOrigin | null;
  /**
   * The agent after whose work it opened.
   */
  agent?: AgentId | null;
  /**
   * What people may do.
   */
  allow: Act[];
  /**
   * The agents that feedback may be addressed to.
   */
  agents: AgentId[];
  rule: Rule;
  /**
   * Roles that may vote.
   */
  eligible: Role[];
  /**
   * When it expires.
   */
  deadline?: Timestamp | null;
  /**
   * Votes so far, the latest of each participant.
   */
  votes?: Vote[];
  /**
   * How it ended.
   */
  decision?: Decision | null;
  opened_at: Timestamp;
  /**
   * Seq of the event that ended it, decided or not; absent while it is open. Timelines show the end there.
   */
  ended?: number | null;
}
/**
 * What is decided on; a decision holds for exactly this revision and text (law 11).
 */
export interface Subject {
  id: SubjectId;
  /**
   * Counted from 1.
   */
  rev: number;
  /**
   * BLAKE3 of its text or arguments, in hexadecimal.
   */
  digest: string;
}
/**
 * A server of tools that asks people in the midst of a call. What they answer is sent to it, stands in the session, and is read
 * by the agents' models: clients say so where people answer.
 */
export interface QuestionOrigin {
  /**
   * Name of the server in the configuration.
   */
  server: string;
  /**
   * Page of the server that people are asked to open. What they enter there reaches neither the session nor a model. Clients
   * show it whole, with its host, and open it only when a person asks for that; the answer `{}` says that the person agreed.
   */
  link?: string | null;
}
/**
 * Who voted what.
 */
export interface Vote {
  by: Actor;
  role: Role;
  choice: Choice;
  /**
   * Why.
   */
  comment?: string | null;
  /**
   * The message that holds the voter's words, for the agents to read.
   */
  message?: MessageId | null;
  at: Timestamp;
}
/**
 * How and by whom a gate was ended.
 */
export interface Decision {
  outcome: Outcome;
  by: Actor;
  at: Timestamp;
  /**
   * The feedback that decided it.
   */
  message?: MessageId | null;
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
  id: MessageId;
  at: Timestamp;
  by: Actor;
  /**
   * The text.
   */
  text: string;
  /**
   * The files that came with it.
   */
  files?: FileId[];
  /**
   * It passes on words of a conversation elsewhere, said there in this role.
   */
  relays?: Relay | null;
  /**
   * Whom it is for; empty: the flow decides.
   */
  to?: Target[];
  /**
   * The mentions in it that name nobody.
   */
  unresolved?: Unresolved[];
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
   * How many tools it calls.
   */
  calls?: number;
  /**
   * Why an agent did not finish it; absent: it did.
   */
  aborted?: AbortReason | null;
  /**
   * The model stopped at its token limit: the text is not whole.
   */
  truncated?: boolean;
  /**
   * Its text was erased, and by whom.
   */
  redacted?: Redaction | null;
}
/**
 * A mention that names nobody; never guessed at.
 */
export interface Unresolved {
  /**
   * What was written after the `@`.
   */
  text: string;
  /**
   * The names that come nearest, best first, at most three.
   */
  nearest: string[];
}
/**
 * One version of a file.
 */
export interface File {
  id: FileId;
  /**
   * What the file is called; all versions are called the same.
   */
  name: string;
  /**
   * From 1.
   */
  version: number;
  /**
   * What the server takes it for, by its name and its content.
   */
  media_type: string;
  /**
   * How large it is.
   */
  bytes: number;
  /**
   * BLAKE3 of the content, in hexadecimal.
   */
  digest: string;
  at: Timestamp;
  by: Actor;
  /**
   * The call of a tool that made it.
   */
  call?: CallId | null;
  /**
   * Somebody took the file out of the list after this version.
   */
  removed?: boolean;
  /**
   * Its content was erased, and by whom.
   */
  redacted?: Redaction | null;
}
/**
 * Somebody who waits to be let in.
 */
export interface Knock {
  participant: ParticipantId;
  kind: ActorKind;
  /**
   * The name that people read.
   */
  name: string;
  role: Role;
  at: Timestamp;
}
/**
 * Tokens and cost, summed.
 */
export interface UsageTotals {
  /**
   * Agent id, participant id or run id.
   */
  of: string;
  /**
   * Turns.
   */
  turns: number;
  /**
   * Tokens sent to models.
   */
  input_tokens: number;
  /**
   * Tokens that models wrote.
   */
  output_tokens: number;
  /**
   * Millionths of the configured currency.
   */
  cost_micros: number;
  /**
   * Some of the figures are estimates.
   */
  estimated: boolean;
}
/**
 * An error as clients receive it, over the socket and over HTTP.
 */
export interface ErrorBody {
  code: Code;
  /**
   * What it means and what to do.
   */
  message: string;
  /**
   * When to send the same again, where that can help.
   */
  retry_after_ms?: number | null;
  /**
   * What else helps: the decision, the current revision, the bytes that are accepted, the incident's id.
   */
  details?: {
    [k: string]: unknown;
  };
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
 * The data of a `liveness` signal: whether what is written is seen as it is written. Absent as long as it always was.
 */
export interface Liveness {
  /**
   * Events and fragments come at once.
   */
  live: boolean;
  /**
   * Else events come up to so many milliseconds late, and fragments not at all: the way between the server's nodes is
   * interrupted. Nothing is lost.
   */
  delay_ms: number;
}
/**
 * The data of a `progress` signal: how far a running call of a tool is, in the tool's own words. At most two a second and call;
 * the last one before the call's end may be missing.
 */
export interface CallProgress {
  call: CallId;
  /**
   * Work done so far, in a unit of the tool's own.
   */
  done: number;
  /**
   * All of the work, where the tool knows it.
   */
  total?: number | null;
  /**
   * What the tool does, at most 256 bytes; by the tool, so not to be believed.
   */
  message?: string | null;
  /**
   * The end of what a program has written so far, at most 4 KiB; it takes the place of what came before.
   */
  output?: string | null;
}
