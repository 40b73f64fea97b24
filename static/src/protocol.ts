// Made from docs/protocol.schema.json by `npm run types`. Change the Rust types in src/protocol instead.

/**
 * One text frame from a client.
 */
export type ClientFrame =
  | {
      type: "hello";
      /**
       * The token of the participant, `rt_…`.
       */
      token?: string | null;
      /**
       * Name and version of the client program, for example `my-bot/1.0`.
       */
      client?: string | null;
    }
  | {
      type: "join";
      session: SessionId;
      /**
       * Seq of the last event that the client has. If absent, the server sends a snapshot and then live events; 0
       * sends the whole log.
       */
      after?: number | null;
      /**
       * Time (`at`) of the client's event with that seq. If the log now has another event there, for example after a
       * backup was restored, the server starts with a snapshot.
       */
      at?: Timestamp | null;
    }
  | {
      type: "leave";
      session: SessionId;
    }
  | {
      type: "command";
      id: CommandId;
      /**
       * The session. Over REST it is part of the path.
       */
      session?: SessionId | null;
      /**
       * Name of the command, for example `say`.
       */
      do: string;
      /**
       * Arguments of the command; see `CommandData`.
       */
      data?: {
        [k: string]: unknown;
      } | null;
      /**
       * Assumption of the sender. If it no longer holds, the command is rejected. Required for `vote` and `comment`,
       * optional for `answer`, and invalid for other commands.
       */
      expect?: Expectation | null;
    }
  | {
      type: "signal";
      session: SessionId;
      /**
       * Name of the signal: `typing` or `looking_at`.
       */
      name: string;
      /**
       * Details of the signal, at most 1 KiB of JSON; for `typing` at a gate for example `{"gate":"g_12"}`.
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
 * Id of a command, chosen by the client, for example a ULID or UUID. It makes repeating the command harmless.
 */
export type CommandId = string;
/**
 * Commands and their arguments: `do` is the name, `data` has the fields.
 */
export type CommandData =
  | {
      do: "say";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Text of the message, at most `limits.max_text_bytes` bytes, for example `@all please continue`.
         */
        text: string;
        /**
         * Recipients, at most 50. If absent, the mentions in the text decide.
         */
        to?: Recipient[] | null;
        mode?: Mode;
        /**
         * Files of the session that belong to the message, at most 20.
         */
        files?: FileId[];
      };
    }
  | {
      do: "withdraw";
      /**
       * Arguments of the command.
       */
      data: {
        message: MessageId;
      };
    }
  | {
      do: "withdraw_command";
      /**
       * Arguments of the command.
       */
      data: {
        gate: GateId;
      };
    }
  | {
      do: "start";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Name of the flow: the team's flow, for example `review`, or `structure`, which turns the results of earlier
         * runs into output that matches `output_schema`. If absent, the team's flow.
         */
        flow?: string | null;
        /**
         * Request that the run works on, at most `limits.max_text_bytes` bytes.
         */
        input: string;
        /**
         * Files of the session that belong to the request, at most 20.
         */
        files?: FileId[];
        /**
         * Messages of a conversation from elsewhere, oldest first, at most 50. Agents read them as text relayed by the
         * sender.
         */
        earlier?: PriorMessage[];
        /**
         * Data for prompt templates, as `{context.KEY}`, at most 65536 bytes of JSON in at most 16 levels, for example
         * `{"region":"eu"}`.
         */
        context?: {
          [k: string]: unknown;
        };
        /**
         * JSON Schema (2020-12) that the structured output of the run must match, at most 65536 bytes of JSON in at
         * most 32 levels. If absent, the run has no such output.
         */
        output_schema?: {
          [k: string]: unknown;
        } | null;
        /**
         * Maximum duration of the run in seconds, 1 to 86400, after which it fails with `run_timeout`. If absent, no
         * limit.
         */
        timeout_seconds?: number | null;
      };
    }
  | {
      do: "vote";
      /**
       * Arguments of the command.
       */
      data: {
        gate: GateId;
        choice: Choice;
        /**
         * Changed subject of the gate: the arguments of a call, a plan, or a budget and model. Only with `approve`.
         */
        edit?: {
          [k: string]: unknown;
        };
        /**
         * Comment for the agents. Required for `reject`, except at gates about a call, a budget, a rule or a command.
         */
        comment?: string | null;
        /**
         * Permission for later calls like this one, for example `{"arguments":"any","this_run":true}`. Only with
         * `approve`, at a gate that asks whether a call may be made. It is decided on together with the call.
         */
        standing?: StandingTerms | null;
      };
    }
  | {
      do: "vote_batch";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * The votes, 1 to 64, each at a different gate, with the revision that you saw, for example
         * `[{"gate":"g_12","rev":1,"choice":"approve"},{"gate":"g_13","rev":1,"choice":"reject"}]`.
         *
         * @minItems 1
         * @maxItems 64
         */
        votes: [BatchedVote, ...BatchedVote[]];
      };
    }
  | {
      do: "withdraw_vote";
      /**
       * Arguments of the command.
       */
      data: {
        gate: GateId;
      };
    }
  | {
      do: "comment";
      /**
       * Arguments of the command.
       */
      data: {
        gate: GateId;
        /**
         * First comment of the thread to reply in. If absent, a thread starts at `path` and `line`, or in `file`.
         */
        thread?: MessageId | null;
        /**
         * Newest version of a session file that the thread is about, for example `f_17`. If absent, the thread is
         * about the subject of the gate.
         */
        file?: FileId | null;
        /**
         * JSON Pointer to a part of the plan or the arguments, for example `/items/0/action`. If absent, the whole
         * subject.
         */
        path?: string | null;
        /**
         * Line of the text at `path` or of the file, starting at 1. If absent, no specific line.
         */
        line?: number | null;
        /**
         * Text, at most 2000 characters.
         */
        text: string;
      };
    }
  | {
      do: "resolve_comment";
      /**
       * Arguments of the command.
       */
      data: {
        gate: GateId;
        thread: MessageId;
        /**
         * True to resolve the thread, false to reopen it.
         */
        resolved: boolean;
      };
    }
  | {
      do: "delete_comment";
      /**
       * Arguments of the command.
       */
      data: {
        gate: GateId;
        comment: MessageId;
      };
    }
  | {
      do: "delegate_votes";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Id of the participant, `u_…`. If absent, you vote yourself again.
         */
        to?: ParticipantId | null;
        /**
         * Time at which the delegation ends, at most a year from now, for example `2026-12-01T09:00:00Z`. If absent,
         * it lasts until you end it.
         */
        until?: Timestamp | null;
      };
    }
  | {
      do: "revoke_permission";
      /**
       * Arguments of the command.
       */
      data: {
        permission: PermissionId;
      };
    }
  | {
      do: "propose_rule";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Id of the suggestion, from `GET /api/v1/sessions/{session}/rule-suggestions`.
         */
        suggestion: string;
      };
    }
  | {
      do: "answer";
      /**
       * Arguments of the command.
       */
      data: {
        gate: GateId;
        /**
         * Answer as text, at most `limits.max_text_bytes` bytes.
         */
        text?: string | null;
        /**
         * Answer as a JSON value that matches the gate's `schema`, for example `{"years":5}`.
         */
        value?: {
          [k: string]: unknown;
        };
      };
    }
  | {
      do: "pause";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
      };
    }
  | {
      do: "resume";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
      };
    }
  | {
      do: "interrupt";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
        /**
         * Step to stop. The command is rejected if this step has ended.
         */
        step?: StepId | null;
        /**
         * Message to stop. The command is rejected if this message is complete.
         */
        message?: MessageId | null;
        /**
         * Text that the stopped agents continue with. If absent, people are asked.
         */
        text?: string | null;
      };
    }
  | {
      do: "cancel";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
        /**
         * Reason for the log, for example `wrong input`.
         */
        reason?: string | null;
      };
    }
  | {
      do: "invite";
      /**
       * Arguments of the command.
       */
      data: {
        participant: ParticipantId;
        role: Role;
      };
    }
  | {
      do: "set_role";
      /**
       * Arguments of the command.
       */
      data: {
        participant: ParticipantId;
        role: Role;
      };
    }
  | {
      do: "admit";
      /**
       * Arguments of the command.
       */
      data: {
        participant: ParticipantId;
      };
    }
  | {
      do: "refuse";
      /**
       * Arguments of the command.
       */
      data: {
        participant: ParticipantId;
      };
    }
  | {
      do: "remove";
      /**
       * Arguments of the command.
       */
      data: {
        participant: ParticipantId;
      };
    }
  | {
      do: "leave";
      /**
       * Arguments of the command.
       */
      data: {};
    }
  | {
      do: "set";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * New title.
         */
        title?: string | null;
        /**
         * Settings to change, for example `{"max_parallel": 8}`. The others stay as they are.
         */
        settings?: Settings | null;
      };
    }
  | {
      do: "remove_file";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Name of the file, for example `report.md`.
         */
        name: string;
      };
    }
  | {
      do: "restore_file";
      /**
       * Arguments of the command.
       */
      data: {
        file: FileId;
      };
    }
  | {
      do: "redact";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Id of the message, for example `m_12`.
         */
        message?: MessageId | null;
        /**
         * Id of the file version, for example `f_12`.
         */
        file?: FileId | null;
        /**
         * Id of the participant, `u_…`.
         */
        participant?: ParticipantId | null;
        /**
         * True to erase everything that the participant wrote in the session too. Default false; only with
         * `participant`.
         */
        content?: boolean;
        /**
         * Reason for the log; only with `message` or `file`.
         */
        reason?: string | null;
      };
    }
  | {
      do: "close";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Reason for the log.
         */
        reason?: string | null;
      };
    };
/**
 * Recipient of a `say`, in place of the mentions in its text: an id, a name, `all`, `people` or `role:reviewer`.
 */
export type Recipient = Target | string;
/**
 * Recipient of a message.
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
 * Id of an agent, from the configuration of its team; in a topology, `node/agent`. Example: `TestCase_Generator`.
 */
export type AgentId = string;
export type ParticipantId = string;
/**
 * Role of a participant in a session.
 */
export type Role = "owner" | "member" | "reviewer" | "viewer" | "bot";
/**
 * Delivery of a message to a busy run.
 */
export type Mode = "queue" | "steer";
export type FileId = string;
export type MessageId = string;
export type GateId = string;
/**
 * Role of the author of a relayed text, according to its sender. The server cannot verify the role, so the text counts
 * as the sender's.
 */
export type RelayRole = "user" | "assistant" | "system" | "tool";
/**
 * Choice of a voter.
 */
export type Choice = "approve" | "reject" | "abstain";
/**
 * Arguments that a call can have for a standing permission to allow it: those of the approved call, or any.
 */
export type StandingArguments = "same" | "any";
export type PermissionId = string;
export type RunId = string;
export type StepId = string;
/**
 * Quorum: the votes that decide a gate.
 */
export type Quorum =
  | {
      kind: "any";
    }
  | {
      kind: "all";
    }
  | {
      kind: "majority";
    }
  | {
      kind: "at_least";
      /**
       * Required votes, 1 to 100.
       */
      n: number;
      /**
       * Role of the participants whose votes count, which must have the right to approve; others can comment.
       * Absent: everyone eligible.
       */
      role?: Role | null;
    }
  | {
      kind: "weighted";
      /**
       * Required sum of weights, 1 to 10000.
       */
      n: number;
      weights: Weights;
    }
  | {
      kind: "role";
      role: Role;
    }
  | {
      kind: "veto";
    };
/**
 * Kind of question that a gate asks.
 */
export type GateKind =
  "feedback" | "plan" | "tool" | "question" | "uncertain" | "budget" | "rule" | "command";
/**
 * Risk of a call: how much harm a wrong call can do.
 */
export type Risk = "low" | "medium" | "high";
/**
 * Kind of a source of a call.
 */
export type CallSourceKind =
  "person" | "guest" | "bot" | "agent" | "file" | "knowledge" | "code" | "web" | "tool";
/**
 * Outcome of a gate at its deadline.
 */
export type DeadlineOutcome = "approved" | "expired";
/**
 * A right that a role can give.
 */
export type Right =
  "watch" | "say" | "steer" | "answer" | "approve" | "edit" | "interrupt" | "invite" | "manage";
/**
 * Access of a role to a right, from the widest to the narrowest.
 */
export type RightAccess = "allow" | "ask" | "deny";
/**
 * Source of proposals for rules that are learned from votes.
 */
export type LearningMode = "automatic" | "manual" | "off";
/**
 * One text frame from the server.
 */
export type ServerFrame =
  | {
      type: "welcome";
      you: Actor;
      /**
       * Version of the wire protocol, currently 1.
       */
      version: number;
      limits: Limits;
    }
  | {
      type: "joined";
      session: SessionId;
      /**
       * Newest seq at this moment, for example 1042.
       */
      head: number;
      /**
       * Role that the account of the client's participant has in every session, within the scope of their token. It
       * applies where it is higher than the role of their membership. Absent if there is none.
       */
      granted_role?: Role | null;
      /**
       * Rights of the client's participant in the session, for example `["watch","say"]`.
       */
      you_can: Right[];
      /**
       * Rights that the participant must ask the owners for: a command that needs one opens a gate. Absent if there
       * are none.
       */
      you_can_ask?: Right[];
      /**
       * State to start from. Absent if the client resumes after its own seq.
       */
      snapshot?: SnapshotFrame | null;
    }
  | ((
      | {
          event: "session.created";
          /**
           * Fields of the event.
           */
          data: {
            /**
             * Title of the session.
             */
            title: string;
            team: Team;
            settings: Settings;
          };
        }
      | {
          event: "session.updated";
          /**
           * Fields of the event.
           */
          data: {
            /**
             * New title. Absent if it did not change.
             */
            title?: string | null;
            /**
             * All settings after the change. Absent if none changed.
             */
            settings?: Settings | null;
            /**
             * Names of the settings that changed. Example: `["max_parallel"]`.
             */
            changed?: string[];
          };
        }
      | {
          event: "session.closed";
          /**
           * Fields of the event.
           */
          data: {
            /**
             * Reason that the participant gave. Can be empty. Example: `all cases are written`.
             */
            reason: string;
          };
        }
      | {
          event: "session.redacted";
          /**
           * Fields of the event.
           */
          data: {
            /**
             * Reason that the participant gave. Absent if they gave none.
             */
            reason?: string | null;
          };
        }
      | {
          event: "participant.joined";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
            kind: ActorKind;
            /**
             * Display name. Example: `Ann`.
             */
            name: string;
            role: Role;
            /**
             * True for a guest, such as a person who joined through a link and chose their own name.
             */
            guest?: boolean;
            /**
             * True if the name resembles an agent's name, or another participant's name with a different spelling.
             */
            lookalike?: boolean;
          };
        }
      | {
          event: "participant.renamed";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
            /**
             * Name before the change.
             */
            from: string;
            /**
             * Name after the change.
             */
            name: string;
          };
        }
      | {
          event: "participant.knocked";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
            kind: ActorKind;
            /**
             * Display name. Example: `Ann`.
             */
            name: string;
            role: Role;
          };
        }
      | {
          event: "participant.refused";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
          };
        }
      | {
          event: "participant.left";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
            reason: LeaveReason;
          };
        }
      | {
          event: "participant.role_changed";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
            role: Role;
          };
        }
      | {
          event: "participant.redacted";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
            /**
             * True if their messages and files were erased as well.
             */
            content?: boolean;
          };
        }
      | {
          event: "run.started";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            /**
             * Flow of the run. Example: `review`.
             */
            flow: string;
            input: MessageId;
            /**
             * Recipients of that message. Empty: the whole flow.
             */
            to: Target[];
          };
        }
      | {
          event: "run.state_changed";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            from: Phase;
            to: Phase;
          };
        }
      | {
          event: "run.finished";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            reason: FinishReason;
            /**
             * Message with the result of the run. Absent if there is none. Example: `m_42`.
             */
            final_message?: MessageId | null;
          };
        }
      | {
          event: "run.failed";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            error: AttemptError;
          };
        }
      | {
          event: "run.cancelled";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            /**
             * Reason that the participant gave. Can be empty.
             */
            reason: string;
          };
        }
      | {
          event: "message.posted";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            /**
             * Text of the message.
             */
            text: string;
            /**
             * Files that belong to the message, at most 20.
             */
            files?: FileId[];
            /**
             * Role of the author in the original conversation, if the sender relays the text. Example: `assistant`.
             */
            relays?: RelayRole | null;
            /**
             * Data that a program sent with the message. Absent if there is none.
             */
            request?: MessageRequest | null;
          };
        }
      | {
          event: "message.routed";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            /**
             * Recipients. Empty: the flow decides.
             */
            to: Target[];
            reason: RouteReason;
            /**
             * Mentions that match no name.
             */
            unresolved?: UnresolvedMention[];
            /**
             * Delivery mode of a message that waits for a busy run. Absent if it does not wait.
             */
            waiting?: Mode | null;
          };
        }
      | {
          event: "message.withdrawn";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
          };
        }
      | {
          event: "message.consumed";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            run: RunId;
            /**
             * Step that consumed the message. Absent if the message starts a round.
             */
            step?: StepId | null;
          };
        }
      | {
          event: "message.started";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            run: RunId;
            step: StepId;
            agent: AgentId;
            task?: Task;
            /**
             * Attempt, from 1. A higher one replaces the text of earlier attempts.
             */
            attempt: number;
            /**
             * True if the attempt continues work after a restart or the loss of a node.
             */
            recovered?: boolean;
          };
        }
      | {
          event: "message.completed";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            run: RunId;
            step: StepId;
            agent: AgentId;
            /**
             * Attempt, from 1.
             */
            attempt: number;
            /**
             * Complete text.
             */
            text: string;
            /**
             * Number of tool calls in the message; the same number of `tool.proposed` events follows. Default 0.
             */
            calls?: number;
            /**
             * True if the agent used all turns of its task: the calls fail, and the task ends with this text.
             */
            out_of_turns?: boolean;
            /**
             * True if the model stopped at its token limit, so the text is incomplete.
             */
            truncated?: boolean;
          };
        }
      | {
          event: "message.aborted";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            run: RunId;
            step: StepId;
            agent: AgentId;
            /**
             * Attempt, from 1.
             */
            attempt: number;
            /**
             * Text that had been written when the message ended.
             */
            text: string;
            reason: AbortReason;
          };
        }
      | {
          event: "message.redacted";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            /**
             * Reason that the participant gave. Absent if they gave none.
             */
            reason?: string | null;
          };
        }
      | {
          event: "step.started";
          /**
           * Fields of the event.
           */
          data: {
            step: StepId;
            run: RunId;
            /**
             * Agents that work in the step, in parallel.
             */
            agents: AgentId[];
          };
        }
      | {
          event: "step.completed";
          /**
           * Fields of the event.
           */
          data: {
            step: StepId;
            run: RunId;
          };
        }
      | {
          event: "step.skipped";
          /**
           * Fields of the event.
           */
          data: {
            step: StepId;
            run: RunId;
            reason: AbortReason;
          };
        }
      | {
          event: "attempt.failed";
          /**
           * Fields of the event.
           */
          data: {
            step: StepId;
            run: RunId;
            message: MessageId;
            agent: AgentId;
            /**
             * Attempt that failed, from 1.
             */
            attempt: number;
            error: AttemptError;
            /**
             * Time of the next attempt. Absent if there is none.
             */
            retry_at?: Timestamp | null;
            /**
             * True if a retry of the same request cannot succeed, for example because it does not fit into the model's
             * context.
             */
            permanent?: boolean;
          };
        }
      | {
          event: "file.added";
          /**
           * Fields of the event.
           */
          data: {
            file: FileId;
            /**
             * Name of the file. Example: `report.md`.
             */
            name: string;
            /**
             * Version number of the file, from 1, without gaps.
             */
            version: number;
            /**
             * Media type that the server detected. Example: `text/markdown`.
             */
            media_type: string;
            /**
             * Size of the content in bytes. Example: 2048.
             */
            bytes: number;
            /**
             * BLAKE3 hash of the content, in hexadecimal.
             */
            digest: string;
            /**
             * Agent that made the file. Absent if a participant added it.
             */
            agent?: AgentId | null;
            /**
             * Tool call that made the file. Absent if a participant added it, or if it contains structured output.
             */
            call?: CallId | null;
            /**
             * Message whose structured output the file contains. Absent for other files. Example: `m_40`.
             */
            message?: MessageId | null;
          };
        }
      | {
          event: "file.removed";
          /**
           * Fields of the event.
           */
          data: {
            file: FileId;
            /**
             * Name of the file. Example: `report.md`.
             */
            name: string;
          };
        }
      | {
          event: "file.redacted";
          /**
           * Fields of the event.
           */
          data: {
            file: FileId;
            /**
             * Reason that the participant gave. Absent if they gave none.
             */
            reason?: string | null;
          };
        }
      | {
          event: "tool.proposed";
          /**
           * Fields of the event.
           */
          data: {
            call: CallId;
            run: RunId;
            step: StepId;
            /**
             * Message that contains the call. Absent if the call is an item of the plan.
             */
            message?: MessageId | null;
            agent: AgentId;
            task?: Task;
            /**
             * Name of the tool. Example: `web_search`.
             */
            name: string;
            /**
             * Arguments as the model wrote them. Not necessarily valid JSON.
             */
            arguments: string;
            sources?: CallSources;
          };
        }
      | {
          event: "tool.checked";
          /**
           * Fields of the event.
           */
          data: {
            call: CallId;
            run: RunId;
            permission: Permission;
            /**
             * True if the call can safely be repeated.
             */
            idempotent: boolean;
            risk?: Risk;
            /**
             * Kinds of source that the result represents for its readers. Empty: nothing in it comes from outside.
             */
            result_sources?: CallSourceKind[];
            /**
             * Standing permission that allows the call. Absent if a rule does.
             */
            standing?: PermissionId | null;
          };
        }
      | {
          event: "tool.started";
          /**
           * Fields of the event.
           */
          data: {
            call: CallId;
            run: RunId;
            /**
             * Attempt, from 1. The result names the same attempt.
             */
            attempt: number;
            /**
             * Revision of the arguments, from 1.
             */
            rev: number;
            /**
             * BLAKE3 hash of the arguments, in hexadecimal.
             */
            digest: string;
          };
        }
      | {
          event: "tool.completed";
          /**
           * Fields of the event.
           */
          data: {
            call: CallId;
            run: RunId;
            /**
             * Attempt that succeeded, from 1; 0 if the call was never sent, because the kernel executed it or people
             * answered it.
             */
            attempt: number;
            /**
             * Result for the agent to read.
             */
            output: string;
            /**
             * Files that the call made. The log already contains their `file.added` events.
             */
            files?: FileId[];
          };
        }
      | {
          event: "tool.failed";
          /**
           * Fields of the event.
           */
          data: {
            call: CallId;
            run: RunId;
            /**
             * Attempt that failed, from 1; 0 if the call was never sent.
             */
            attempt: number;
            error: AttemptError;
          };
        }
      | {
          event: "tool.uncertain";
          /**
           * Fields of the event.
           */
          data: {
            call: CallId;
            run: RunId;
            /**
             * Attempt whose result was lost, from 1.
             */
            attempt: number;
          };
        }
      | {
          event: "plan.proposed";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            /**
             * Message that contains the plan. Absent if the `plan` tool or the flow made the plan.
             */
            message?: MessageId | null;
            plan: Plan;
          };
        }
      | {
          event: "plan.edited";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            plan: Plan;
          };
        }
      | {
          event: "plan.item_changed";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            /**
             * Number of the item in the plan, from 1.
             */
            number: number;
            state: PlanItemState;
            /**
             * Note about the change. Can be empty.
             */
            note?: string;
          };
        }
      | {
          event: "decision.made";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            /**
             * Message that contains the decision. Absent if a rule of the flow decided for the agent.
             */
            message?: MessageId | null;
            agent: AgentId;
            decision: PlannerDecision;
          };
        }
      | {
          event: "output.produced";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            message: MessageId;
            /**
             * The output, as JSON; null if it was erased.
             */
            output: {
              [k: string]: unknown;
            };
          };
        }
      | {
          event: "output.rejected";
          /**
           * Fields of the event.
           */
          data: {
            run: RunId;
            message: MessageId;
            /**
             * Error in the output.
             */
            reason: string;
            /**
             * Violations of the schema that the caller of the run gave, at most 20. Absent for other structures.
             */
            violations?: SchemaViolation[];
            /**
             * True if the agent is asked again. If false, the flow continues with its fallback, or the run fails if the
             * schema is the caller's.
             */
            again: boolean;
          };
        }
      | {
          event: "gate.opened";
          /**
           * Fields of the event.
           */
          data: {
            gate: Gate;
          };
        }
      | {
          event: "gate.voted";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
            /**
             * Revision that the vote is about, from 1.
             */
            rev: number;
            choice: Choice;
            role: Role;
            /**
             * Comment of the voter. Absent if there is none.
             */
            comment?: string | null;
            /**
             * Message that contains the voter's text. Absent if there is none.
             */
            message?: MessageId | null;
          };
        }
      | {
          event: "gate.vote_withdrawn";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
          };
        }
      | {
          event: "gate.commented";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            place: CommentPlace;
          };
        }
      | {
          event: "gate.thread_changed";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
            thread: MessageId;
            /**
             * True if the thread is resolved, false if it is open again.
             */
            resolved: boolean;
          };
        }
      | {
          event: "gate.escalated";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
            quorum: Quorum;
          };
        }
      | {
          event: "gate.revised";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
            /**
             * New revision, from 2.
             */
            rev: number;
            /**
             * BLAKE3 hash of the new subject, in hexadecimal.
             */
            digest: string;
            /**
             * Arguments of the call after the edit.
             */
            arguments?: string | null;
            /**
             * Plan after the edit.
             */
            plan?: Plan | null;
            /**
             * New expiry time of the gate. Absent if it did not change.
             */
            deadline?: Timestamp | null;
            /**
             * Remaining escalations, with their new times. Absent if none remain.
             */
            escalations?: Escalation[];
            /**
             * Standing permission that is decided on together with the call. Absent if there is none.
             */
            standing?: StandingTerms | null;
            /**
             * Budget of the session after an approval. Absent at gates of other kinds.
             */
            budget?: Budget | null;
            /**
             * Model that all agents use after an approval, as `provider/model`. Absent if none is proposed.
             */
            model?: string | null;
          };
        }
      | {
          event: "gate.decided";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
            /**
             * Revision that was decided on, from 1.
             */
            rev: number;
            outcome: Outcome;
            /**
             * Votes that led to the decision.
             */
            votes: Vote[];
            /**
             * Message that decided the gate. Absent if votes without comments did.
             */
            message?: MessageId | null;
            /**
             * Agents that continue with the feedback. Empty: the flow decides.
             */
            to?: Target[];
            /**
             * Reason why an approved command was not carried out. Absent if it was, and at gates of other kinds.
             */
            failure?: CommandFailure | null;
            /**
             * Comments of open threads, which the agents read. Empty if the gate was approved.
             */
            comments?: MessageId[];
          };
        }
      | {
          event: "votes.delegated";
          /**
           * Fields of the event.
           */
          data: {
            participant: ParticipantId;
            /**
             * Participant who votes on their behalf. Absent: the delegation ended.
             */
            delegate?: VoteDelegate | null;
          };
        }
      | {
          event: "permission.granted";
          /**
           * Fields of the event.
           */
          data: {
            permission: StandingPermission;
          };
        }
      | {
          event: "permission.revoked";
          /**
           * Fields of the event.
           */
          data: {
            permission: PermissionId;
            /**
             * True if the permission was not revoked but expired before a call that it allowed was sent, as in a paused
             * run.
             */
            expired?: boolean;
          };
        }
      | {
          event: "gate.expired";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
          };
        }
      | {
          event: "gate.closed";
          /**
           * Fields of the event.
           */
          data: {
            gate: GateId;
          };
        }
      | {
          event: "control.requested";
          /**
           * Fields of the event.
           */
          data: {
            /**
             * Id of the control: the seq of this event. Example: 57.
             */
            control: number;
            run: RunId;
            verb: ControlVerb;
            /**
             * Reason that the participant gave. Absent if they gave none.
             */
            reason?: string | null;
            /**
             * Message that came with an interrupt; the run continues with it.
             */
            message?: MessageId | null;
          };
        }
      | {
          event: "control.acknowledged";
          /**
           * Fields of the event.
           */
          data: {
            /**
             * Seq of the `control.requested` event of this control. Example: 57.
             */
            control: number;
            run: RunId;
            verb: ControlVerb;
          };
        }
      | {
          event: "control.effective";
          /**
           * Fields of the event.
           */
          data: {
            /**
             * Seq of the `control.requested` event of this control. Example: 57.
             */
            control: number;
            run: RunId;
            verb: ControlVerb;
          };
        }
      | {
          event: "usage.recorded";
          /**
           * Fields of the event.
           */
          data: {
            message: MessageId;
            run: RunId;
            agent: AgentId;
            /**
             * Participant whose message the run works on.
             */
            participant?: ParticipantId | null;
            /**
             * Model that responded, as `provider/model`. Example: `openai/gpt-4o`.
             */
            model: string;
            /**
             * Tokens in the request. Example: 1200.
             */
            input_tokens: number;
            /**
             * Tokens in the response. Example: 300.
             */
            output_tokens: number;
            /**
             * True if the server estimated the numbers, because the provider reported none.
             */
            estimated: boolean;
            /**
             * Cost in millionths of the configured currency; 0 without a configured price. Example: 1500.
             */
            cost_micros: number;
          };
        }
    ) & {
      type: "event";
      session: SessionId;
      /**
       * Position in the session's log, from 1, without gaps. Example: 1042.
       */
      seq: number;
      at: Timestamp;
      by: Actor;
      /**
       * Run that the event belongs to. Absent if it belongs to none. Example: `r_12`.
       */
      run?: RunId | null;
      /**
       * Origin of the event. Absent if the event was caused by the passage of time alone, by a restart, or by a tool's
       * question.
       */
      cause?: Cause | null;
      /**
       * Mark of the redaction that erased content of this event. Absent if nothing was erased.
       */
      redacted?: Redaction | null;
    })
  | {
      type: "delta";
      session: SessionId;
      message: MessageId;
      /**
       * Attempt, starting at 1; the text of a later attempt starts again at offset 0.
       */
      attempt: number;
      /**
       * Offset of the fragment in the text, in UTF-8 bytes.
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
       * Name of the signal: `presence`, `liveness`, `progress`, `typing` or `looking_at`.
       */
      name: string;
      /**
       * Details of the signal: [`Presence`], [`Liveness`] or [`CallProgress`] for the signal of that name.
       */
      data: {
        [k: string]: unknown;
      };
    }
  | {
      type: "caught_up";
      session: SessionId;
      /**
       * Seq of the newest event that the client has.
       */
      through: number;
    }
  | {
      type: "ack";
      session: SessionId;
      id: CommandId;
      /**
       * Seq of the command's last event.
       */
      seq: number;
    }
  | {
      type: "error";
      /**
       * Id of the command, if the frame was one.
       */
      id?: CommandId | null;
      /**
       * The session, if the frame named one.
       */
      session?: SessionId | null;
      code: Code;
      /**
       * Explanation for people: what happened, then what to do.
       */
      message: string;
      /**
       * True if the same request can succeed later. Example: true for `rate_limited`.
       */
      retryable: boolean;
      /**
       * Milliseconds to wait before a retry. Absent if a retry does not help or can be immediate. With `quota_exceeded`,
       * the time until the month ends, which only a person can wait for. Example: 1200.
       */
      retry_after_ms?: number | null;
      /**
       * Additional data, depending on the code: the decision, the current revision, the accepted number of bytes, or the
       * incident id, for example `{"max_bytes":65536}`.
       */
      details?: {
        [k: string]: unknown;
      };
    }
  | {
      type: "closing";
      session: SessionId;
      /**
       * Reason as a code: `removed`, `left`, or an error code such as `store_unavailable`.
       */
      code: string;
      /**
       * Reason as text for people.
       */
      message: string;
    }
  | {
      type: "pong";
    };
/**
 * Kind of actor.
 */
export type ActorKind = "user" | "bot" | "agent" | "system";
/**
 * Language of the text that the server writes in a session.
 */
export type Language = "en" | "zh";
/**
 * Role of an agent in the flow.
 */
export type AgentRole =
  | "generator"
  | "reviewer"
  | "optimizer"
  | "worker"
  | "router"
  | "planner"
  | "executor"
  | "summarizer"
  | "supervisor";
/**
 * Sampling temperature of a model, 0 to 2, in steps of 0.01. Low for figures and code, high for ideas.
 */
export type Temperature = number;
/**
 * Use of tools by an agent.
 */
export type ToolChoice = "none" | "auto" | "required";
/**
 * Permission for a call, from the rules of its agent and its tool.
 */
export type Permission = "allow" | "ask" | "deny";
/**
 * Order in which nodes work.
 */
export type GlobalStrategy = "hierarchical" | "parallel" | "sequential";
/**
 * Order in which the agents of a node work.
 */
export type NodeStrategy = "round_robin" | "priority" | "adaptive";
/**
 * Kind of relation between two nodes.
 */
export type Relation = "calls" | "depends_on" | "integrates" | "monitors" | "data_flow";
/**
 * Phase of a run. It follows from the run's work and gates, and is recorded when it changes.
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
 * Purpose of an agent's turns in a step.
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
       * Number of the item, from 1.
       */
      number: number;
      /**
       * Index of the part, from 0, if the parts of the item are executed in parallel. Default 0.
       */
      part?: number;
    }
  | {
      kind: "decide";
    }
  | {
      kind: "summarize";
    }
  | {
      kind: "report";
      /**
       * Number of the monitored node in the plan, from 1.
       */
      number: number;
    }
  | {
      kind: "structure";
    };
export type CallId = string;
/**
 * State of a call.
 */
export type CallState = "proposed" | "asked" | "allowed" | "started" | "uncertain" | "completed" | "failed";
/**
 * Id of a source.
 */
export type CallSourceId = MessageId | FileId | CallId | GateId;
/**
 * State of a plan item.
 */
export type PlanItemState = "not_started" | "in_progress" | "completed" | "blocked" | "skipped";
/**
 * Next action of the run.
 */
export type PlannerAction =
  | "continue"
  | "retry"
  | "skip"
  | "end"
  | "request_input"
  | "synthesize"
  | "adjust_plan"
  | "route"
  | "delegate";
/**
 * Kind of control of a run. Each control is recorded in three phases.
 */
export type ControlVerb = "pause" | "resume" | "interrupt" | "cancel" | "expire";
/**
 * Id of a gate's subject.
 */
export type SubjectId = MessageId | CallId | RunId;
/**
 * Possible response at a gate.
 */
export type GateAction = "approve" | "edit" | "reject" | "respond";
/**
 * Reason why a message ended before it was complete.
 */
export type AbortReason = "interrupted" | "cancelled" | "failed" | "timed_out";
/**
 * Decision that people made about a call.
 */
export type PastOutcome = "allowed" | "changed" | "refused" | "undecided";
/**
 * Command that owners can be asked to approve, in the form of a command frame: `do` is the name, `data` has the
 * fields.
 */
export type AskedCommandData =
  | {
      do: "say";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Text of the message.
         */
        text: string;
        /**
         * Recipients: names, or targets as JSON. Absent: the mentions in the text.
         */
        to?: AskedAddressee[] | null;
        mode?: Mode;
        /**
         * Files that belong to the message.
         */
        files?: FileId[];
      };
    }
  | {
      do: "start";
      /**
       * Arguments of the command.
       */
      data: {
        /**
         * Flow of the run. Absent: the flow of the team.
         */
        flow?: string | null;
        /**
         * Message that the run works on.
         */
        input: string;
        /**
         * Files that belong to the message.
         */
        files?: FileId[];
      };
    }
  | {
      do: "pause";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
      };
    }
  | {
      do: "resume";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
      };
    }
  | {
      do: "interrupt";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
        /**
         * Step to stop. Absent: any step.
         */
        step?: StepId | null;
        /**
         * Message to stop. Absent: any message.
         */
        message?: MessageId | null;
        /**
         * Text that the stopped agents continue with. Absent: people are asked.
         */
        text?: string | null;
      };
    }
  | {
      do: "cancel";
      /**
       * Arguments of the command.
       */
      data: {
        run: RunId;
        /**
         * Reason for the log. Absent if there is none.
         */
        reason?: string | null;
      };
    }
  | {
      do: "invite";
      /**
       * Arguments of the command.
       */
      data: {
        participant: ParticipantId;
        kind: ActorKind;
        /**
         * Name of the participant when the owners were asked.
         */
        name: string;
        role: Role;
        /**
         * True for a guest, such as a person who joined through a link and chose their own name.
         */
        guest?: boolean;
      };
    };
/**
 * Recipient of a message that owners are asked to approve.
 */
export type AskedAddressee = Target | string;
/**
 * Outcome of a gate.
 */
export type Outcome = "approved" | "rejected" | "responded" | "withdrawn";
/**
 * Reason why an approved command was not carried out.
 */
export type CommandFailure = "not_allowed" | "target_over" | "nothing_to_do" | "inbox_full" | "invalid";
/**
 * Reason why a participant is no longer in the session.
 */
export type LeaveReason = "left" | "removed";
/**
 * Reason why a run ended successfully.
 */
export type FinishReason = "completed" | "message_limit" | "step_limit" | "turn_limit" | "budget";
/**
 * Reason for the recipients of a message.
 */
export type RouteReason = "explicit" | "mention" | "default" | "approval" | "vote" | "comment" | "unresolved";
/**
 * Origin of an event: a participant's command, or an earlier event.
 */
export type Cause = number | CommandId;
/**
 * Error code for clients to match on.
 */
export type Code =
  | "unknown_session"
  | "session_closed"
  | "not_a_member"
  | "forbidden"
  | "token_scope"
  | "run_active"
  | "no_run"
  | "target_over"
  | "nothing_running"
  | "already_paused"
  | "not_paused"
  | "already_requested"
  | "unknown_gate"
  | "unknown_permission"
  | "unknown_suggestion"
  | "already_decided"
  | "gate_closed"
  | "stale_revision"
  | "unknown_thread"
  | "comments_full"
  | "comment_required"
  | "not_waiting"
  | "not_the_author"
  | "inbox_full"
  | "requests_full"
  | "unknown_participant"
  | "last_owner"
  | "unknown_message"
  | "unknown_file"
  | "files_full"
  | "unknown_knowledge"
  | "unknown_document"
  | "knowledge_full"
  | "unknown_team"
  | "team_inactive"
  | "team_busy"
  | "unknown_execution"
  | "execution_running"
  | "execution_timeout"
  | "schema_generation_failed"
  | "no_result"
  | "idempotency_key_reused"
  | "quota_exceeded"
  | "session_full"
  | "too_many_sessions"
  | "not_joined"
  | "link_invalid"
  | "bad_frame"
  | "unknown_command"
  | "invalid_argument"
  | "invalid_topology"
  | "too_large"
  | "not_text"
  | "binary_frame"
  | "upgrade_required"
  | "unauthenticated"
  | "already_authenticated"
  | "not_found"
  | "method_not_allowed"
  | "wrong_origin"
  | "rate_limited"
  | "busy"
  | "model_unavailable"
  | "store_unavailable"
  | "shutting_down"
  | "timed_out"
  | "internal";

/**
 * All types of the wire protocol.
 */
export interface WireSchema {
  client: ClientFrame;
  command: CommandData;
  server: ServerFrame;
  error: ErrorBody;
  presence: Presence;
  liveness: Liveness;
  progress: CallProgress;
}
/**
 * Assumption of a command's sender about the current state.
 */
export interface Expectation {
  /**
   * Revision of the gate that the sender saw, for example 1.
   */
  rev: number;
}
/**
 * One relayed message.
 */
export interface PriorMessage {
  role: RelayRole;
  /**
   * Text of the message. Must not be blank unless `files` is given.
   */
  text: string;
  /**
   * Ids of session files that belong to the message.
   */
  files?: FileId[];
}
/**
 * Terms of a standing permission. At least one of `this_run`, `until` and `max_uses` limits it.
 */
export interface StandingTerms {
  arguments: StandingArguments;
  /**
   * True if it ends with the run. Default false.
   */
  this_run?: boolean;
  /**
   * Time at which it ends, at most 30 days from now. Absent: no time limit.
   */
  until?: Timestamp | null;
  /**
   * Number of calls that it allows, in addition to the one that the gate is about, 1 to 1000. Absent: any number.
   */
  max_uses?: number | null;
}
/**
 * One vote of a batch: the gate, the revision of its subject that the voter saw, and the choice.
 */
export interface BatchedVote {
  gate: GateId;
  /**
   * Revision of its subject, from 1.
   */
  rev: number;
  choice: Choice;
}
/**
 * Settings of a session.
 */
export interface Settings {
  approval?: Quorum;
  /**
   * Rules that replace `approval` for some kinds of gates, or for calls with some risk or sources, at most 16. The
   * first rule that matches applies. Default: none. Example:
   * `[{"gate":"tool","min_risk":"high","quorum":{"kind":"at_least","n":2},"separate_duties":true}]`.
   */
  approval_rules?: ApprovalRule[];
  /**
   * Rules about rights that roles have, must ask for or lack in this session, regardless of the defaults, at most
   * one rule for each role and right. Owners keep every right, and `watch` and `manage` cannot be changed. Default:
   * none. Example: `[{"role":"reviewer","right":"interrupt","access":"allow"}]`.
   */
  rights?: RightRule[];
  /**
   * Maximum number of messages of people and agents in one run, 2 to 10000. At the limit, the run ends with
   * `message_limit`. Turns that call tools do not count. In the `review` flow, the limit is for one round, which
   * then ends with a gate. Default 20 in the `review` flow, 10000 in `topology`, 200 in others.
   */
  max_messages_per_run?: number;
  /**
   * Maximum number of steps of one run, 1 to 10000. At the limit, the run ends with `step_limit`. In the `review`
   * flow, the limit is for one round, which then ends with a gate. Default 40; 10000 in the `topology` flow.
   */
  max_steps_per_run?: number;
  /**
   * Maximum number of turns of one agent for one task, 1 to 200. The request of the last turn forbids tool calls;
   * calls in its response fail with `too_many_turns`. Default 20.
   */
  max_turns_per_task?: number;
  /**
   * Maximum number of agents that work in parallel, 1 to 4096; others wait. Default 64; 4096 in the `topology` flow.
   */
  max_parallel?: number;
  /**
   * Maximum number of tool calls of one turn, 1 to 64. Further ones fail with `too_many_calls`. Default 16.
   */
  max_calls_per_turn?: number;
  /**
   * Maximum number of retries of a plan item, or of a task in the `topology` flow, before it is blocked, 0 to 20.
   * Default 2.
   */
  max_retries?: number;
  /**
   * Maximum number of repeated requests to an agent whose output could not be read, 0 to 20. Default 2.
   */
  max_repairs?: number;
  /**
   * Code bases that agents may read, by their names in the server's configuration, at most 32. A new session that
   * names none gets up to 32 that its creator and its team can use; `[]` gives it none.
   */
  code?: string[];
  /**
   * Knowledge bases that agents may search, by their ids, at most 32. Example: `["1", "7"]`.
   */
  knowledge?: string[];
  /**
   * Maximum number of attempts at one turn before the run fails (in the `topology` flow, the task, which is then
   * retried up to `max_retries` times), 1 to 20. Default 4.
   */
  max_attempts?: number;
  /**
   * Maximum number of messages that can wait for a busy run, 1 to 1000. Default 50.
   */
  max_waiting_messages?: number;
  /**
   * Seconds until an open gate expires, 1 to 31536000. An edit restarts them. Absent: only gates whose rule sets
   * `deadline_seconds` expire.
   */
  gate_seconds?: number | null;
  /**
   * Limits on the combined usage of all model requests of the session. When they are reached and the run needs
   * another request, a `budget` gate opens. Absent: no limit. Example: `{"max_tokens":200000}`.
   */
  budget?: Budget | null;
  /**
   * Model for all agents, in place of the ones that the team names, as a listed `provider/model`. A gate about the
   * budget can set it to a cheaper one. Absent: each agent uses the model of the team. Example:
   * `"openai/gpt-4o-mini"`.
   */
  model?: string | null;
  learning?: LearningSettings;
  /**
   * Days after the last event until all content of the session is erased, 1 to 36500. Nothing is erased during a
   * run. Absent: content is kept.
   */
  retention_days?: number | null;
}
/**
 * Weights of votes by the role of the voter. Each weight is 0 to 100, default 1; votes with weight 0 are comments.
 */
export interface Weights {
  /**
   * Weight of an owner's vote.
   */
  owner?: number;
  /**
   * Weight of a member's vote.
   */
  member?: number;
  /**
   * Weight of a reviewer's vote.
   */
  reviewer?: number;
  /**
   * Weight of a bot's vote, where bots vote.
   */
  bot?: number;
}
/**
 * Rule for the approval of some gates.
 */
export interface ApprovalRule {
  /**
   * Kind of the gates, for example `plan`. Absent: all kinds except `command`, on which one owner decides unless a
   * rule names the kind.
   */
  gate?: GateKind | null;
  /**
   * Minimum risk of the call that the gate is about: `low`, `medium` or `high`. Absent: any risk, including gates
   * without a call.
   */
  min_risk?: Risk | null;
  /**
   * Kinds of source, at least one of which the call that the gate is about must have, for example `["guest",
   * "web"]`. Such a rule also asks about calls that would otherwise be made without a gate, except those that only
   * read. Empty: any sources, including gates without a call.
   */
  caused_by?: CallSourceKind[];
  quorum: Quorum;
  /**
   * True if these gates need the approval of somebody other than guests and the participants who started or steered
   * the run or edited the subject. Default false.
   */
  separate_duties?: boolean;
  /**
   * True if votes cannot approve these gates while a comment on what they show is unresolved. Rejections, answers
   * and the outcome at the deadline apply as usual. Default false.
   */
  comments_hold?: boolean;
  /**
   * True if the votes of bots count as well. Default false: bots do not vote.
   */
  bots?: boolean;
  /**
   * Quorums, at most 4 and in chronological order, each of which replaces the one before it if nobody decides in
   * time.
   *
   * @maxItems 4
   */
  escalation?:
    | []
    | [EscalationStep]
    | [EscalationStep, EscalationStep]
    | [EscalationStep, EscalationStep, EscalationStep]
    | [EscalationStep, EscalationStep, EscalationStep, EscalationStep];
  /**
   * Seconds that people have to decide, 1 to 31536000. Absent: `gate_seconds` of the session.
   */
  deadline_seconds?: number | null;
  /**
   * Outcome of the gate at the deadline. Absent: `approved` under the `veto` quorum without escalation, otherwise
   * `expired`.
   */
  at_deadline?: DeadlineOutcome | null;
}
/**
 * Step of an escalation, in a rule.
 */
export interface EscalationStep {
  /**
   * Seconds after the opening of the gate, 1 to 31536000.
   */
  after_seconds: number;
  quorum: Quorum;
}
/**
 * A right that a role has, must ask for, or lacks in one session, regardless of the role's defaults.
 */
export interface RightRule {
  role: Role;
  right: Right;
  access: RightAccess;
}
/**
 * Limits on a session's usage of models, over its whole log. At least one of `max_tokens` and `max_cost_micros` is
 * set.
 */
export interface Budget {
  /**
   * Maximum number of tokens in all requests and responses, 1 to 10^15. Absent: no limit.
   */
  max_tokens?: number | null;
  /**
   * Maximum cost of all requests, in millionths of the configured currency, 1 to 10^15. Models without prices cost
   * nothing. Absent: no limit.
   */
  max_cost_micros?: number | null;
  /**
   * Maximum number of tokens in one request and its response, 10000 to 10^8. Longer conversations are truncated to
   * fit. Default 100000.
   */
  max_turn_tokens?: number;
  /**
   * Maximum cost of one request, in millionths of the configured currency, 1 to 10^15. Default 1000000. Requests are
   * truncated to fit only if `max_cost_micros` is set.
   */
  max_turn_cost_micros?: number;
}
/**
 * Evidence that a rule needs before it is proposed.
 */
export interface LearningSettings {
  mode?: LearningMode;
  /**
   * Minimum number of calls that people allowed as proposed, 2 to 200. Default 5.
   */
  min_decisions?: number;
  /**
   * Minimum number of different people who allowed them, 1 to 20. Default 2.
   */
  min_people?: number;
  /**
   * Maximum percentage of decisions that rejected or changed such calls, 0 to 50. Default 10.
   */
  max_refused_percent?: number;
}
/**
 * Author of an event, as the server knows them; never taken from a client (law 7).
 */
export interface Actor {
  kind: ActorKind;
  /**
   * Id of the participant or agent; `system` for the server. Example: `TestCase_Generator`.
   */
  id: string;
  /**
   * Display name at the time of the event. Example: `Ann`.
   */
  name: string;
  /**
   * True for guests, such as people who joined through a link and chose their own name. Such a name can be the same
   * as another participant's.
   */
  guest?: boolean;
  /**
   * Role of a participant at the time of the event, in the session or on the server, whichever gives more rights,
   * but at most the role to which their token is limited. Absent for agents, for the server, and for participants
   * without a role.
   */
  role?: Role | null;
}
/**
 * Limits that a client must respect.
 */
export interface Limits {
  /**
   * Maximum size of a frame from a client, in bytes, for example 262144.
   */
  max_frame_bytes: number;
  /**
   * Maximum size of a message's text, in bytes, for example 65536.
   */
  max_text_bytes: number;
  /**
   * Maximum number of sessions that one connection can join, for example 64.
   */
  max_joined_sessions: number;
  /**
   * Seconds between two WebSocket pings of the server, for example 10.
   */
  ping_seconds: number;
}
/**
 * State of a session from which a client without a seq starts.
 */
export interface SnapshotFrame {
  /**
   * Seq of the last event that the state includes.
   */
  seq: number;
  state: View;
}
/**
 * A session at one seq. Its size is bounded, no matter how long the log is.
 */
export interface View {
  session: SessionId;
  /**
   * Title of the session.
   */
  title: string;
  /**
   * True if a participant has changed the title. The server then keeps the title, even if it equals one that the
   * server would generate. Default false.
   */
  titled?: boolean;
  created_at: Timestamp;
  updated_at: Timestamp;
  /**
   * True if the session accepts no further commands.
   */
  closed: boolean;
  /**
   * Mark of the redaction that erased all content of the session. Absent if there was none.
   */
  redacted?: Redaction | null;
  team: Team;
  settings: Settings;
  /**
   * People and bots in the session, in the order in which they joined.
   */
  participants: Member[];
  /**
   * Current run, or the last one. Absent before the first run.
   */
  run?: Run | null;
  /**
   * Open gates, in the order in which they opened.
   */
  gates: Gate[];
  /**
   * Ended gates, newest last. At most 20.
   */
  decided: Gate[];
  /**
   * Standing permissions, in the order in which they were granted. At most 50 of them are still in effect.
   */
  permissions?: StandingPermission[];
  /**
   * Messages waiting for the run, in order.
   */
  inbox: QueuedMessage[];
  /**
   * Newest messages, oldest first. At most 100.
   */
  messages: Message[];
  /**
   * All versions of all files, oldest first. The last version of a name is current, unless it is `removed`.
   */
  files?: File[];
  /**
   * True if the session has messages older than `messages`; REST returns them.
   */
  more: boolean;
  /**
   * Participants who were removed, newest last. At most 500. An old invitation does not readmit them.
   */
  removed?: ParticipantId[];
  /**
   * Pending requests to join, oldest first. At most 20.
   */
  knocks?: Knock[];
  /**
   * Participants whose request to join was refused, newest last. At most 500. They cannot ask again.
   */
  refused?: ParticipantId[];
  /**
   * Request for a title that is in progress, in a session with a budget. Absent if there is none.
   */
  title_request?: TitleRequest | null;
  /**
   * Usage by agent.
   */
  usage_by_agent: UsageTotals[];
  /**
   * Usage by the participant whose messages caused it.
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
 * A named set of agents with a flow. `session.created` contains the whole team, so that a log keeps its meaning after
 * the configuration has changed.
 */
export interface Team {
  /**
   * Name of the team in requests. Example: `testcase-zh`.
   */
  name: string;
  /**
   * Title that people read.
   */
  title: string;
  /**
   * Flow of its runs. Example: `review`.
   */
  flow: string;
  language?: Language;
  /**
   * First messages that people can choose from. At most 6, each of at most 500 characters. Default: none.
   */
  starters?: string[];
  /**
   * Agents, in the order in which the flow uses them.
   */
  agents: Agent[];
  /**
   * Steps of the `workflow` flow, in order; also for `router`, if it can choose `workflow`. Default: none.
   */
  steps?: FixedStep[];
  /**
   * Nodes of the `topology` flow. Absent in other flows.
   */
  topology?: Topology | null;
  /**
   * Stored team that this team is a copy of. Its session's first run is an execution of that team. Absent in the
   * server's own teams and in team files.
   */
  origin?: TeamOrigin | null;
}
/**
 * An agent: a model with a prompt and tools.
 */
export interface Agent {
  id: AgentId;
  /**
   * Display name; also works in a mention. Example: `Planner`.
   */
  name: string;
  role: AgentRole;
  /**
   * One-line description, with an emoji. Default: empty. Example: "🎯 Test case author".
   */
  title?: string;
  /**
   * System prompt.
   */
  prompt: string;
  /**
   * Template of the agent's task, with variables such as `{task}`, `{context.KEY}`, `{node.KEY}` and
   * `{upstream.NODE}`; `{{` and `}}` are literal braces. Absent: the message of the run. Only in the `topology`
   * flow.
   */
  prompt_template?: string | null;
  /**
   * Id of the node that the agent belongs to. Absent for the global supervisor, and without a topology.
   */
  node?: string | null;
  /**
   * Priority among the agents of a node with the `priority` strategy: higher first, then list order. Default 0.
   */
  priority?: number;
  /**
   * Model as `provider/model`, or a model of the default provider. Absent: the server's default model.
   */
  model?: string | null;
  /**
   * Sampling temperature, 0 to 2. Absent: the provider's default.
   */
  temperature?: Temperature | null;
  /**
   * Maximum number of tokens in one response. Absent: the model's `max_output_tokens`. A response that reaches it is
   * truncated and marked as truncated.
   */
  max_tokens?: number | null;
  /**
   * Names of the tools that the agent may call; `*` matches any text. Default: none. Example: `code_*`.
   */
  tools?: string[];
  tool_choice?: ToolChoice;
  /**
   * Rules about calls; the first one that matches applies. Default: none, so that the permission of the tool
   * applies.
   */
  permissions?: CallRule[];
}
/**
 * A rule that allows, denies or asks about some calls.
 */
export interface CallRule {
  /**
   * Pattern of tool names, where `*` matches any text. Example: `mcp_github_*`.
   */
  tool: string;
  /**
   * Pattern of the arguments as compact JSON with sorted fields, where `*` matches any text. Absent: any arguments.
   * Example: `*"branch":"main"*`.
   */
  arguments?: string | null;
  permission: Permission;
  /**
   * Risk of calls that match, in place of the tool's risk. Absent: the tool's risk.
   */
  risk?: Risk | null;
}
/**
 * A fixed step of the `workflow` flow.
 */
export interface FixedStep {
  agent: AgentId;
  /**
   * Task of the step.
   */
  action: string;
}
/**
 * Nodes of a team and their relations. Every agent of such a team belongs to a node, except the global supervisor.
 */
export interface Topology {
  strategy?: GlobalStrategy;
  /**
   * Nodes in display order, 1 to 100.
   */
  nodes: TopologyNode[];
  /**
   * Relations between nodes. Default: none.
   */
  edges?: Edge[];
  /**
   * True if nodes without edges are accepted. Default false.
   */
  allow_isolated_nodes?: boolean;
  /**
   * Maximum number of times that the supervisor of a node with the `adaptive` strategy picks an agent. 1 to 1000,
   * default 50.
   */
  max_iterations?: number;
  /**
   * Seconds after which an execution of the team ends, unless its request says otherwise. 1 to 1800, default 300.
   */
  timeout_seconds?: number;
  /**
   * Description of the team for people. Default: empty.
   */
  description?: string;
}
/**
 * A node: agents with a supervisor that work on one resource.
 */
export interface TopologyNode {
  /**
   * Id of the node. Example: `db-service`.
   */
  id: string;
  /**
   * Display name.
   */
  name: string;
  /**
   * Type of the resource. Example: `database`.
   */
  type: string;
  /**
   * Data for prompt templates, as `{node.KEY}`. Default: none.
   */
  attributes?: {
    [k: string]: unknown;
  };
  strategy?: NodeStrategy;
}
/**
 * Relation of one node to another.
 */
export interface Edge {
  /**
   * Id of the node that the relation starts at.
   */
  source: string;
  /**
   * Id of the node that the relation points to.
   */
  target: string;
  relation: Relation;
  /**
   * Data for people and programs; not interpreted. Default: none.
   */
  attributes?: {
    [k: string]: unknown;
  };
}
/**
 * Version of a stored team.
 */
export interface TeamOrigin {
  /**
   * Id of the team. Example: `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.
   */
  team: string;
  /**
   * Number of the version, from 1. Example: 3.
   */
  version: number;
}
/**
 * A person or bot in the session.
 */
export interface Member {
  id: ParticipantId;
  kind: ActorKind;
  /**
   * Display name; also works in a mention. Example: `Ann`.
   */
  name: string;
  role: Role;
  /**
   * True for a guest, such as a person who joined through a link and chose their own name.
   */
  guest?: boolean;
  /**
   * True if, when the participant joined, the name resembled an agent's name or another participant's name with a
   * different spelling.
   */
  lookalike?: boolean;
  /**
   * Participant who votes on the member's behalf. Absent without a delegation.
   */
  delegate?: VoteDelegate | null;
}
/**
 * Participant who votes on behalf of another.
 */
export interface VoteDelegate {
  to: ParticipantId;
  /**
   * Time at which the delegation ends. Absent: it lasts until the represented participant ends it.
   */
  until?: Timestamp | null;
}
/**
 * One pass of a team through its flow.
 */
export interface Run {
  id: RunId;
  /**
   * Flow of the run. Example: `review`.
   */
  flow: string;
  started_at: Timestamp;
  /**
   * Participant whose message the run works on, with their kind. The usage of the run counts as theirs.
   *
   * @minItems 2
   * @maxItems 2
   */
  started_by?: [ParticipantId, ActorKind] | null;
  /**
   * Participants who started the run, or whose messages reached its agents outside of gates. Where duties are
   * separated, they cannot approve anything.
   */
  directed_by?: ParticipantId[];
  input: MessageId;
  /**
   * Data that a program sent with the message that started the run. Absent if there is none or it was erased.
   */
  request?: MessageRequest | null;
  phase: Phase;
  round: Round;
  /**
   * Number of rounds so far, including the current one.
   */
  rounds: number;
  /**
   * Running step. Absent between steps.
   */
  step?: StepId | null;
  /**
   * Messages that the agents of the running step are writing, including those that wait for a retry.
   */
  running: RunningMessage[];
  /**
   * Number of messages of people and agents in the run, or in the round if the flow works in rounds. Messages that
   * called tools do not count.
   */
  messages: number;
  /**
   * Number of steps so far, in the run or in the round.
   */
  steps?: number;
  /**
   * Results of completed tasks, in the order in which the tasks were started. A run of the `structure` flow also has
   * those of the run before it, if that run had supervisors.
   */
  task_results?: TaskResult[];
  /**
   * Run whose results a run of the `structure` flow works on. Absent for other flows. Example: `r_12`.
   */
  results_of?: RunId | null;
  /**
   * Turns that called tools, with the calls.
   */
  tool_rounds?: ToolRound[];
  /**
   * Outputs of the current tasks that could not be read. The last one stays if the run fails because of it.
   */
  rejected_outputs?: RejectedOutput[];
  /**
   * Plan that the run follows. Absent if there is none.
   */
  plan?: Plan | null;
  /**
   * Last decision of an agent. Absent before the first.
   */
  decision?: PlannerDecision | null;
  /**
   * Last decision of each supervisor about its agents. Empty without supervisors.
   */
  delegations?: Delegation[];
  /**
   * Flow that a router chose. Absent without a router.
   */
  route?: string | null;
  /**
   * Structured result. Absent if there is none.
   */
  output?: {
    [k: string]: unknown;
  };
  /**
   * Controls that are not effective yet.
   */
  controls: Control[];
  /**
   * True if a participant paused the run.
   */
  paused: boolean;
  /**
   * Error that ended the run, or that will end it. Absent if there is none.
   */
  error?: AttemptError | null;
  /**
   * Time at which the run fails if it is not over. Absent without a limit.
   */
  deadline?: Timestamp | null;
  /**
   * Message with the result. Absent if there is none.
   */
  final_message?: MessageId | null;
}
/**
 * Data that a program sends with the message of a run.
 */
export interface MessageRequest {
  /**
   * Data for prompt templates, as `{context.KEY}`, at most 65536 bytes of JSON in at most 16 levels. Default: none.
   * Example: `{"region":"eu"}`.
   */
  context?: {
    [k: string]: unknown;
  };
  /**
   * JSON Schema (2020-12) that the structured output of the run must match, at most 65536 bytes of JSON in at most
   * 32 levels. Absent: the run has no such output.
   */
  output_schema?: {
    [k: string]: unknown;
  };
  /**
   * Maximum duration of the run in seconds, 1 to 86400; after that, the run fails with `run_timeout`. Time during
   * pauses and open gates counts. Absent: no limit.
   */
  timeout_seconds?: number | null;
}
/**
 * Part of a run that handles one request. The input of the run, feedback, or an approval starts a round.
 */
export interface Round {
  /**
   * Recipients of the round's message. Empty: the whole flow.
   */
  to: Target[];
  /**
   * True if people approved, so that the final output is due.
   */
  approved: boolean;
  /**
   * Message that the round works on. Absent if a vote without a comment started it.
   */
  input?: MessageId | null;
  /**
   * Agents whose turn in this round is over.
   */
  done_agents: AgentId[];
  /**
   * True if a participant interrupted the round, so that people are asked before it continues.
   */
  interrupted: boolean;
  /**
   * Message that came with the interrupt. It takes the place of the people's answer. Absent if there was none.
   */
  interrupt_message?: MessageId | null;
  /**
   * Last message that an agent completed in the round. Absent before the first.
   */
  last_message?: MessageId | null;
}
/**
 * A message that an agent is writing.
 */
export interface RunningMessage {
  message: MessageId;
  step: StepId;
  agent: AgentId;
  task?: Task;
  /**
   * Ordinal of the turn in its task, from 1. A turn that calls tools is followed by another one.
   */
  turn?: number;
  /**
   * Current attempt, from 1. Results of earlier attempts are discarded.
   */
  attempt: number;
  /**
   * Number of failed attempts.
   */
  failures: number;
  started_at: Timestamp;
  /**
   * Upper bound on the usage of the current attempt. Absent without a budget.
   */
  bound?: TurnBound | null;
  /**
   * Time of the next attempt. While it is set, nothing is running for the message.
   */
  retry_at?: Timestamp | null;
  /**
   * Reason why a quota of the server holds the next attempt. Absent if none does.
   */
  held?: string | null;
  /**
   * True if the attempt continues work after a restart.
   */
  recovered?: boolean;
}
/**
 * Upper bound on the usage of one attempt at a turn.
 */
export interface TurnBound {
  /**
   * Maximum number of tokens in the request and its response together.
   */
  tokens: number;
  /**
   * Maximum cost in millionths of the configured currency. Absent: the budget does not limit cost.
   */
  cost_micros?: number | null;
}
/**
 * Result of a task that completed or failed.
 */
export interface TaskResult {
  agent: AgentId;
  task?: Task;
  step: StepId;
  /**
   * Message that completed the task. Absent if the task was a call without a model.
   */
  message?: MessageId | null;
  /**
   * Call that completed the task. Absent if a message did.
   */
  call?: CallId | null;
  /**
   * True if the task ended because its agent called tools in every turn of the task.
   */
  out_of_turns?: boolean;
  /**
   * Text of the result, for flows that pass results on. Absent in other flows, and once no agent needs it any
   * longer.
   */
  text?: string | null;
  /**
   * Failure of the last attempt, if the flow continues without the task. Absent if the task succeeded.
   */
  failure?: TaskFailure | null;
}
/**
 * Failure of a task.
 */
export interface TaskFailure {
  /**
   * Explanation and remedy.
   */
  message: string;
  /**
   * True if the same request would fail again, so that the task is not retried.
   */
  permanent?: boolean;
}
/**
 * A turn that called tools, with its calls; or a single call that is an item of a plan.
 */
export interface ToolRound {
  /**
   * Message that contains the calls. Absent if the flow itself made the call.
   */
  message?: MessageId | null;
  agent: AgentId;
  task?: Task;
  step: StepId;
  /**
   * Ordinal of the turn in its task, from 1.
   */
  turn: number;
  /**
   * The calls, in the order in which the model made them.
   */
  calls: Call[];
  /**
   * Number of calls in the turn; `calls` grows to this length.
   */
  expected: number;
  /**
   * True if an agent has read the results, or if none will.
   */
  closed: boolean;
}
/**
 * A tool call.
 */
export interface Call {
  id: CallId;
  /**
   * Name of the tool. Example: `web_search`.
   */
  name: string;
  /**
   * Arguments as the model or an editor wrote them. Not necessarily valid JSON.
   */
  arguments: string;
  /**
   * Revision of the arguments, from 1. People can edit them before they allow the call (law 11).
   */
  rev: number;
  state: CallState;
  /**
   * True if the call can safely be repeated. Default false.
   */
  idempotent?: boolean;
  risk?: Risk;
  sources?: CallSources;
  /**
   * Kinds of source that its result represents for its readers. Empty: nothing in it comes from outside.
   */
  result_sources?: CallSourceKind[];
  /**
   * Standing permission that allowed it. Absent if no standing permission did.
   */
  standing?: PermissionId | null;
  /**
   * Number of attempts so far; 0 before it was sent.
   */
  attempt?: number;
  /**
   * Gate that asks about the call. Absent if there was none.
   */
  gate?: GateId | null;
  /**
   * Time at which it was last sent. Absent until then.
   */
  started_at?: Timestamp | null;
  /**
   * Time at which it completed or failed. Absent until then.
   */
  ended_at?: Timestamp | null;
  /**
   * Result for the agent to read. Absent until the call has a result, and again once the agent's task is done.
   */
  output?: string | null;
  /**
   * Reason why the call has no result. Absent if the call did not fail.
   */
  error?: AttemptError | null;
}
/**
 * Sources of a call.
 */
export interface CallSources {
  /**
   * Kinds of all sources.
   */
  kinds?: CallSourceKind[];
  /**
   * The newest sources, oldest first, at most 2 of each kind.
   */
  newest?: CallSource[];
  /**
   * True if there are older sources that are not listed.
   */
  more?: boolean;
}
/**
 * Something that an agent could have read before it proposed a call.
 */
export interface CallSource {
  kind: CallSourceKind;
  id: CallSourceId;
  /**
   * Id of the participant or agent whose text, file or call it is. Example: `Researcher`.
   */
  by: string;
  /**
   * True if a guest wrote or added it.
   */
  guest?: boolean;
}
/**
 * Error of an attempt, a call or a run, for people to read.
 */
export interface AttemptError {
  /**
   * Machine-readable code. Examples: `model_rate_limited`, `model_stream_cut`.
   */
  code: string;
  /**
   * Explanation and remedy. Contains no secrets and no response bodies of providers.
   */
  message: string;
}
/**
 * Model output that does not have the required structure.
 */
export interface RejectedOutput {
  agent: AgentId;
  task?: Task;
  message: MessageId;
  /**
   * Error in the output, for its author.
   */
  reason: string;
  /**
   * Violations of the caller's schema, at most 20. Empty for other structures.
   */
  violations?: SchemaViolation[];
}
/**
 * Violation of a schema by a value.
 */
export interface SchemaViolation {
  /**
   * JSON Pointer to the wrong part of the value; empty for the whole value. Example: `/issues/0/severity`.
   */
  pointer: string;
  /**
   * The same place as a path. Example: `$.issues[0].severity`.
   */
  path: string;
  /**
   * Explanation for people and models. Example: `'urgent' is not one of 'critical', 'high', 'medium', 'low'`.
   */
  message: string;
}
/**
 * Plan of a run.
 */
export interface Plan {
  /**
   * Revision, from 1. A confirmation names it.
   */
  rev?: number;
  /**
   * Title of the plan. Can be empty.
   */
  title?: string;
  /**
   * Items in order, numbered from 1. At most 100.
   */
  items: PlanItem[];
  /**
   * Duration that the author estimates, as free text. Can be empty. Example: `2 hours`.
   */
  estimated_time?: string;
  /**
   * Risks that the author sees. Can be empty.
   */
  risks?: string[];
  /**
   * Actions of the items that people removed from the plan, at most 100. Agents read them, so that they do not
   * propose the same actions again. Absent if there are none.
   */
  removed?: string[];
  /**
   * True if people confirmed the plan.
   */
  approved?: boolean;
  /**
   * True if people want another plan.
   */
  rejected?: boolean;
  /**
   * True if the author says that the remaining items are not needed.
   */
  finished?: boolean;
  /**
   * True if a model's output could not be read, so that the server made a fallback plan.
   */
  fallback?: boolean;
}
/**
 * An item of a plan.
 */
export interface PlanItem {
  /**
   * Agent that executes the item. Absent if the flow decides.
   */
  agent?: AgentId | null;
  /**
   * Task of the item. Parts separated by `<sep>` can be executed in parallel.
   */
  action: string;
  /**
   * Reason for the item. Can be empty.
   */
  reason?: string;
  /**
   * Tool that executes the item without a model; `user_input` asks people. Absent if an agent executes the item.
   */
  tool?: string | null;
  /**
   * Arguments for the tool. Absent without a tool.
   */
  arguments?: {
    [k: string]: unknown;
  };
  state?: PlanItemState;
  /**
   * Note about the last change of state. Can be empty.
   */
  note?: string;
  /**
   * Number of times that the item was started.
   */
  tries?: number;
}
/**
 * Decision of an agent, with its reason.
 */
export interface PlannerDecision {
  action: PlannerAction;
  /**
   * The agent's evaluation of the last result. Can be empty.
   */
  analysis?: string;
  /**
   * Reason for the decision. Can be empty.
   */
  reason?: string;
  /**
   * Agent that executes the next item. Absent if the plan or the flow decides.
   */
  agent?: AgentId | null;
  /**
   * Instruction for that agent. Can be empty.
   */
  instruction?: string;
  /**
   * Items that are added to the plan. Can be empty.
   */
  items?: PlanItem[];
  /**
   * Agents that get the task, for the `delegate` action. Can be empty.
   */
  agents?: AgentId[];
  /**
   * Flow that was chosen, for the `route` action. Example: `react`.
   */
  flow?: string | null;
  /**
   * True if the agent's output could not be read, so that the fallback was used.
   */
  fallback?: boolean;
}
/**
 * Decision of a supervisor about its agents.
 */
export interface Delegation {
  by: AgentId;
  decision: PlannerDecision;
  /**
   * Number of tasks of the supervisor's agents that had ended by then. The decision is open until another of their
   * tasks ends.
   */
  ended?: number;
}
/**
 * A control of the run that was requested and is not effective yet.
 */
export interface Control {
  /**
   * Seq of the `control.requested` event.
   */
  id: number;
  verb: ControlVerb;
  /**
   * Reason that the participant gave. Absent if they gave none.
   */
  reason?: string | null;
  /**
   * Message that came with an interrupt. Absent if there was none.
   */
  message?: MessageId | null;
  /**
   * True if the orchestrator has started executing it.
   */
  acknowledged: boolean;
}
/**
 * A question for people to decide or answer. Usually a run or a call waits for the outcome.
 */
export interface Gate {
  id: GateId;
  /**
   * Run that waits. For a proposed rule or a command: the newest run when it was proposed. Absent before the first
   * run.
   */
  run?: RunId | null;
  kind: GateKind;
  /**
   * Subject of the decision. Absent if nothing has been written yet.
   */
  subject?: Subject | null;
  /**
   * Current revision of the subject, from 1. A vote must name it.
   */
  rev: number;
  /**
   * The question, in the language of the session.
   */
  prompt: string;
  /**
   * Information that helps to answer. Absent if there is none.
   */
  context?: string | null;
  /**
   * Call that waits for the gate. Absent if the whole run waits, or if nothing does.
   */
  call?: CallId | null;
  /**
   * JSON Schema of an answer, or of the arguments that can be edited. Absent if there is none.
   */
  schema?: {
    [k: string]: unknown;
  };
  /**
   * Tool server that asks the question. Absent if no tool server asks.
   */
  origin?: QuestionOrigin | null;
  /**
   * Agent whose work led to the gate. Absent if there is none.
   */
  agent?: AgentId | null;
  /**
   * Possible responses. Example: `["approve","reject","respond"]`.
   */
  allow: GateAction[];
  /**
   * Agents that feedback can be addressed to.
   */
  agents: AgentId[];
  quorum: Quorum;
  /**
   * Quorums that replace `quorum` if nobody decides by their times, the next one first.
   */
  escalations?: Escalation[];
  /**
   * Roles that can respond.
   */
  eligible: Role[];
  /**
   * True if participants who started or steered the run (`directed_by` of the run) or edited the subject
   * (`edited_by`) cannot approve it. Guests cannot approve it either. Votes against it by all these participants
   * count. A participant who asked for a command can never approve it, even if this is false.
   */
  separate_duties?: boolean;
  /**
   * Participants who edited the subject, or proposed a standing permission.
   */
  edited_by?: ParticipantId[];
  /**
   * True if votes cannot approve the gate while a thread of comments is open. Fixed when the gate opened.
   */
  comments_hold?: boolean;
  /**
   * Threads of comments at the gate, oldest first. At most 50 comments in total.
   */
  threads?: CommentThread[];
  /**
   * Time at which the gate expires. Absent if it stays open until it is decided.
   */
  deadline?: Timestamp | null;
  /**
   * Outcome of the gate at the deadline. Absent without a deadline.
   */
  at_deadline?: DeadlineOutcome | null;
  /**
   * Risk of the call that the gate is about. Absent if the gate is not about a call that waits to be made.
   */
  risk?: Risk | null;
  /**
   * Kinds of the call's sources that the gate's rule asks about. Fixed when the gate opened.
   */
  caused_by?: CallSourceKind[];
  /**
   * Standing permission that is decided on together with the call. Absent if no voter proposed one.
   */
  standing?: StandingTerms | null;
  /**
   * Budget of the session after an approval. An edit names its new `max_tokens` or `max_cost_micros`, or a `model`.
   * Absent at gates of other kinds.
   */
  budget?: Budget | null;
  /**
   * Model that all agents use after an approval, as `provider/model`. Absent unless somebody proposed one at a gate
   * about the budget.
   */
  model?: string | null;
  /**
   * Rule that is proposed, with its evidence and its forecast. Absent at gates of other kinds.
   */
  rule?: RuleSuggestion | null;
  /**
   * Command that is carried out after an approval. Absent at gates of other kinds.
   */
  command?: AskedCommand | null;
  /**
   * Votes so far, the latest one of each participant.
   */
  votes?: Vote[];
  /**
   * True if the gate ended at its deadline without a decision.
   */
  expired?: boolean;
  /**
   * Decision of the gate. Absent while it is open, and if it ended without one.
   */
  decision?: Decision | null;
  opened_at: Timestamp;
  /**
   * Time of the newest edit, from which the deadline and the escalation count. Absent if there was none.
   */
  revised_at?: Timestamp | null;
  /**
   * Seq of the event that ended the gate, decided or not. Absent while it is open. Timelines show the end at this
   * position.
   */
  ended?: number | null;
}
/**
 * Subject of a gate. A decision is valid for exactly this revision and text (law 11).
 */
export interface Subject {
  id: SubjectId;
  /**
   * Revision, from 1.
   */
  rev: number;
  /**
   * BLAKE3 hash of the text or the arguments, in hexadecimal.
   */
  digest: string;
}
/**
 * A tool server that asks people a question during a call. Their answer is sent to the server, is visible in the
 * session, and is read by the agents' models. Clients display these facts next to the form.
 */
export interface QuestionOrigin {
  /**
   * Name of the server in the configuration. Example: `github`.
   */
  server: string;
  /**
   * URL of a page of the server that people are asked to open. What they enter there reaches neither the session nor
   * a model. Clients display the whole URL with its host, and open it only when a person requests it. The answer
   * `{}` means that the person agreed. Absent if the gate has a form.
   */
  link?: string | null;
}
/**
 * Step of an escalation that an open gate is waiting for.
 */
export interface Escalation {
  at: Timestamp;
  quorum: Quorum;
}
/**
 * Comments on one place, oldest first.
 */
export interface CommentThread {
  place: CommentPlace;
  /**
   * Messages with the comments, oldest first.
   */
  comments: Message[];
  /**
   * Resolution of the thread. Absent while it is open.
   */
  resolved?: ThreadResolution | null;
}
/**
 * Place that a comment is about: in what the gate shows, or in a file.
 */
export interface CommentPlace {
  gate: GateId;
  thread: MessageId;
  /**
   * Revision of the gate's subject at the time of the first comment, from 1.
   */
  rev: number;
  /**
   * File that the thread is about. Absent: the thread is about what the gate shows.
   */
  file?: CommentFile | null;
  /**
   * JSON Pointer into the plan or the arguments. Empty if the comment is about the whole content, or if the content
   * is plain text. Example: `/items/0/action`.
   */
  path?: string;
  /**
   * Line of the text at `path` or of the file, from 1. Absent: no specific line.
   */
  line?: number | null;
  /**
   * Beginning of the content at this place, at most 200 characters. Empty if the comment is about the whole content
   * or the whole file.
   */
  quote?: string;
}
/**
 * Version of a session file that a comment is about.
 */
export interface CommentFile {
  id: FileId;
  /**
   * Name of the file. Example: `report.md`.
   */
  name: string;
  /**
   * Number of the version, from 1.
   */
  version: number;
}
/**
 * A message that is complete or was aborted.
 */
export interface Message {
  id: MessageId;
  at: Timestamp;
  by: Actor;
  /**
   * Text of the message. Empty if it was erased.
   */
  text: string;
  /**
   * Ids of the files that belong to the message.
   */
  files?: FileId[];
  /**
   * Role of the author in the original conversation, if the sender relays the text. Absent for the sender's own
   * text.
   */
  relays?: RelayRole | null;
  /**
   * Data that a program sent with the message. Absent if there is none or it was erased.
   */
  request?: MessageRequest | null;
  /**
   * Recipients. Empty: the flow decides.
   */
  to?: Target[];
  /**
   * Mentions in the text that match no name, or several.
   */
  unresolved?: UnresolvedMention[];
  /**
   * Run that the message belongs to. Absent for conversation outside runs.
   */
  run?: RunId | null;
  /**
   * Step in which an agent wrote it. Absent for messages of participants.
   */
  step?: StepId | null;
  task?: Task;
  /**
   * Place at a gate that the message is a comment on. Absent for all other messages.
   */
  comment_on?: CommentPlace | null;
  /**
   * Number of tool calls in the message. Default 0.
   */
  calls?: number;
  /**
   * Reason why the agent did not complete the message. Absent if the message is complete.
   */
  aborted?: AbortReason | null;
  /**
   * True if the model stopped at its token limit, so the text is incomplete.
   */
  truncated?: boolean;
  /**
   * Mark of the redaction that erased the text. Absent if there was none.
   */
  redacted?: Redaction | null;
}
/**
 * A mention that matches no name, or several. The server never guesses.
 */
export interface UnresolvedMention {
  /**
   * Text after the `@`. Example: `TestCase_Generater`.
   */
  text: string;
  /**
   * Most similar names, best first. At most 3.
   */
  nearest: string[];
}
/**
 * Resolution of a thread.
 */
export interface ThreadResolution {
  by: Actor;
  at: Timestamp;
}
/**
 * A rule that the votes so far suggest, with its forecast: what it would have done to the past calls of the session
 * that people were asked about, at most the newest 256.
 */
export interface RuleSuggestion {
  /**
   * Id of the suggestion: the BLAKE3 hash of its pattern, in hexadecimal.
   */
  id: string;
  pattern: RulePattern;
  /**
   * Number of calls in `calls` that people allowed as they were proposed.
   */
  allowed: number;
  /**
   * Number of calls in `calls` that people edited.
   */
  changed: number;
  /**
   * Number of calls in `calls` that people rejected or answered themselves.
   */
  refused: number;
  /**
   * Number of calls in `calls` that nobody decided about.
   */
  undecided: number;
  /**
   * People who allowed calls in `calls`.
   */
  allowed_by: ParticipantId[];
  /**
   * All past calls that the rule would have allowed, oldest first.
   */
  calls: PastCall[];
  /**
   * True if people declined or revoked the rule before, and the evidence has not doubled since. The server then does
   * not propose it, but people can.
   */
  declined?: boolean;
  /**
   * Participant who proposed the rule. Absent if the server proposed it, and before it is proposed.
   */
  proposed_by?: ParticipantId | null;
}
/**
 * Calls that a rule learned from votes allows.
 */
export interface RulePattern {
  agent: AgentId;
  /**
   * Tool whose calls it allows. Example: `web_search`.
   */
  tool: string;
  /**
   * BLAKE3 hash of the arguments as compact JSON with sorted fields, in hexadecimal. Absent: any arguments.
   */
  arguments_digest?: string | null;
  risk: Risk;
  /**
   * Kinds of source that the calls can have. Lists only kinds that a rule must name: `guest`, `web`, and the kinds
   * that approval rules ask about.
   */
  sources?: CallSourceKind[];
  /**
   * BLAKE3 hash of the approval rule that the calls need. Calls that need another rule are not covered.
   */
  rule: string;
}
/**
 * A past call that a proposed rule would have allowed.
 */
export interface PastCall {
  call: CallId;
  /**
   * Gate at which people were asked about it.
   */
  gate?: GateId | null;
  outcome: PastOutcome;
}
/**
 * A command that is carried out exactly as it is if the owners approve it.
 */
export interface AskedCommand {
  by: Actor;
  /**
   * Role that the server gave the participant when they asked. Absent if it gave none.
   */
  granted_role?: Role | null;
  /**
   * Rights that the participant asks for. Example: `["steer"]`.
   */
  rights: Right[];
  command: AskedCommandData;
}
/**
 * A vote.
 */
export interface Vote {
  by: Actor;
  role: Role;
  choice: Choice;
  /**
   * Comment of the voter. Absent if there is none.
   */
  comment?: string | null;
  /**
   * Message that contains the comment, for agents to read. Absent without a comment.
   */
  message?: MessageId | null;
  /**
   * Participants on whose behalf the voter votes. Present only in the votes of a decision.
   */
  on_behalf_of?: ParticipantId[];
  at: Timestamp;
}
/**
 * Decision of a gate.
 */
export interface Decision {
  outcome: Outcome;
  by: Actor;
  at: Timestamp;
  /**
   * Message that decided it. Absent if votes without comments did.
   */
  message?: MessageId | null;
  /**
   * Reason why an approved command was not carried out. Absent if it was, and at gates of other kinds.
   */
  failure?: CommandFailure | null;
}
/**
 * A standing permission: matching calls are made without asking people.
 */
export interface StandingPermission {
  id: PermissionId;
  gate: GateId;
  agent: AgentId;
  /**
   * Tool whose calls it allows. Example: `web_search`.
   */
  tool: string;
  /**
   * BLAKE3 hash of the arguments as compact JSON with sorted fields, in hexadecimal. Absent: any arguments.
   */
  arguments_digest?: string | null;
  risk: Risk;
  /**
   * Kinds of source of the approved call that approval rules asked about. A call with another such kind needs
   * approval.
   */
  caused_by?: CallSourceKind[];
  /**
   * Run that it ends with. Absent: it outlives the run.
   */
  run?: RunId | null;
  /**
   * Time at which it ends. Absent: no time limit.
   */
  until?: Timestamp | null;
  /**
   * Number of calls that it allows. Absent: any number.
   */
  max_uses?: number | null;
  /**
   * Number of calls that it has allowed so far.
   */
  uses?: number;
  /**
   * BLAKE3 hash of the approval rule that it was learned under: it covers only calls that need this rule. Absent if
   * a voter proposed the permission.
   */
  rule?: string | null;
  /**
   * Participants who voted for it.
   */
  granted_by: ParticipantId[];
  /**
   * True if a guest is among them.
   */
  granted_by_guest?: boolean;
  granted_at: Timestamp;
}
/**
 * Entry of the queue of waiting messages. The message itself is in `messages`.
 */
export interface QueuedMessage {
  message: MessageId;
  mode: Mode;
  /**
   * Recipients. Empty: the flow decides.
   */
  to: Target[];
}
/**
 * One version of a file.
 */
export interface File {
  id: FileId;
  /**
   * Name of the file, the same for all of its versions. Example: `report.md`.
   */
  name: string;
  /**
   * Version number, from 1.
   */
  version: number;
  /**
   * Media type that the server detected from name and content. Example: `text/markdown`.
   */
  media_type: string;
  /**
   * Size of the content in bytes.
   */
  bytes: number;
  /**
   * BLAKE3 hash of the content, in hexadecimal. Empty if the content was erased.
   */
  digest: string;
  at: Timestamp;
  by: Actor;
  /**
   * Tool call that made the version. Absent if a participant added it.
   */
  call?: CallId | null;
  /**
   * True if a participant has since removed the file from the list.
   */
  removed?: boolean;
  /**
   * Mark of the redaction that erased the content. Absent if there was none.
   */
  redacted?: Redaction | null;
}
/**
 * A participant who is waiting to be admitted.
 */
export interface Knock {
  participant: ParticipantId;
  kind: ActorKind;
  /**
   * Display name.
   */
  name: string;
  role: Role;
  /**
   * True for a guest, such as a person who used a link and chose their own name.
   */
  guest?: boolean;
  at: Timestamp;
}
/**
 * A request for a title that is in progress.
 */
export interface TitleRequest {
  run: RunId;
  message: MessageId;
}
/**
 * Total of tokens and cost.
 */
export interface UsageTotals {
  /**
   * Id of the agent, participant or run that the total is for.
   */
  of: string;
  /**
   * Number of attempts at turns.
   */
  turns: number;
  /**
   * Tokens in requests to models.
   */
  input_tokens: number;
  /**
   * Tokens in responses from models.
   */
  output_tokens: number;
  /**
   * Cost in millionths of the configured currency. Example: 1500.
   */
  cost_micros: number;
  /**
   * True if some of the numbers are estimates.
   */
  estimated: boolean;
}
/**
 * Error as clients receive it, over the socket and over HTTP.
 */
export interface ErrorBody {
  code: Code;
  /**
   * Explanation for people: what happened, then what to do.
   */
  message: string;
  /**
   * True if the same request can succeed later. Example: true for `rate_limited`.
   */
  retryable: boolean;
  /**
   * Milliseconds to wait before a retry. Absent if a retry does not help or can be immediate. With `quota_exceeded`,
   * the time until the month ends, which only a person can wait for. Example: 1200.
   */
  retry_after_ms?: number | null;
  /**
   * Additional data, depending on the code: the decision, the current revision, the accepted number of bytes, or the
   * incident id, for example `{"max_bytes":65536}`.
   */
  details?: {
    [k: string]: unknown;
  };
}
/**
 * Data of a `presence` signal: everyone who is watching now.
 */
export interface Presence {
  /**
   * Participants who are watching, each listed once, even with several tabs open.
   */
  here: Actor[];
  /**
   * Number of further connections for which the list has no room.
   */
  more: number;
}
/**
 * Data of a `liveness` signal: whether frames arrive live. The server sends the first signal when they no longer do.
 */
export interface Liveness {
  /**
   * True if events and deltas arrive immediately.
   */
  live: boolean;
  /**
   * Upper bound on the delay of events, in milliseconds, while `live` is false. The connection between the server's
   * nodes is interrupted then, and deltas do not arrive. No event is lost.
   */
  delay_ms: number;
}
/**
 * Data of a `progress` signal: progress of a running tool call, as the tool reports it. At most two per second for
 * each call; the last one before the end of the call can be missing.
 */
export interface CallProgress {
  call: CallId;
  /**
   * Work done so far, in a unit that the tool chooses.
   */
  done: number;
  /**
   * Total work, in the same unit. Absent if the tool does not know it.
   */
  total?: number | null;
  /**
   * Text from the tool about its work, at most 256 bytes. It is untrusted.
   */
  message?: string | null;
  /**
   * End of a program's output so far, at most 4 KiB. It replaces the previous `output`.
   */
  output?: string | null;
}
