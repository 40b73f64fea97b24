// Made from docs/openapi.json by `npm run types`. Change the Rust types of the handlers instead.
import type {
  Actor,
  ActorKind,
  AgentId,
  AgentRole,
  Choice,
  CommandId,
  Expectation,
  File,
  FileId,
  GateId,
  Language,
  Limits,
  Message,
  MessageId,
  Mode,
  ParticipantId,
  Phase,
  PriorMessage,
  Quorum,
  Recipient,
  Right,
  Role,
  RunId,
  ServerFrame,
  SessionId,
  StepId,
  Timestamp,
  View,
} from "./protocol";

/**
 * Origin of the default model.
 */
export type SourceKind = "configured" | "openai" | "anthropic" | "ollama" | "demo";
/**
 * Currency code of ISO 4217, such as `EUR`. Default `USD`, the currency of most providers.
 */
export type Currency = string;
/**
 * Action that an entry records. New ones can be added; a name never changes its meaning.
 */
export type AuditAction =
  | "sign_in"
  | "sign_in_link_created"
  | "sign_out"
  | "refusal"
  | "token_created"
  | "token_revoked"
  | "device_revoked"
  | "link_created"
  | "link_used"
  | "link_removed"
  | "knock_answered"
  | "participant_invited"
  | "role_changed"
  | "participant_removed"
  | "participant_disabled"
  | "participant_enabled"
  | "session_read"
  | "session_exported"
  | "backup_created"
  | "settings_changed"
  | "guest_door"
  | "mcp_authorization"
  | "redaction"
  | "team_created"
  | "team_replaced"
  | "team_deleted"
  | "team_shared";
/**
 * Kind of an actor.
 */
export type AuditActorKind = "user" | "bot" | "guest" | "terminal";
/**
 * Outcome of an action.
 */
export type AuditOutcome = "ok" | "refused";
/**
 * Id of a knowledge base: a number, starting at 1, that is never reused.
 */
export type BaseId = number;
/**
 * Body of a request that sends a command: a [`CommandFrame`], which is parsed in two steps so that an error names the
 * wrong part.
 */
export type CommandBody = {
  id: CommandId;
  /**
   * The session of the path. Can be absent.
   */
  session?: SessionId | null;
  /**
   * Assumption of the sender. If it no longer holds, the command is rejected.
   */
  expect?: Expectation | null;
} & CommandBody1;
export type CommandBody1 =
  | {
      do: "say";
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
      data: {
        message: MessageId;
      };
    }
  | {
      do: "start";
      data: {
        /**
         * Name of the flow: that of the team, for example `review`, or `structure`, which writes `output_schema` from
         * the results of earlier runs. If absent, the flow of the team.
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
         * Messages of a conversation from elsewhere, oldest first, at most 50. Agents read them as text that the
         * sender relays.
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
         * Maximum duration of the run in seconds, 1 to 86400; it then fails with `run_timeout`. If absent, no limit.
         */
        timeout_seconds?: number | null;
      };
    }
  | {
      do: "vote";
      data: {
        gate: GateId;
        choice: Choice;
        /**
         * Changed subject of the gate: the arguments of a call, or a plan. Only with `approve`.
         */
        edit?: {
          [k: string]: unknown;
        };
        /**
         * Comment for the agents. Required for `reject`, except at a gate about a call.
         */
        comment?: string | null;
      };
    }
  | {
      do: "answer";
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
         * Step to stop. The command is rejected if this step has ended.
         */
        step?: StepId | null;
        /**
         * Message to stop. The command is rejected if this message is complete.
         */
        item?: MessageId | null;
        /**
         * Text that the stopped agents continue with. If absent, people are asked.
         */
        text?: string | null;
      };
    }
  | {
      do: "cancel";
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
        /**
         * New title.
         */
        title?: string | null;
        /**
         * Settings to change, for example `{"max_parallel": 8}`. The others stay as they are.
         */
        settings?: SettingsInput | null;
      };
    }
  | {
      do: "remove_file";
      data: {
        /**
         * Name of the file, for example `report.md`.
         */
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
      data: {
        /**
         * Reason for the log.
         */
        reason?: string | null;
      };
    };
/**
 * Kind of a credential.
 */
export type CredentialKind = "token" | "cookie" | "sign_in";
/**
 * Rights of a participant on the server as a whole.
 */
export type ServerRole = "admin" | "member" | "guest";
/**
 * State of a participant's request to join.
 */
export type KnockResponse =
  | {
      state: "waiting";
    }
  | {
      state: "admitted";
      role: Role;
    }
  | {
      state: "refused";
    };

export interface Api {
  AboutResponse?: AboutResponse;
  Ack?: Ack;
  AgentSummary?: AgentSummary;
  AuditAction?: AuditAction;
  AuditActor?: AuditActor;
  AuditActorKind?: AuditActorKind;
  AuditEntry?: AuditEntry;
  AuditOutcome?: AuditOutcome;
  AuditPage?: AuditPage;
  BaseChange?: BaseChange;
  BaseId?: BaseId;
  BaseReaders?: BaseReaders;
  BaseReadersResponse?: BaseReadersResponse;
  BaseRequest?: BaseRequest;
  BaseResponse?: BaseResponse;
  BasesResponse?: BasesResponse;
  BusReadiness?: BusReadiness;
  CommandBody?: CommandBody;
  ComponentReadiness?: ComponentReadiness;
  CredentialKind?: CredentialKind;
  CredentialResponse?: CredentialResponse;
  CredentialsResponse?: CredentialsResponse;
  Currency?: Currency;
  Document?: Document;
  DocumentsResponse?: DocumentsResponse;
  FilePutResponse?: FilePutResponse;
  FilesResponse?: FilesResponse;
  GateSummary?: GateSummary;
  GuestsResponse?: GuestsResponse;
  InviteAcceptRequest?: InviteAcceptRequest;
  InviteAcceptResponse?: InviteAcceptResponse;
  InviteLinkResponse?: InviteLinkResponse;
  InvitePreviewRequest?: InvitePreviewRequest;
  InvitePreviewResponse?: InvitePreviewResponse;
  InviteRequest?: InviteRequest;
  InviteResponse?: InviteResponse;
  InvitesResponse?: InvitesResponse;
  KnockResponse?: KnockResponse;
  LogResponse?: LogResponse;
  MeResponse?: MeResponse;
  MessagesResponse?: MessagesResponse;
  ModelSource?: ModelSource;
  NamedParticipant?: NamedParticipant;
  NewSession?: NewSession;
  ParticipantChangeRequest?: ParticipantChangeRequest;
  ParticipantChangeResponse?: ParticipantChangeResponse;
  ParticipantPage?: ParticipantPage;
  ParticipantRedactionRequest?: ParticipantRedactionRequest;
  ParticipantRedactionResponse?: ParticipantRedactionResponse;
  ParticipantResponse?: ParticipantResponse;
  PassageResponse?: PassageResponse;
  PassageSearchResponse?: PassageSearchResponse;
  Readiness?: Readiness;
  RenameRequest?: RenameRequest;
  ServerRole?: ServerRole;
  SessionCreatedResponse?: SessionCreatedResponse;
  SessionRedactionRequest?: SessionRedactionRequest;
  SessionResponse?: SessionResponse;
  SessionRow?: SessionRow;
  SessionSummary?: SessionSummary;
  SessionsResponse?: SessionsResponse;
  SettingsInput?: SettingsInput;
  SignInRequest?: SignInRequest;
  SourceKind?: SourceKind;
  TeamSummary?: TeamSummary;
}
/**
 * Description of this server.
 */
export interface AboutResponse {
  /**
   * Name of the program, always `roundtable`.
   */
  name: string;
  /**
   * Version of the program, for example `0.1.0`.
   */
  version: string;
  /**
   * Version of the wire protocol, for example 1.
   */
  protocol: number;
  /**
   * URL under which people reach the server, without a slash at the end.
   */
  public_url: string;
  model: ModelSource;
  currency: Currency;
  /**
   * Teams that a new session can use.
   */
  teams: TeamSummary[];
  /**
   * Names of the code bases that the caller can add to sessions.
   */
  code: string[];
  limits: Limits;
}
/**
 * Source of the models, for display in clients.
 */
export interface ModelSource {
  kind: SourceKind;
  /**
   * Default model as `provider/model`, such as `openai/gpt-4o-mini`.
   */
  name: string;
  /**
   * True if responses are scripted, as those of the demo model are.
   */
  scripted: boolean;
}
/**
 * Team that a new session can use, without its prompts.
 */
export interface TeamSummary {
  /**
   * Name of the team, for example `testcase-en`.
   */
  name: string;
  /**
   * Title for people.
   */
  title: string;
  /**
   * Name of its flow, for example `review`.
   */
  flow: string;
  language: Language;
  /**
   * Example messages with which people can start.
   */
  starters: string[];
  /**
   * Agents of the team.
   */
  agents: AgentSummary[];
}
/**
 * Agent of a team.
 */
export interface AgentSummary {
  id: AgentId;
  /**
   * Name of the agent, for mentions.
   */
  name: string;
  role: AgentRole;
  /**
   * Title for people.
   */
  title: string;
}
/**
 * Acknowledgement of a command, like the frame `ack` of the socket.
 */
export interface Ack {
  id: CommandId;
  /**
   * Seq of the command's last event, for example 1043.
   */
  seq: number;
}
/**
 * Snapshot of an actor at the moment of the entry: names change, entries do not.
 */
export interface AuditActor {
  id?: ParticipantId;
  kind: AuditActorKind;
  /**
   * Name of the actor at that moment.
   */
  name: string;
}
/**
 * Entry in the store.
 */
export interface AuditEntry {
  /**
   * Id of the entry. Later entries have higher ids.
   */
  id: number;
  at: Timestamp;
  action: AuditAction;
  outcome: AuditOutcome;
  actor?: AuditActor;
  /**
   * Address of the client, for example `192.0.2.7`. Absent for actions at the server's terminal.
   */
  address?: string;
  session?: SessionId;
  /**
   * Thing or person that the action concerns; see [`AuditAction`].
   */
  subject?: string;
  /**
   * Id of the request, as in its response header `x-request-id` and in the server's log.
   */
  request?: string;
  /**
   * Further details, for example `{"role":"reviewer"}`.
   */
  detail?: {
    [k: string]: unknown;
  };
}
/**
 * Page of the audit log.
 */
export interface AuditPage {
  /**
   * Entries, newest first.
   */
  entries: AuditEntry[];
  /**
   * Value of `before` for the next page. Absent on the last page.
   */
  next: number | null;
}
/**
 * Changes of a knowledge base. Absent fields stay as they are.
 */
export interface BaseChange {
  /**
   * New name.
   */
  name?: string | null;
  /**
   * New description of its content.
   */
  about?: string | null;
  /**
   * New readers, which replace the current ones.
   */
  readers?: BaseReaders | null;
}
/**
 * Participants who can read a base, in addition to its owner and administrators. Guests never can: they see its
 * content only through agents of a session that uses the base.
 */
export interface BaseReaders {
  /**
   * True if every member of the server can read it. Default false.
   */
  members?: boolean;
  /**
   * Ids of members who can read it, at most [`BaseReaders::MAX_PARTICIPANTS`].
   */
  participants?: ParticipantId[];
  /**
   * Names of the teams whose sessions can use it, at most [`BaseReaders::MAX_TEAMS`], for example `["testcase-en"]`.
   * If empty, every team.
   */
  teams?: string[];
}
/**
 * Readers of a base.
 */
export interface BaseReadersResponse {
  /**
   * True if every member of the server can read the base.
   */
  members: boolean;
  /**
   * Members who can read the base. Absent if the caller cannot change the base.
   */
  participants?: NamedParticipant[];
  /**
   * Names of the teams whose sessions can use the base. Absent if every team can.
   */
  teams?: string[];
}
/**
 * Participant with their name.
 */
export interface NamedParticipant {
  id: ParticipantId;
  /**
   * Name of the participant.
   */
  name: string;
}
/**
 * Body of a request to create a knowledge base.
 */
export interface BaseRequest {
  /**
   * Name of the base, 1 to 100 characters in one line.
   */
  name: string;
  /**
   * Short description of its content, at most 2000 characters. Default empty.
   */
  about?: string;
  readers?: BaseReaders;
}
/**
 * Knowledge base, as the caller sees it.
 */
export interface BaseResponse {
  id: BaseId;
  /**
   * Name of the base.
   */
  name: string;
  /**
   * Short description of its content.
   */
  about: string;
  readers: BaseReadersResponse;
  owner: NamedParticipant;
  /**
   * True if the caller is the owner.
   */
  mine: boolean;
  /**
   * Number of its documents.
   */
  documents: number;
  /**
   * Total size of its documents, in bytes.
   */
  bytes: number;
  created_at: Timestamp;
}
/**
 * Page of a list of knowledge bases.
 */
export interface BasesResponse {
  /**
   * Knowledge bases, oldest first.
   */
  bases: BaseResponse[];
  /**
   * Value of `after` for the next page. Absent on the last page.
   */
  next?: string;
}
/**
 * State of the bus to other nodes.
 */
export interface BusReadiness {
  /**
   * True if the bus works.
   */
  ok: boolean;
  since?: Timestamp;
  /**
   * Consequence of the failure, for operators.
   */
  reason?: string;
  /**
   * Delay with which viewers see events of other nodes' sessions during the failure, in milliseconds, for example
   * 300.
   */
  delay_ms?: number;
}
/**
 * Settings of a session.
 */
export interface SettingsInput {
  approval?: Quorum;
  /**
   * Messages of people and agents in one run, 2 to 10000; the run then ends with `message_limit`. Turns that call
   * tools do not count. In a team that works in rounds, such as `review`, the limit is for one round, after which
   * people are asked. Default 20 in the flow `review`, 10000 in `topology`, 200 in others.
   */
  max_messages_per_run?: number;
  /**
   * Steps of one run, 1 to 10000; the run then ends with `step_limit`. In a team that works in rounds, the limit is
   * for one round, after which people are asked. Default 40, in the flow `topology` 10000.
   */
  max_steps_per_run?: number;
  /**
   * Turns of one agent for one task, 1 to 200. The calls of the last turn fail with `too_many_turns`. Default 20.
   */
  max_turns_per_task?: number;
  /**
   * Agents that work in parallel, 1 to 4096. Others wait. Default 64, in the flow `topology` 4096.
   */
  max_parallel?: number;
  /**
   * Tool calls of one turn, 1 to 64. Further ones fail with `too_many_calls`. Default 16.
   */
  max_calls_per_turn?: number;
  /**
   * Retries of a plan item before it counts as blocked, 0 to 20. Default 2.
   */
  max_retries?: number;
  /**
   * Repeated requests to an agent whose output could not be read, 0 to 20. Default 2.
   */
  max_repairs?: number;
  /**
   * Code bases that agents may read, by their names in the server's configuration, at most 32. A new session that
   * names none gets all of them; `[]` gives it none.
   */
  code?: string[];
  /**
   * Knowledge bases that agents may search, by their ids, at most 32. Example: `["1", "7"]`.
   */
  knowledge?: string[];
  /**
   * Attempts of one turn before the run fails, 1 to 20. Default 4.
   */
  max_attempts?: number;
  /**
   * Messages that can wait for a busy run, 1 to 1000. Default 50.
   */
  max_waiting_messages?: number;
  /**
   * Seconds until an open gate expires, 1 to 31536000. An edit restarts them. Absent: gates do not expire.
   */
  gate_seconds?: number | null;
  /**
   * Days after the last event until all content of the session is erased, 1 to 36500. Never during a run. Absent:
   * content is kept.
   */
  retention_days?: number | null;
}
/**
 * State of one part of a node.
 */
export interface ComponentReadiness {
  /**
   * True if the part responds. For the database, also if it accepts writes.
   */
  ok: boolean;
  since?: Timestamp;
  /**
   * Consequence of the failure, for operators. The error itself is only in the log, because it can name hosts and
   * users.
   */
  reason?: string;
}
/**
 * Credential without its secret.
 */
export interface CredentialResponse {
  /**
   * Id of the credential, 12 hexadecimal digits.
   */
  id: string;
  kind: CredentialKind;
  /**
   * True if this request was sent with the credential.
   */
  current: boolean;
  /**
   * Name of the browser, as the browser reports it.
   */
  label?: string;
  /**
   * Address of the last use, for example `192.0.2.7`.
   */
  address?: string;
  created_at: Timestamp;
  last_used_at?: Timestamp;
  expires_at?: Timestamp;
}
/**
 * Credentials of one participant.
 */
export interface CredentialsResponse {
  /**
   * Credentials, most recently used first.
   */
  credentials: CredentialResponse[];
}
/**
 * Text document in a base.
 */
export interface Document {
  /**
   * Name, unique in the base, for example `limits.md`.
   */
  name: string;
  /**
   * Media type by name and content, for example `text/markdown`.
   */
  media_type: string;
  /**
   * Size in bytes.
   */
  bytes: number;
  /**
   * Number of passages that it was split into.
   */
  passages: number;
  added_at: Timestamp;
}
/**
 * Page of a list of documents.
 */
export interface DocumentsResponse {
  /**
   * Documents, sorted by name.
   */
  documents: Document[];
  /**
   * Value of `after` for the next page. Absent on the last page.
   */
  next?: string;
}
/**
 * Result of an upload.
 */
export interface FilePutResponse {
  /**
   * Seq of the event that added the file.
   */
  seq: number;
  file: File;
}
/**
 * List of files.
 */
export interface FilesResponse {
  /**
   * Files, oldest first.
   */
  files: File[];
}
/**
 * A gate in a list.
 */
export interface GateSummary {
  id: GateId;
  /**
   * Question to the participants, for example `Is this answer good?`.
   */
  prompt: string;
  /**
   * Roles that are allowed to vote.
   */
  eligible: Role[];
  /**
   * Ids of the participants who have voted.
   */
  voted: string[];
}
/**
 * Guests of a session, who joined by a link and chose their own name. Clients mark them, because a guest's name can be
 * somebody else's.
 */
export interface GuestsResponse {
  /**
   * Ids of the guests.
   */
  guests: ParticipantId[];
}
/**
 * Body of a request to join by a link.
 */
export interface InviteAcceptRequest {
  /**
   * Part of the link after the `#`, `rt_invite_…`.
   */
  secret: string;
  /**
   * Name of the new guest, 1 to 64 characters. Required without a credential, otherwise ignored.
   */
  name?: string | null;
}
/**
 * Result of joining by a link.
 */
export interface InviteAcceptResponse {
  session: SessionId;
  role: Role;
  /**
   * True if an owner has to admit the participant first.
   */
  waiting: boolean;
  you: Actor;
  server_role: ServerRole;
}
/**
 * Created invitation.
 */
export interface InviteLinkResponse {
  /**
   * Id of the invitation, 12 hexadecimal digits.
   */
  id: string;
  /**
   * Link to pass on, `https://…/invite#rt_invite_…`. It is shown only once.
   */
  link: string;
  expires_at: Timestamp;
  /**
   * Maximum number of people who can join by the link. Absent if unlimited.
   */
  uses?: number;
  /**
   * True if an owner has to admit everyone who uses the link.
   */
  knock: boolean;
}
/**
 * Body of a request for a preview.
 */
export interface InvitePreviewRequest {
  /**
   * Part of the link after the `#`, `rt_invite_…`.
   */
  secret: string;
}
/**
 * Preview of the session that a link opens.
 */
export interface InvitePreviewResponse {
  session: SessionId;
  /**
   * Title of the session. Absent for a link with `knock`, so that only admitted participants learn about the
   * session.
   */
  title?: string;
  role: Role;
  /**
   * Name of the link's creator.
   */
  invited_by: string;
  expires_at: Timestamp;
  /**
   * True if an owner has to admit everyone who uses the link.
   */
  knock: boolean;
}
/**
 * Body of a request to create an invitation.
 */
export interface InviteRequest {
  role: Role;
  /**
   * Lifetime in seconds, from 60 to 31536000 (a year). Default `identity.invite_hours`.
   */
  expires_in_seconds?: number | null;
  /**
   * Maximum number of people who can join by the link, 1 to 1000. Default 1 for a role that can approve, unless
   * `knock` is set; otherwise unlimited.
   */
  uses?: number | null;
  /**
   * True if an owner has to admit everyone who uses the link. Default false.
   */
  knock?: boolean;
}
/**
 * Open invitation, without its secret, which is shown only once.
 */
export interface InviteResponse {
  /**
   * Id of the invitation, 12 hexadecimal digits.
   */
  id: string;
  role: Role;
  by: ParticipantId;
  expires_at: Timestamp;
  /**
   * Number of people who can still join by the link. Absent if unlimited.
   */
  uses_left?: number;
  /**
   * True if an owner has to admit everyone who uses the link.
   */
  knock: boolean;
}
/**
 * List of open invitations.
 */
export interface InvitesResponse {
  /**
   * Open invitations, the first to expire first.
   */
  invites: InviteResponse[];
}
/**
 * Page of the log. The response is written from the stored JSON, which is not parsed.
 */
export interface LogResponse {
  /**
   * Frames `event`, the same as on a socket, in the order of their seqs.
   */
  events: ServerFrame[];
  /**
   * Seq of the newest event of the session.
   */
  head: number;
}
/**
 * Identity of the caller.
 */
export interface MeResponse {
  you: Actor;
  server_role: ServerRole;
}
/**
 * Page of messages.
 */
export interface MessagesResponse {
  /**
   * Messages, oldest first, in the form of a snapshot.
   */
  messages: Message[];
  /**
   * True if there are older messages.
   */
  more: boolean;
}
/**
 * Request for a new session. All fields are optional.
 */
export interface NewSession {
  /**
   * Name of a team that the server offers, such as `testcase-en`. Absent: chosen by `flow` and `language`.
   */
  team?: string | null;
  /**
   * Flow of the team if `team` is absent, such as `react`. Default `review`.
   */
  flow?: string | null;
  /**
   * Title of the session, at most 200 characters. Absent: the beginning of the message, or the team's title.
   */
  title?: string | null;
  /**
   * First message, which starts a run. Absent: no run.
   */
  message?: string | null;
  /**
   * Settings of the session, such as `{"max_messages": 20}`. Absent fields have the defaults of the team's flow.
   */
  settings?: {
    [k: string]: unknown;
  } | null;
  /**
   * Language of the team if `team` is absent, `zh` or `en`. Absent: the language of the message.
   */
  language?: Language | null;
}
/**
 * Body of an administrator's change of a participant.
 */
export interface ParticipantChangeRequest {
  /**
   * True to reject all credentials of the participant, false to accept them again.
   */
  disabled: boolean;
}
/**
 * Changed participant.
 */
export interface ParticipantChangeResponse {
  id: ParticipantId;
  /**
   * True if the participant is now disabled.
   */
  disabled: boolean;
}
/**
 * Page of the list of participants.
 */
export interface ParticipantPage {
  /**
   * Participants, newest first.
   */
  participants: ParticipantResponse[];
  /**
   * Value of `before` for the next page. Absent on the last page.
   */
  next: ParticipantId | null;
}
/**
 * Participant in a list for administrators.
 */
export interface ParticipantResponse {
  id: ParticipantId;
  kind: ActorKind;
  /**
   * Name of the participant.
   */
  name: string;
  server_role: ServerRole;
  created_at: Timestamp;
  disabled_at?: Timestamp;
  last_used_at?: Timestamp;
}
/**
 * Body of a request to redact a participant.
 */
export interface ParticipantRedactionRequest {
  /**
   * True to erase their messages, files and uploads too. Default false.
   */
  content?: boolean;
}
/**
 * Started redaction of a participant. Their sessions follow one after the other.
 */
export interface ParticipantRedactionResponse {
  id: ParticipantId;
  /**
   * True if their messages, files and uploads are erased too.
   */
  content: boolean;
}
/**
 * Hit of a search.
 */
export interface PassageResponse {
  /**
   * Name of the document.
   */
  document: string;
  /**
   * Number of the passage's first line, starting at 1.
   */
  line: number;
  /**
   * Text of the passage.
   */
  text: string;
  /**
   * Score. A higher one is better; comparable only within one response.
   */
  score: number;
}
/**
 * Result of a search.
 */
export interface PassageSearchResponse {
  /**
   * Hits, best first.
   */
  hits: PassageResponse[];
}
/**
 * Response of `/readyz`.
 */
export interface Readiness {
  /**
   * True if the node accepts new work.
   */
  ready: boolean;
  /**
   * True if the node works with restrictions, because one of its parts has failed.
   */
  degraded: boolean;
  /**
   * True if the node is shutting down.
   */
  draining: boolean;
  store: ComponentReadiness;
  bus?: BusReadiness;
  /**
   * State of the MCP servers, by their names in the configuration.
   */
  mcp?: {
    [k: string]: ComponentReadiness;
  };
}
/**
 * Body of a change of the caller's own identity.
 */
export interface RenameRequest {
  /**
   * New name, 1 to 64 characters.
   */
  name: string;
}
/**
 * Created session.
 */
export interface SessionCreatedResponse {
  session: SessionId;
  /**
   * Title of the session.
   */
  title: string;
  /**
   * Name of the team, for example `testcase-en`.
   */
  team: string;
  /**
   * Seq of the last event that the request caused.
   */
  seq: number;
}
/**
 * Body of a request to redact a session.
 */
export interface SessionRedactionRequest {
  /**
   * Id of the command. A retry with the same id counts once. If absent, the server chooses one.
   */
  id?: CommandId | null;
  /**
   * Reason for the log.
   */
  reason?: string | null;
}
/**
 * Current state of a session, in the form of a snapshot.
 */
export interface SessionResponse {
  session: SessionId;
  /**
   * Seq of the last event that the state includes.
   */
  seq: number;
  role: Role;
  /**
   * Rights of the caller, for example `["watch","say"]`.
   */
  you_can: Right[];
  state: View;
}
/**
 * Session in a list.
 */
export interface SessionRow {
  session: SessionId;
  /**
   * Title of the session.
   */
  title: string;
  updated_at: Timestamp;
  /**
   * Seq of its last event.
   */
  head: number;
  /**
   * Role of the caller in the session. Absent for an administrator who is not in it.
   */
  role: Role | null;
  summary: SessionSummary;
}
/**
 * Fields of a session in lists, besides its title.
 */
export interface SessionSummary {
  /**
   * Phase of the current or last run, for example `running`. Absent before the first run.
   */
  phase: Phase | null;
  /**
   * Newest message as `name: text`, cut at the end of a word to about 120 characters.
   */
  line: string;
  /**
   * The open gate that has waited longest. Absent if no gate is open.
   */
  gate: GateSummary | null;
  /**
   * Title of the team, for example `Research and summarize`.
   */
  team: string;
  /**
   * Number of participants.
   */
  participants: number;
  /**
   * Names of the agents that are writing now, for example `["Writer"]`.
   */
  writing: string[];
  /**
   * True if the session is closed and accepts no further commands.
   */
  closed: boolean;
}
/**
 * Page of a list of sessions.
 */
export interface SessionsResponse {
  /**
   * Sessions, most recently changed first.
   */
  sessions: SessionRow[];
  /**
   * Value of `before` for the next page. Absent on the last page.
   */
  next: string | null;
}
/**
 * Body of a sign-in.
 */
export interface SignInRequest {
  /**
   * Code after the `#` of a sign-in link, `rt_signin_…`, or a token, `rt_token_…`.
   */
  code: string;
}
