// Made from docs/openapi.json by `npm run types`. Change the Rust types of the handlers instead.
import type {
  Actor,
  ActorKind,
  AgentId,
  AgentRole,
  BatchedVote,
  CallRule,
  CallSourceKind,
  Choice,
  Code,
  CommandId,
  DeadlineOutcome,
  Expectation,
  File,
  FileId,
  GateId,
  GateKind,
  GlobalStrategy,
  Language,
  LearningMode,
  Limits,
  Message,
  MessageId,
  Mode,
  NodeStrategy,
  ParticipantId,
  Permission,
  PermissionId,
  Phase,
  PriorMessage,
  Recipient,
  Relation,
  Right,
  RightRule,
  Risk,
  Role,
  RuleSuggestion,
  RunId,
  SchemaViolation,
  ServerFrame,
  SessionId,
  StandingArguments,
  StepId,
  Temperature,
  Timestamp,
  ToolChoice,
  View,
} from "./protocol";

/**
 * Origin of the default model.
 */
export type SourceKind = "configured" | "openai" | "anthropic" | "ollama" | "demo";
/**
 * ISO 4217 currency code, such as `EUR`. Default `USD`, the currency of most providers.
 */
export type Currency = string;
/**
 * Right of a participant to a team. Each right includes the rights before it. The owner has all of them. Only the
 * owner and administrators can delete a team, switch it off, or share it.
 */
export type TeamRight = "read" | "execute" | "edit";
/**
 * Quorum: the votes that decide a gate.
 */
export type QuorumInput =
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
      weights: WeightsInput;
    }
  | {
      kind: "role";
      role: Role;
    }
  | {
      kind: "veto";
    };
/**
 * Action that an entry records. New actions can be added; a name never changes its meaning.
 */
export type AuditAction =
  | "sign_in"
  | "sign_in_link_created"
  | "sign_out"
  | "denial"
  | "token_created"
  | "token_revoked"
  | "device_revoked"
  | "link_created"
  | "link_used"
  | "link_removed"
  | "knock_decided"
  | "participant_invited"
  | "role_changed"
  | "participant_removed"
  | "participant_created"
  | "participant_renamed"
  | "server_role_changed"
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
export type AuditOutcome = "ok" | "denied";
/**
 * Id of a knowledge base: a number, starting at 1, that is never reused.
 */
export type BaseId = number;
/**
 * Body of a request that sends a command: a [`CommandFrame`], which is parsed in two steps so that an error names the
 * invalid part.
 */
export type CommandBody = {
  id: CommandId;
  /**
   * Id of the session in the path. Optional.
   */
  session?: SessionId | null;
  /**
   * Assumption of the sender. If it no longer holds, the command is rejected. Required for `vote` and `comment`,
   * optional for `answer`, and invalid for other commands.
   */
  expect?: Expectation | null;
} & CommandBody1;
export type CommandBody1 =
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
        standing?: StandingTermsInput | null;
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
        settings?: SettingsInput | null;
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
 * Id of an execution: the UUID of its session. Example: `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.
 */
export type ExecutionId = string;
/**
 * Id of a team, a UUID. Example: `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.
 */
export type TeamId = string;
/**
 * Status of a team.
 */
export type TeamStatus = "created" | "active" | "inactive" | "error";
/**
 * Kind of a credential.
 */
export type CredentialKind = "token" | "cookie" | "sign_in";
/**
 * Status of an execution.
 */
export type ExecutionStatus = "running" | "success" | "failed" | "timeout" | "cancelled";
/**
 * Outcome of a node.
 */
export type NodeStatus = "pending" | "running" | "success" | "failed" | "skipped";
/**
 * Status of a request for structured output.
 */
export type StructuredOutputStatus = "running" | "valid" | "invalid" | "failed";
/**
 * Event of an execution.
 */
export type ExecutionEvent = {
  team_id: TeamId;
  execution_id: ExecutionId;
  timestamp: Timestamp;
  /**
   * Id of the node that the event belongs to. Absent for events that belong to no node.
   */
  node_id?: string;
  /**
   * Id of the supervisor that the event belongs to: `global-supervisor`, or that of a node, such as
   * `gateway-supervisor`.
   */
  supervisor_id?: string;
  /**
   * Id that the agent of the event has in its node.
   */
  agent_id?: string;
} & ExecutionEvent1;
export type ExecutionEvent1 =
  | {
      event: "execution_start";
      started_at: Timestamp;
    }
  | (ExecutionMessage & {
      event: "global_supervisor_message";
    })
  | (ExecutionDecision & {
      event: "global_supervisor_decision";
    })
  | (ExecutionMessage & {
      event: "node_supervisor_message";
    })
  | (ExecutionDecision & {
      event: "node_supervisor_decision";
    })
  | (ExecutionMessage & {
      event: "agent_message";
    })
  | {
      event: "tool_call";
      /**
       * Name of the tool.
       */
      tool: string;
      /**
       * Arguments of the call.
       */
      input: {} | unknown[] | string | number | boolean | null;
      /**
       * Result of the call, or `{"error": …}` if it failed.
       */
      output: {} | unknown[] | string | number | boolean | null;
    }
  | {
      event: "node_complete";
      status: NodeStatus;
      /**
       * Result of the node, or the reason why there is none.
       */
      result: string;
    }
  | {
      event: "execution_complete";
      status: ExecutionStatus;
      /**
       * Duration of the execution, in milliseconds.
       */
      duration_ms: number;
      result: ExecutionResult;
    }
  | {
      event: "execution_error";
      /**
       * Error code, such as `EXECUTION_TIMEOUT` or `MODEL_UNAVAILABLE`.
       */
      error_code: string;
      /**
       * Explanation for people.
       */
      error_message: string;
      /**
       * True if the execution ended with this error. The stream ends then.
       */
      fatal: boolean;
      status?: ExecutionStatus;
      /**
       * Duration of the execution in milliseconds, if it ended.
       */
      duration_ms?: number;
      partial_result?: ExecutionResult;
    }
  | {
      event: "heartbeat";
    };
/**
 * Format of an exported team.
 */
export type ExportFormat = "json" | "toml";
/**
 * Outcome of an entry.
 */
export type PersonOutcome = "created" | "changed" | "unchanged";
/**
 * Rights of a participant on the server as a whole.
 */
export type ServerRole = "admin" | "member" | "guest";
/**
 * Method by which a person signs in with a browser.
 */
export type SignInMethod = "link" | "token" | "invite" | "oidc" | "proxy";
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
/**
 * Format of metrics.
 */
export type MetricFormat = "json" | "prometheus";
/**
 * Subject of a monthly quota.
 */
export type QuotaSubject = "participant" | "session" | "team";
/**
 * Response to a request that replaced a team, or only checked its new version.
 */
export type ReplacedTeamResponse = TeamResponse | ValidTeamResponse;
/**
 * Result of a check.
 */
export type ValidityStatus = "valid";
/**
 * State of the switch.
 */
export type TeamSwitch = "active" | "inactive";
/**
 * Status that a list can be filtered by.
 */
export type TeamStatusFilter = "active" | "inactive" | "error";

export interface Api {
  AboutResponse?: AboutResponse;
  AccessListResponse?: AccessListResponse;
  AccessRequest?: AccessRequest;
  AccessResponse?: AccessResponse;
  Ack?: Ack;
  AgentDocument?: AgentDocument;
  AgentDocumentInput?: AgentDocumentInput;
  AgentMetrics?: AgentMetrics;
  AgentSummary?: AgentSummary;
  ApprovalRuleInput?: ApprovalRuleInput;
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
  BudgetInput?: BudgetInput;
  BusReadiness?: BusReadiness;
  CallRuleInput?: CallRuleInput;
  CommandBody?: CommandBody;
  ComponentReadiness?: ComponentReadiness;
  ControlResponse?: ControlResponse;
  CopyRequest?: CopyRequest;
  CreatedTeamResponse?: CreatedTeamResponse;
  CredentialKind?: CredentialKind;
  CredentialResponse?: CredentialResponse;
  CredentialsResponse?: CredentialsResponse;
  Currency?: Currency;
  Document?: Document;
  DocumentsResponse?: DocumentsResponse;
  EdgeDocument?: EdgeDocument;
  EdgeDocumentInput?: EdgeDocumentInput;
  EscalationStepInput?: EscalationStepInput;
  ExecuteRequest?: ExecuteRequest;
  ExecutionDecision?: ExecutionDecision;
  ExecutionDetailsResponse?: ExecutionDetailsResponse;
  ExecutionErrorResponse?: ExecutionErrorResponse;
  ExecutionEvent?: ExecutionEvent;
  ExecutionId?: ExecutionId;
  ExecutionInput?: ExecutionInput;
  ExecutionInputResponse?: ExecutionInputResponse;
  ExecutionListResponse?: ExecutionListResponse;
  ExecutionListingResponse?: ExecutionListingResponse;
  ExecutionLogEntry?: ExecutionLogEntry;
  ExecutionLogResponse?: ExecutionLogResponse;
  ExecutionMessage?: ExecutionMessage;
  ExecutionMetrics?: ExecutionMetrics;
  ExecutionResponse?: ExecutionResponse;
  ExecutionResult?: ExecutionResult;
  ExecutionStatus?: ExecutionStatus;
  ExportFormat?: ExportFormat;
  FilePutResponse?: FilePutResponse;
  FilesResponse?: FilesResponse;
  ForecastCounts?: ForecastCounts;
  GateSummary?: GateSummary;
  GlobalSupervisorDocument?: GlobalSupervisorDocument;
  GlobalSupervisorDocumentInput?: GlobalSupervisorDocumentInput;
  GuestsResponse?: GuestsResponse;
  ImportedPerson?: ImportedPerson;
  InviteAcceptRequest?: InviteAcceptRequest;
  InviteAcceptResponse?: InviteAcceptResponse;
  InviteLinkResponse?: InviteLinkResponse;
  InvitePreviewRequest?: InvitePreviewRequest;
  InvitePreviewResponse?: InvitePreviewResponse;
  InviteRequest?: InviteRequest;
  InviteResponse?: InviteResponse;
  InvitesResponse?: InvitesResponse;
  KnockResponse?: KnockResponse;
  LastSignInResponse?: LastSignInResponse;
  LearningSettingsInput?: LearningSettingsInput;
  LogResponse?: LogResponse;
  MeResponse?: MeResponse;
  MessagesResponse?: MessagesResponse;
  MetricFormat?: MetricFormat;
  Metrics?: Metrics;
  ModelSource?: ModelSource;
  ModelSummary?: ModelSummary;
  MonthlyQuotaResponse?: MonthlyQuotaResponse;
  MonthlyQuotasResponse?: MonthlyQuotasResponse;
  NamedParticipant?: NamedParticipant;
  NewSession?: NewSession;
  NodeDocument?: NodeDocument;
  NodeDocumentInput?: NodeDocumentInput;
  NodeMetrics?: NodeMetrics;
  NodeResult?: NodeResult;
  NodeStatus?: NodeStatus;
  NodeSupervisorDocument?: NodeSupervisorDocument;
  NodeSupervisorDocumentInput?: NodeSupervisorDocumentInput;
  OidcOption?: OidcOption;
  ParticipantChangeRequest?: ParticipantChangeRequest;
  ParticipantChangeResponse?: ParticipantChangeResponse;
  ParticipantPage?: ParticipantPage;
  ParticipantRedactionRequest?: ParticipantRedactionRequest;
  ParticipantRedactionResponse?: ParticipantRedactionResponse;
  ParticipantResponse?: ParticipantResponse;
  PassageResponse?: PassageResponse;
  PassageSearchResponse?: PassageSearchResponse;
  PeopleImportRequest?: PeopleImportRequest;
  PeopleImportResponse?: PeopleImportResponse;
  PersonEntry?: PersonEntry;
  PersonOutcome?: PersonOutcome;
  Prices?: Prices;
  ProviderSummary?: ProviderSummary;
  ProxyOption?: ProxyOption;
  QuorumInput?: QuorumInput;
  QuotaPage?: QuotaPage;
  QuotaSubject?: QuotaSubject;
  Readiness?: Readiness;
  RenameRequest?: RenameRequest;
  ReplacedTeamResponse?: ReplacedTeamResponse;
  RightsTemplateSummary?: RightsTemplateSummary;
  RuleForecastResponse?: RuleForecastResponse;
  RuleSuggestionsResponse?: RuleSuggestionsResponse;
  SchemaValidation?: SchemaValidation;
  ServerRole?: ServerRole;
  SessionCreatedResponse?: SessionCreatedResponse;
  SessionForecast?: SessionForecast;
  SessionRedactionRequest?: SessionRedactionRequest;
  SessionResponse?: SessionResponse;
  SessionRow?: SessionRow;
  SessionSummary?: SessionSummary;
  SessionsResponse?: SessionsResponse;
  SettingsInput?: SettingsInput;
  SignInMethod?: SignInMethod;
  SignInOptions?: SignInOptions;
  SignInRequest?: SignInRequest;
  SignOutResponse?: SignOutResponse;
  SourceKind?: SourceKind;
  StandingTermsInput?: StandingTermsInput;
  StatusRequest?: StatusRequest;
  StructuredOutputEntry?: StructuredOutputEntry;
  StructuredOutputRequest?: StructuredOutputRequest;
  StructuredOutputResponse?: StructuredOutputResponse;
  StructuredOutputStatus?: StructuredOutputStatus;
  StructuredOutputVersion?: StructuredOutputVersion;
  SupervisorOptions?: SupervisorOptions;
  SupervisorOptionsInput?: SupervisorOptionsInput;
  TeamDocument?: TeamDocument;
  TeamDocumentInput?: TeamDocumentInput;
  TeamErrorBody?: TeamErrorBody;
  TeamId?: TeamId;
  TeamListResponse?: TeamListResponse;
  TeamListingResponse?: TeamListingResponse;
  TeamParticipant?: TeamParticipant;
  TeamResponse?: TeamResponse;
  TeamRight?: TeamRight;
  TeamSchemaResponse?: TeamSchemaResponse;
  TeamStatus?: TeamStatus;
  TeamStatusFilter?: TeamStatusFilter;
  TeamSummary?: TeamSummary;
  TeamSwitch?: TeamSwitch;
  TokenCreateRequest?: TokenCreateRequest;
  TokenCreatedResponse?: TokenCreatedResponse;
  TokenScope?: TokenScope;
  TokenScopeInput?: TokenScopeInput;
  TopologyDocument?: TopologyDocument;
  TopologyDocumentInput?: TopologyDocumentInput;
  TopologySummary?: TopologySummary;
  ValidTeamResponse?: ValidTeamResponse;
  ValidityStatus?: ValidityStatus;
  WeightsInput?: WeightsInput;
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
   * URL at which people reach the server, without a trailing slash.
   */
  public_url: string;
  model: ModelSource;
  /**
   * Providers that the agents of a team can use, in alphabetical order.
   */
  providers: ProviderSummary[];
  /**
   * Models that a session can use for all of its agents, in alphabetical order: the listed ones and the default.
   */
  models: ModelSummary[];
  /**
   * Names of the tools that agents can call now, in alphabetical order. Tools of MCP servers can appear and
   * disappear.
   */
  tools: string[];
  currency: Currency;
  /**
   * Teams that a new session can use.
   */
  teams: TeamSummary[];
  /**
   * Templates of rights for sessions, in alphabetical order.
   */
  rights_templates: RightsTemplateSummary[];
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
   * True if responses are scripted, as with the demo model.
   */
  scripted: boolean;
}
/**
 * Provider of models, without its URL and keys.
 */
export interface ProviderSummary {
  /**
   * Name of the provider, for example `openai`.
   */
  name: string;
  /**
   * Listed models, in alphabetical order. Empty if the provider accepts the name of any model.
   */
  models: string[];
}
/**
 * Model that a session can use for all of its agents.
 */
export interface ModelSummary {
  /**
   * Name of the model, in the form `provider/model`, for example `openai/gpt-4o-mini`.
   */
  name: string;
  prices?: Prices;
}
/**
 * Prices of a model, per million tokens, in `providers.currency`.
 */
export interface Prices {
  /**
   * Price of a million input tokens, such as `0.15`.
   */
  input: number;
  /**
   * Price of a million output tokens, such as `0.6`.
   */
  output: number;
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
   * Name of the team's flow, for example `review`.
   */
  flow: string;
  language: Language;
  /**
   * Example messages that people can start with.
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
 * Template of rights for sessions.
 */
export interface RightsTemplateSummary {
  /**
   * Name of the template, for example `review`.
   */
  name: string;
  /**
   * Title for people.
   */
  title: string;
  /**
   * Rights that a session with the template has, as in its `rights` setting.
   */
  rights: RightRule[];
  /**
   * True for the template of new sessions whose creator chooses none.
   */
  default: boolean;
}
/**
 * Participants who can use a team, in addition to its owner.
 */
export interface AccessListResponse {
  /**
   * Participants with their rights, ordered by name.
   */
  access: AccessResponse[];
}
/**
 * Right of a participant to a team.
 */
export interface AccessResponse {
  participant: TeamParticipant;
  right: TeamRight;
}
/**
 * Participant with their name.
 */
export interface TeamParticipant {
  id: ParticipantId;
  /**
   * Name of the participant.
   */
  name: string;
}
/**
 * Body of a request to share a team.
 */
export interface AccessRequest {
  right: TeamRight;
}
/**
 * Acknowledgement of a command, like the `ack` frame of the socket.
 */
export interface Ack {
  id: CommandId;
  /**
   * Seq of the command's last event, for example 1043.
   */
  seq: number;
}
/**
 * An agent of a node.
 */
export interface AgentDocument {
  /**
   * Id of the agent, 1 to 64 of `A-Z a-z 0-9 _ . -`, unique in its node regardless of case. Example: `log-reader`.
   */
  agent_id: string;
  /**
   * Display name: one line of 1 to 100 characters.
   */
  agent_name: string;
  /**
   * Provider of the model, as the server's operator named it. Example: `openai`.
   */
  model_provider: string;
  /**
   * Model of the provider in `model_provider`. Example: `gpt-4o-mini`.
   */
  model_id: string;
  /**
   * System prompt, at most 65536 bytes.
   */
  system_prompt: string;
  /**
   * Template of the agent's task, with the variables `{task}`, `{context.KEY}`, `{node.KEY}` and `{upstream.NODE}`;
   * `{{` and `}}` are literal braces. Absent: the task of the execution.
   */
  user_prompt_template?: string;
  /**
   * Tools that the agent can call; `*` matches any text. Default: none. Example: `code_*`.
   *
   * @maxItems 64
   */
  tools: string[];
  /**
   * Sampling temperature, 0 to 2. Null: the provider's default. Default 0.7.
   */
  temperature: Temperature | null;
  /**
   * Maximum number of tokens in one response. Null: the model's limit. Default 4096.
   */
  max_tokens: number | null;
  /**
   * Priority in a node with the `priority` strategy: higher first, then the order of the list. Default 0.
   */
  priority?: number;
  /**
   * Description in one line. Default: empty.
   */
  title?: string;
  tool_choice?: ToolChoice;
  /**
   * Call rules for tools; the first one that matches applies. Default: none.
   */
  permissions?: CallRule[];
}
/**
 * An agent of a node.
 */
export interface AgentDocumentInput {
  /**
   * Id of the agent, 1 to 64 of `A-Z a-z 0-9 _ . -`, unique in its node regardless of case. Example: `log-reader`.
   */
  agent_id: string;
  /**
   * Display name: one line of 1 to 100 characters.
   */
  agent_name: string;
  /**
   * Provider of the model, as the server's operator named it. Example: `openai`.
   */
  model_provider: string;
  /**
   * Model of the provider in `model_provider`. Example: `gpt-4o-mini`.
   */
  model_id: string;
  /**
   * System prompt, at most 65536 bytes.
   */
  system_prompt: string;
  /**
   * Template of the agent's task, with the variables `{task}`, `{context.KEY}`, `{node.KEY}` and `{upstream.NODE}`;
   * `{{` and `}}` are literal braces. Absent: the task of the execution.
   */
  user_prompt_template?: string | null;
  /**
   * Tools that the agent can call; `*` matches any text. Default: none. Example: `code_*`.
   *
   * @maxItems 64
   */
  tools?: string[];
  /**
   * Sampling temperature, 0 to 2. Null: the provider's default. Default 0.7.
   */
  temperature?: Temperature | null;
  /**
   * Maximum number of tokens in one response. Null: the model's limit. Default 4096.
   */
  max_tokens?: number | null;
  /**
   * Priority in a node with the `priority` strategy: higher first, then the order of the list. Default 0.
   */
  priority?: number;
  /**
   * Description in one line. Default: empty.
   */
  title?: string;
  tool_choice?: ToolChoice;
  /**
   * Call rules for tools; the first one that matches applies. Default: none.
   */
  permissions?: CallRuleInput[];
}
/**
 * A rule that allows, denies or asks about some calls.
 */
export interface CallRuleInput {
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
 * Metrics of an agent or supervisor.
 */
export interface AgentMetrics {
  /**
   * Node of the agent, or null for the global supervisor.
   */
  node_id: string | null;
  /**
   * Id of the agent in its node, or of the supervisor.
   */
  agent_id: string;
  /**
   * Number of messages that models completed. In the log, those that only call tools or decide appear as tool calls
   * and decisions.
   */
  messages: number;
  /**
   * Number of tool calls that ended.
   */
  tool_calls: number;
  /**
   * Number of errors: failed attempts, failed tool calls, and outputs that could not be read.
   */
  errors: number;
  /**
   * Number of tokens that models read.
   */
  input_tokens: number;
  /**
   * Number of tokens that models wrote.
   */
  output_tokens: number;
  /**
   * Cost in millionths of the currency of the prices.
   */
  cost_micros: number;
  /**
   * Milliseconds spent on writing messages, each counted from the start of its first attempt.
   */
  model_ms: number;
  /**
   * Milliseconds spent on tool calls.
   */
  tool_ms: number;
}
/**
 * Rule for the approval of some gates.
 */
export interface ApprovalRuleInput {
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
  quorum: QuorumInput;
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
    | [EscalationStepInput]
    | [EscalationStepInput, EscalationStepInput]
    | [EscalationStepInput, EscalationStepInput, EscalationStepInput]
    | [EscalationStepInput, EscalationStepInput, EscalationStepInput, EscalationStepInput];
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
 * Weights of votes by the role of the voter. Each weight is 0 to 100, default 1; votes with weight 0 are comments.
 */
export interface WeightsInput {
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
 * Step of an escalation, in a rule.
 */
export interface EscalationStepInput {
  /**
   * Seconds after the opening of the gate, 1 to 31536000.
   */
  after_seconds: number;
  quorum: QuorumInput;
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
   * Id of the request, as in the `x-request-id` header of its response and in the server's log.
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
   * Value of `before` for the next page. Null on the last page.
   */
  next: number | null;
}
/**
 * Changes to a knowledge base. Absent fields stay as they are.
 */
export interface BaseChange {
  /**
   * New name.
   */
  name?: string | null;
  /**
   * New description of the base's content.
   */
  about?: string | null;
  /**
   * New readers, which replace the current ones.
   */
  readers?: BaseReaders | null;
}
/**
 * Participants who can read a base, in addition to its owner and administrators. Guests never can; they see its
 * content only through agents of a session that uses the base.
 */
export interface BaseReaders {
  /**
   * True if every member of the server can read the base. Default false.
   */
  members?: boolean;
  /**
   * Ids of members who can read the base, at most [`BaseReaders::MAX_PARTICIPANTS`].
   */
  participants?: ParticipantId[];
  /**
   * Names of the teams whose sessions can use the base, at most [`BaseReaders::MAX_TEAMS`], for example
   * `["testcase-en"]`. If empty, sessions of every team can use it.
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
 * Limits on a session's usage of models, over its whole log. At least one of `max_tokens` and `max_cost_micros` is
 * set.
 */
export interface BudgetInput {
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
 * Terms of a standing permission. At least one of `this_run`, `until` and `max_uses` limits it.
 */
export interface StandingTermsInput {
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
 * Settings of a session.
 */
export interface SettingsInput {
  approval?: QuorumInput;
  /**
   * Rules that replace `approval` for some kinds of gates, or for calls with some risk or sources, at most 16. The
   * first rule that matches applies. Default: none. Example:
   * `[{"gate":"tool","min_risk":"high","quorum":{"kind":"at_least","n":2},"separate_duties":true}]`.
   */
  approval_rules?: ApprovalRuleInput[];
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
  budget?: BudgetInput | null;
  /**
   * Model for all agents, in place of the ones that the team names, as a listed `provider/model`. A gate about the
   * budget can set it to a cheaper one. Absent: each agent uses the model of the team. Example:
   * `"openai/gpt-4o-mini"`.
   */
  model?: string | null;
  learning?: LearningSettingsInput;
  /**
   * Days after the last event until all content of the session is erased, 1 to 36500. Nothing is erased during a
   * run. Absent: content is kept.
   */
  retention_days?: number | null;
}
/**
 * Evidence that a rule needs before it is proposed.
 */
export interface LearningSettingsInput {
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
 * State of one part of a node.
 */
export interface ComponentReadiness {
  /**
   * True if the part responds and, in case of the database, accepts writes.
   */
  ok: boolean;
  since?: Timestamp;
  /**
   * Consequence of the failure, for operators. The error itself is only in the log, because it can contain names of
   * hosts and users.
   */
  reason?: string;
}
/**
 * Response to a control of an execution.
 */
export interface ControlResponse {
  execution_id: ExecutionId;
  /**
   * Seq of the control in the session's log.
   */
  seq: number;
}
/**
 * Body of a request to copy a team. It can be empty.
 */
export interface CopyRequest {
  /**
   * Name of the copy, 1 to 200 characters in one line. If absent, the name of the team followed by ` (copy)`.
   */
  team_name?: string | null;
}
/**
 * Response to a request that created a team.
 */
export interface CreatedTeamResponse {
  team_id: TeamId;
  status: TeamStatus;
  created_at: Timestamp;
  topology_summary: TopologySummary;
  /**
   * Number of the version, always 1.
   */
  version: number;
}
/**
 * Size of a topology.
 */
export interface TopologySummary {
  /**
   * Number of nodes.
   */
  node_count: number;
  /**
   * Number of agents, without supervisors.
   */
  agent_count: number;
  /**
   * Number of edges.
   */
  edge_count: number;
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
   * Name of the browser, as reported by the browser, or of the token, as chosen by its creator.
   */
  label?: string;
  scope?: TokenScope;
  /**
   * IP address of the last use, or of the creation if the credential is unused, for example `192.0.2.7`.
   */
  address?: string;
  created_at: Timestamp;
  last_used_at?: Timestamp;
  expires_at?: Timestamp;
}
/**
 * Limits of a token. An absent limit means no limit. An empty list is an error.
 */
export interface TokenScope {
  /**
   * Sessions that the token opens, at most 100. If sessions or teams are set, the token opens nothing else.
   *
   * @minItems 1
   * @maxItems 100
   */
  sessions?: [SessionId, ...SessionId[]];
  /**
   * Ids of stored teams that the token can execute, at most 100. The token also opens the sessions of their
   * executions.
   *
   * @minItems 1
   * @maxItems 100
   */
  teams?: [string, ...string[]];
  max_role?: Role;
  /**
   * Networks that the token is accepted from, at most 100: CIDR blocks or addresses, for example `10.0.0.0/8`.
   *
   * @minItems 1
   * @maxItems 100
   */
  networks?: [string, ...string[]];
}
/**
 * Credentials of one participant.
 */
export interface CredentialsResponse {
  /**
   * Credentials, most recently used first, at most 200.
   */
  credentials: CredentialResponse[];
  /**
   * True if there are more credentials than the list contains. Revoke some of those in the list to see them.
   */
  more: boolean;
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
   * Number of passages that the document was split into.
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
 * Relation of one node to another.
 */
export interface EdgeDocument {
  /**
   * Id of the node that the relation starts from.
   */
  source_node_id: string;
  /**
   * Id of the node that the relation points to.
   */
  target_node_id: string;
  relation_type: Relation;
  /**
   * Data for people and programs; the server does not interpret it. Null is not a value. Default: none.
   */
  attributes: {
    [k: string]: unknown;
  };
}
/**
 * Relation of one node to another.
 */
export interface EdgeDocumentInput {
  /**
   * Id of the node that the relation starts from.
   */
  source_node_id: string;
  /**
   * Id of the node that the relation points to.
   */
  target_node_id: string;
  relation_type: Relation;
  /**
   * Data for people and programs; the server does not interpret it. Null is not a value. Default: none.
   */
  attributes?: {
    [k: string]: unknown;
  };
}
/**
 * Body of a request that executes a team.
 */
export interface ExecuteRequest {
  input: ExecutionInput;
  /**
   * Seconds after which the execution ends, 1 to 1800, including pauses and questions to people. If absent, the
   * team's limit applies.
   */
  timeout_seconds?: number | null;
  /**
   * True to stream events, false to wait for the result. Default true.
   */
  stream?: boolean;
}
/**
 * Input of an execution.
 */
export interface ExecutionInput {
  /**
   * Task, such as `Find the cause of the failed payments`.
   */
  task: string;
  /**
   * Data that prompt templates insert with `{context.KEY}`. Default none.
   */
  context?: {
    [k: string]: unknown;
  };
}
/**
 * Decision of a supervisor.
 */
export interface ExecutionDecision {
  /**
   * The decision with its reason, for people.
   */
  decision: string;
  /**
   * Ids of the recipients of the task: supervisors of nodes, or agents of the node. They are the same as
   * `supervisor_id` or `agent_id` in the recipients' events.
   */
  delegates?: string[];
}
/**
 * An execution with its input, results and errors.
 */
export interface ExecutionDetailsResponse {
  id: ExecutionId;
  execution_id: ExecutionId;
  team_id: TeamId;
  /**
   * Version of the team that the execution began with.
   */
  team_version: number;
  session_id: SessionId;
  /**
   * Title of the session.
   */
  title: string;
  status: ExecutionStatus;
  started_at: Timestamp;
  /**
   * Time at which the run ended, or null while it runs.
   */
  completed_at: Timestamp | null;
  /**
   * Duration in milliseconds, or null while the run is not over.
   */
  duration_ms: number | null;
  /**
   * Tokens in requests to models and in their responses, until the run ended; null while it is not over.
   */
  tokens: number | null;
  /**
   * Cost of these tokens in millionths of the configured currency; null while the run is not over. Example: 1500.
   */
  cost_micros: number | null;
  /**
   * Code of the error that ended the run, or null.
   */
  error_code: string | null;
  /**
   * Message of the error that ended the run, or null.
   */
  error_message: string | null;
  result: ExecutionResult;
  /**
   * Current phase of the run, for example `waiting` at a gate or `paused`. Null if the run is over.
   */
  phase: Phase | null;
  input: ExecutionInputResponse;
  output: ExecutionResult;
  /**
   * Errors in the order of their occurrence, up to the last 100: failed attempts, output that could not be read, and
   * the error that ended the run. The log with `event_type=execution_error` contains all of them, in pages.
   */
  errors: ExecutionErrorResponse[];
  /**
   * Number of all errors, including those that `errors` leaves out.
   */
  total_errors: number;
  /**
   * Requests for structured output of the results, oldest first. These are the newest 20 requests, or fewer if 20
   * would exceed 2 MiB.
   */
  structured_outputs: StructuredOutputEntry[];
  /**
   * Number of all structured outputs, including those that `structured_outputs` leaves out.
   */
  total_structured_outputs: number;
}
/**
 * Result of an execution.
 */
export interface ExecutionResult {
  /**
   * Summary by the global supervisor. Empty until it is written.
   */
  summary: string;
  /**
   * Results of the nodes, in the order of the topology.
   */
  node_results: NodeResult[];
}
/**
 * Result of a node.
 */
export interface NodeResult {
  /**
   * Id of the node.
   */
  node_id: string;
  status: NodeStatus;
  /**
   * Result of the node, or the reason why there is none. Empty while the node works, and if it was stopped.
   */
  output: string;
  /**
   * Latest texts of the agents of a node that failed or was stopped, each preceded by the agent's id. Absent if
   * there are none.
   */
  partial_output?: string;
}
/**
 * Input of an execution.
 */
export interface ExecutionInputResponse {
  /**
   * Task of the execution.
   */
  task: string;
  /**
   * Data for prompt templates.
   */
  context: {
    [k: string]: unknown;
  };
  /**
   * Seconds after which the execution ends.
   */
  timeout_seconds: number | null;
}
/**
 * Error during an execution.
 */
export interface ExecutionErrorResponse {
  timestamp: Timestamp;
  /**
   * Node of the error, or null.
   */
  node_id: string | null;
  /**
   * Agent of the error, or null.
   */
  agent_id: string | null;
  /**
   * Supervisor of the error, or null.
   */
  supervisor_id: string | null;
  /**
   * Code of the error, such as `MODEL_UNAVAILABLE`.
   */
  error_code: string;
  /**
   * Explanation for people.
   */
  error_message: string;
  /**
   * True if the execution ended with this error.
   */
  fatal: boolean;
}
/**
 * Structured output that was requested.
 */
export interface StructuredOutputEntry {
  run_id: RunId;
  requested_at: Timestamp;
  requested_by: Actor;
  /**
   * Time of the output, or of the end of a run without output. Null while the agent is writing.
   */
  timestamp: Timestamp | null;
  status: StructuredOutputStatus;
  /**
   * JSON Schema of the request. Null if it was erased.
   */
  output_schema: {} | unknown[] | string | number | boolean | null;
  /**
   * The output. Null if there is none, or if it was erased.
   */
  structured_output: {} | unknown[] | string | number | boolean | null;
  /**
   * Result of the check. Null unless the status is `valid` or `invalid`.
   */
  schema_validation: SchemaValidation | null;
  /**
   * Last output that did not match the schema, if the status is `invalid`. A string if the output contained no JSON,
   * or if it had more than 65536 bytes, in which case its middle is left out. Null with any other status, or if the
   * output was erased.
   */
  partial_output: {} | unknown[] | string | number | boolean | null;
  /**
   * File of the session with the output. Null if there is none, for example because the session had no room for it,
   * or if the file was erased.
   */
  file: StructuredOutputVersion | null;
  /**
   * Code of the error if the status is `failed`, otherwise null. Example: `EXECUTION_CANCELLED`.
   */
  error_code: string | null;
  /**
   * Explanation of the error for people if the status is `failed`, otherwise null.
   */
  error_message: string | null;
  /**
   * True if the output or its violations of the schema were erased.
   */
  redacted: boolean;
}
/**
 * Result of the check of an output.
 */
export interface SchemaValidation {
  /**
   * True if the output matches the schema.
   */
  valid: boolean;
  /**
   * Violations of the schema, at most 20.
   */
  errors: SchemaViolation[];
}
/**
 * Version of a file of the session that contains structured output.
 */
export interface StructuredOutputVersion {
  /**
   * Name of the file. Example: `structured-output.json`.
   */
  name: string;
  /**
   * Version number, from 1.
   */
  version: number;
}
/**
 * Message of an agent or supervisor.
 */
export interface ExecutionMessage {
  /**
   * Text of the message.
   */
  message: string;
  gate_id?: GateId;
  /**
   * Id of the monitored node that the message reports on. Absent for other messages.
   */
  reports_on?: string;
  /**
   * True if the message ended early, for example because the execution was stopped. Absent for other messages.
   */
  aborted?: boolean;
}
/**
 * Page of a list of executions.
 */
export interface ExecutionListResponse {
  /**
   * Executions, newest first.
   */
  executions: ExecutionListingResponse[];
  /**
   * Number of the page, from 1.
   */
  page: number;
  /**
   * Maximum number of executions on a page.
   */
  size: number;
  /**
   * Number of executions on all pages.
   */
  total: number;
}
/**
 * An execution in lists.
 */
export interface ExecutionListingResponse {
  id: ExecutionId;
  execution_id: ExecutionId;
  team_id: TeamId;
  /**
   * Version of the team that the execution began with.
   */
  team_version: number;
  session_id: SessionId;
  /**
   * Title of the session.
   */
  title: string;
  status: ExecutionStatus;
  started_at: Timestamp;
  /**
   * Time at which the run ended, or null while it runs.
   */
  completed_at: Timestamp | null;
  /**
   * Duration in milliseconds, or null while the run is not over.
   */
  duration_ms: number | null;
  /**
   * Tokens in requests to models and in their responses, until the run ended; null while it is not over.
   */
  tokens: number | null;
  /**
   * Cost of these tokens in millionths of the configured currency; null while the run is not over. Example: 1500.
   */
  cost_micros: number | null;
  /**
   * Code of the error that ended the run, or null.
   */
  error_code: string | null;
  /**
   * Message of the error that ended the run, or null.
   */
  error_message: string | null;
}
/**
 * Entry of the log of an execution.
 */
export interface ExecutionLogEntry {
  /**
   * Id of the entry, always the same for the same event.
   */
  id: string;
  execution_id: ExecutionId;
  /**
   * Name of the event, such as `agent_message`.
   */
  event_type: string;
  /**
   * Agent or supervisor of the event, or null.
   */
  agent_id: string | null;
  /**
   * Node of the event, or null.
   */
  node_id: string | null;
  /**
   * Text of the event; can be empty.
   */
  message: string;
  /**
   * Further fields of the event, as in the stream.
   */
  metadata: {
    [k: string]: unknown;
  };
  timestamp: Timestamp;
}
/**
 * Page of the log of an execution.
 */
export interface ExecutionLogResponse {
  /**
   * Entries, oldest first.
   */
  log: ExecutionLogEntry[];
  /**
   * Number of the page, from 1.
   */
  page: number;
  /**
   * Maximum number of entries on a page.
   */
  size: number;
  /**
   * Number of entries on all pages.
   */
  total: number;
}
/**
 * Metrics of an execution.
 */
export interface ExecutionMetrics {
  execution_id: ExecutionId;
  total: Metrics;
  /**
   * Metrics by node, in the order of the topology. Those of a node include its agents and its supervisor.
   */
  nodes: NodeMetrics[];
  /**
   * Metrics by agent, in the order of the team.
   */
  agents: AgentMetrics[];
}
/**
 * Amount of work that one or more agents have done.
 */
export interface Metrics {
  /**
   * Number of messages that models completed. In the log, those that only call tools or decide appear as tool calls
   * and decisions.
   */
  messages: number;
  /**
   * Number of tool calls that ended.
   */
  tool_calls: number;
  /**
   * Number of errors: failed attempts, failed tool calls, and outputs that could not be read.
   */
  errors: number;
  /**
   * Number of tokens that models read.
   */
  input_tokens: number;
  /**
   * Number of tokens that models wrote.
   */
  output_tokens: number;
  /**
   * Cost in millionths of the currency of the prices.
   */
  cost_micros: number;
  /**
   * Milliseconds spent on writing messages, each counted from the start of its first attempt.
   */
  model_ms: number;
  /**
   * Milliseconds spent on tool calls.
   */
  tool_ms: number;
}
/**
 * Metrics of a node.
 */
export interface NodeMetrics {
  /**
   * Id of the node.
   */
  node_id: string;
  /**
   * Number of messages that models completed. In the log, those that only call tools or decide appear as tool calls
   * and decisions.
   */
  messages: number;
  /**
   * Number of tool calls that ended.
   */
  tool_calls: number;
  /**
   * Number of errors: failed attempts, failed tool calls, and outputs that could not be read.
   */
  errors: number;
  /**
   * Number of tokens that models read.
   */
  input_tokens: number;
  /**
   * Number of tokens that models wrote.
   */
  output_tokens: number;
  /**
   * Cost in millionths of the currency of the prices.
   */
  cost_micros: number;
  /**
   * Milliseconds spent on writing messages, each counted from the start of its first attempt.
   */
  model_ms: number;
  /**
   * Milliseconds spent on tool calls.
   */
  tool_ms: number;
}
/**
 * An execution with its result.
 */
export interface ExecutionResponse {
  id: ExecutionId;
  execution_id: ExecutionId;
  team_id: TeamId;
  /**
   * Version of the team that the execution began with.
   */
  team_version: number;
  session_id: SessionId;
  /**
   * Title of the session.
   */
  title: string;
  status: ExecutionStatus;
  started_at: Timestamp;
  /**
   * Time at which the run ended, or null while it runs.
   */
  completed_at: Timestamp | null;
  /**
   * Duration in milliseconds, or null while the run is not over.
   */
  duration_ms: number | null;
  /**
   * Tokens in requests to models and in their responses, until the run ended; null while it is not over.
   */
  tokens: number | null;
  /**
   * Cost of these tokens in millionths of the configured currency; null while the run is not over. Example: 1500.
   */
  cost_micros: number | null;
  /**
   * Code of the error that ended the run, or null.
   */
  error_code: string | null;
  /**
   * Message of the error that ended the run, or null.
   */
  error_message: string | null;
  result: ExecutionResult;
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
 * Numbers of past calls that a rule would have allowed, by people's decisions about them. Only the newest 256 calls of
 * each session that people were asked about count.
 */
export interface ForecastCounts {
  /**
   * Number of calls that people allowed as they were proposed.
   */
  allowed: number;
  /**
   * Number of calls that people edited.
   */
  changed: number;
  /**
   * Number of calls that people rejected or answered themselves.
   */
  refused: number;
  /**
   * Number of calls without a decision.
   */
  undecided: number;
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
 * Supervisor of all nodes.
 */
export interface GlobalSupervisorDocument {
  /**
   * Provider of the model, as the server's operator named it.
   */
  model_provider: string;
  /**
   * Model of that provider.
   */
  model_id: string;
  /**
   * System prompt, at most 65536 bytes.
   */
  system_prompt: string;
  coordination_strategy: GlobalStrategy;
  options?: SupervisorOptions;
}
/**
 * Further settings of a supervisor, which are not in the specification of the `teams` door.
 */
export interface SupervisorOptions {
  /**
   * Display name: one line of 1 to 100 characters. Absent: the id of the supervisor.
   */
  name?: string;
  /**
   * Description in one line. Absent: empty.
   */
  title?: string;
  /**
   * Tools that the supervisor can call; `*` matches any text. Default: none.
   *
   * @maxItems 64
   */
  tools?: string[];
  tool_choice?: ToolChoice;
  /**
   * Call rules for tools; the first one that matches applies. Default: none.
   */
  permissions?: CallRule[];
  temperature?: Temperature;
  /**
   * Maximum number of tokens in one response. Absent: the model's limit.
   */
  max_tokens?: number;
}
/**
 * Supervisor of all nodes.
 */
export interface GlobalSupervisorDocumentInput {
  /**
   * Provider of the model, as the server's operator named it.
   */
  model_provider: string;
  /**
   * Model of that provider.
   */
  model_id: string;
  /**
   * System prompt, at most 65536 bytes.
   */
  system_prompt: string;
  coordination_strategy?: GlobalStrategy;
  options?: SupervisorOptionsInput;
}
/**
 * Further settings of a supervisor, which are not in the specification of the `teams` door.
 */
export interface SupervisorOptionsInput {
  /**
   * Display name: one line of 1 to 100 characters. Absent: the id of the supervisor.
   */
  name?: string | null;
  /**
   * Description in one line. Absent: empty.
   */
  title?: string | null;
  /**
   * Tools that the supervisor can call; `*` matches any text. Default: none.
   *
   * @maxItems 64
   */
  tools?: string[];
  tool_choice?: ToolChoice;
  /**
   * Call rules for tools; the first one that matches applies. Default: none.
   */
  permissions?: CallRuleInput[];
  /**
   * Sampling temperature, 0 to 2. Absent: the provider's default.
   */
  temperature?: Temperature | null;
  /**
   * Maximum number of tokens in one response. Absent: the model's limit.
   */
  max_tokens?: number | null;
}
/**
 * Guests of a session, who joined through a link and chose their own name. Clients mark them, because a guest can
 * choose somebody else's name.
 */
export interface GuestsResponse {
  /**
   * Ids of the guests.
   */
  guests: ParticipantId[];
}
/**
 * Result of one entry of a list.
 */
export interface ImportedPerson {
  id?: ParticipantId;
  outcome: PersonOutcome;
}
/**
 * Body of a request to join through a link.
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
 * Result of joining through a link.
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
  scope?: TokenScope;
  last_sign_in?: LastSignInResponse;
}
/**
 * Latest sign-in of a participant with a browser.
 */
export interface LastSignInResponse {
  method: SignInMethod;
  /**
   * Name of the OpenID provider of this server, for the `oidc` method.
   */
  provider?: string;
  at: Timestamp;
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
   * Maximum number of people who can join through the link. Absent if unlimited.
   */
  max_uses?: number;
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
   * Title of the session. Absent for a link with `knock` if the caller is not in the session, because only admitted
   * participants can see the title.
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
   * Maximum number of people who can join through the link, 1 to 1000. Default 1 for a role that can approve, unless
   * `knock` is set; otherwise unlimited.
   */
  max_uses?: number | null;
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
   * Number of people who can still join through the link. Absent if unlimited.
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
   * Open invitations, in order of expiry.
   */
  invites: InviteResponse[];
}
/**
 * Page of the log. The response is written from the stored JSON, which is not parsed.
 */
export interface LogResponse {
  /**
   * `event` frames, the same as on a socket, in the order of their seqs.
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
  scope?: TokenScope;
  last_sign_in?: LastSignInResponse;
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
 * Monthly quota of one participant, session or team, with the usage of this month.
 */
export interface MonthlyQuotaResponse {
  subject: QuotaSubject;
  /**
   * Id of the participant, session or stored team. For a team that is not stored, a hash of its name.
   */
  id: string;
  /**
   * Name of the participant or team. Absent for sessions and unknown teams.
   */
  name?: string;
  /**
   * Number of input and output tokens of this month, in recorded usage and in requests that were lost in a crash.
   */
  tokens: number;
  /**
   * Cost of this month, in millionths of the currency.
   */
  cost_micros: number;
  /**
   * Maximum number of tokens in a month. Absent if there is no limit.
   */
  max_tokens?: number;
  /**
   * Maximum cost in a month, in millionths of the currency. Absent if there is no limit.
   */
  max_cost_micros?: number;
}
/**
 * Usage of models in this month, with the quotas that limit it.
 */
export interface MonthlyQuotasResponse {
  renews_at: Timestamp;
  /**
   * Quotas with their usage.
   */
  quotas: MonthlyQuotaResponse[];
}
/**
 * Request for a new session. All fields are optional.
 */
export interface NewSession {
  /**
   * Name of a team that the server offers, such as `testcase-en`. If absent, `flow` and `language` decide.
   */
  team?: string | null;
  /**
   * Flow of the team, such as `react`. If `team` is absent, the default is `review`; otherwise it must be the team's
   * flow.
   */
  flow?: string | null;
  /**
   * Title of the session, at most 200 characters. If absent, the beginning of the message, or the team's title.
   */
  title?: string | null;
  /**
   * First message, which starts a run unless it is only for people. If absent, no run starts.
   */
  message?: string | null;
  /**
   * Settings of the session, such as `{"max_messages_per_run": 20}`. Absent fields have the defaults of the team's
   * flow.
   */
  settings?: {
    [k: string]: unknown;
  } | null;
  /**
   * Name of a template of rights that the server offers, such as `review`. If absent, `rights` in `settings` or the
   * server's default. Cannot be combined with `rights`.
   */
  rights_template?: string | null;
  /**
   * Language of the team if `team` is absent, `zh` or `en`. If absent, the language of the message.
   */
  language?: Language | null;
}
/**
 * A node: agents with a supervisor that work on one resource.
 */
export interface NodeDocument {
  /**
   * Id of the node, 1 to 64 of `A-Z a-z 0-9 _ . -`, unique in the team regardless of case. Example: `db-service`.
   */
  node_id: string;
  /**
   * Display name: one line of 1 to 100 characters.
   */
  node_name: string;
  /**
   * Type of the resource, 1 to 64 characters. Example: `database`.
   */
  node_type: string;
  /**
   * Data for the templates of the node's agents, as `{node.KEY}`. Null is not a value. Default: none.
   */
  attributes: {
    [k: string]: unknown;
  };
  /**
   * Agents of the node, 1 to 20.
   *
   * @minItems 1
   * @maxItems 20
   */
  agents:
    | [AgentDocument]
    | [AgentDocument, AgentDocument]
    | [AgentDocument, AgentDocument, AgentDocument]
    | [AgentDocument, AgentDocument, AgentDocument, AgentDocument]
    | [AgentDocument, AgentDocument, AgentDocument, AgentDocument, AgentDocument]
    | [AgentDocument, AgentDocument, AgentDocument, AgentDocument, AgentDocument, AgentDocument]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ]
    | [
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
        AgentDocument,
      ];
  supervisor_config: NodeSupervisorDocument;
}
/**
 * Supervisor of a node.
 */
export interface NodeSupervisorDocument {
  /**
   * Provider of the model, as the server's operator named it.
   */
  model_provider: string;
  /**
   * Model of that provider.
   */
  model_id: string;
  /**
   * System prompt, at most 65536 bytes.
   */
  system_prompt: string;
  coordination_strategy: NodeStrategy;
  options?: SupervisorOptions;
}
/**
 * A node: agents with a supervisor that work on one resource.
 */
export interface NodeDocumentInput {
  /**
   * Id of the node, 1 to 64 of `A-Z a-z 0-9 _ . -`, unique in the team regardless of case. Example: `db-service`.
   */
  node_id: string;
  /**
   * Display name: one line of 1 to 100 characters.
   */
  node_name: string;
  /**
   * Type of the resource, 1 to 64 characters. Example: `database`.
   */
  node_type: string;
  /**
   * Data for the templates of the node's agents, as `{node.KEY}`. Null is not a value. Default: none.
   */
  attributes?: {
    [k: string]: unknown;
  };
  /**
   * Agents of the node, 1 to 20.
   *
   * @minItems 1
   * @maxItems 20
   */
  agents:
    | [AgentDocumentInput]
    | [AgentDocumentInput, AgentDocumentInput]
    | [AgentDocumentInput, AgentDocumentInput, AgentDocumentInput]
    | [AgentDocumentInput, AgentDocumentInput, AgentDocumentInput, AgentDocumentInput]
    | [AgentDocumentInput, AgentDocumentInput, AgentDocumentInput, AgentDocumentInput, AgentDocumentInput]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ]
    | [
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
        AgentDocumentInput,
      ];
  supervisor_config: NodeSupervisorDocumentInput;
}
/**
 * Supervisor of a node.
 */
export interface NodeSupervisorDocumentInput {
  /**
   * Provider of the model, as the server's operator named it.
   */
  model_provider: string;
  /**
   * Model of that provider.
   */
  model_id: string;
  /**
   * System prompt, at most 65536 bytes.
   */
  system_prompt: string;
  coordination_strategy?: NodeStrategy;
  options?: SupervisorOptionsInput;
}
/**
 * Identity provider at which people sign in.
 */
export interface OidcOption {
  /**
   * Name of the provider for people, for example `Example SSO`.
   */
  label: string;
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
   * Value of `before` for the next page. Null on the last page.
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
  session_role?: Role;
  created_at: Timestamp;
  disabled_at?: Timestamp;
  last_used_at?: Timestamp;
  last_sign_in?: LastSignInResponse;
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
 * Started redaction of a participant. Their sessions are redacted one after another.
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
   * Score; higher is better. Comparable only within one response.
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
 * Body of a request that provisions people.
 */
export interface PeopleImportRequest {
  /**
   * People as they should be, at most 500. People who are not in the list stay as they are.
   *
   * @maxItems 500
   */
  people: PersonEntry[];
  /**
   * True to only check the list. Default false.
   */
  dry_run?: boolean;
}
/**
 * Person in a list.
 */
export interface PersonEntry {
  /**
   * Subject of the person at the identity provider, 1 to 255 bytes. Later lists and sign-ins recognize the person by
   * their subject.
   */
  subject: string;
  /**
   * Name of the person, 1 to 64 characters. Required for a new person. If absent, the name of an existing person
   * does not change.
   */
  name?: string | null;
  /**
   * Server role. If absent, the role of an existing person does not change, and a new person becomes a `member`.
   */
  role?: ServerRole | null;
  /**
   * False to disable the person, true to enable them again. If absent, the state of an existing person does not
   * change, and a new person is active.
   */
  active?: boolean | null;
}
/**
 * Response to a list of people.
 */
export interface PeopleImportResponse {
  /**
   * Results, in the order of the list.
   */
  people: ImportedPerson[];
}
/**
 * Person whom a reverse proxy names.
 */
export interface ProxyOption {
  /**
   * Id of the person at the proxy, for example `ann@example.org`.
   */
  user: string;
}
/**
 * Page of the list of quotas.
 */
export interface QuotaPage {
  renews_at: Timestamp;
  /**
   * Quotas of the participants, sessions or teams whose runs used models in this month, most tokens first.
   */
  quotas: MonthlyQuotaResponse[];
  /**
   * Value of `before` for the next page. Null on the last page.
   */
  next: string | null;
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
 * A team with its topology.
 */
export interface TeamResponse {
  id: TeamId;
  team_id: TeamId;
  /**
   * Name of the team.
   */
  name: string;
  /**
   * Description of the team.
   */
  description: string;
  status: TeamStatus;
  /**
   * Providers, models and tools that the team refers to and that no longer exist, at most 100. Absent if there are
   * none.
   */
  missing_references?: string[];
  created_at: Timestamp;
  updated_at: Timestamp;
  /**
   * Number of the newest version, from 1.
   */
  version: number;
  owner: TeamParticipant;
  right: TeamRight;
  /**
   * True if the caller can delete the team, switch it on or off, and share it.
   */
  manages: boolean;
  topology_summary: TopologySummary;
  topology_config: TopologyDocument;
  /**
   * Seconds after which an execution ends, unless its request sets another limit.
   */
  timeout_seconds: number;
  /**
   * Maximum number of times that the supervisor of a node with the `adaptive` strategy picks an agent.
   */
  max_iterations: number;
  language?: Language;
  /**
   * Name of the team in team files. Absent if the document has none.
   */
  slug?: string;
  /**
   * Tasks that people can choose from. Absent if there are none.
   */
  starters?: string[];
}
/**
 * Nodes of a team, their relations, and the supervisor of all of them.
 */
export interface TopologyDocument {
  /**
   * Nodes, 1 to 100.
   *
   * @minItems 1
   * @maxItems 100
   */
  nodes: [NodeDocument, ...NodeDocument[]];
  /**
   * Relations between nodes. Default: none.
   *
   * @maxItems 10000
   */
  edges: EdgeDocument[];
  global_supervisor: GlobalSupervisorDocument;
  /**
   * True to accept nodes without edges. A team of one node needs no edge. Default false.
   */
  allow_isolated_nodes?: boolean;
}
/**
 * Response to a request that only checked a document.
 */
export interface ValidTeamResponse {
  status: ValidityStatus;
  topology_summary: TopologySummary;
}
/**
 * Forecast of a rule for other sessions.
 */
export interface RuleForecastResponse {
  /**
   * Number of sessions on whose past calls the rule was tried: the 50 most recently changed other sessions with the
   * same team that the caller is in, among the 200 sessions of the caller that changed most recently.
   */
  session_count: number;
  total: ForecastCounts;
  /**
   * Sessions with at least one such call, most recently changed first.
   */
  sessions: SessionForecast[];
}
/**
 * Forecast of a rule for one session.
 */
export interface SessionForecast {
  session: SessionId;
  /**
   * Title of the session.
   */
  title: string;
  calls: ForecastCounts;
}
/**
 * Rules that the votes of a session suggest.
 */
export interface RuleSuggestionsResponse {
  /**
   * Suggestions with their forecasts, narrower ones first. The `propose_rule` command proposes one.
   */
  suggestions: RuleSuggestion[];
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
   * Id of the command. A retry with the same id takes effect only once. If absent, the server chooses one.
   */
  id?: CommandId | null;
  /**
   * Reason to record in the log.
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
  /**
   * Rights that the caller must ask the owners for: a command that needs one opens a gate. Absent if there are none.
   */
  you_can_ask?: Right[];
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
   * Role of the caller in the session. Null if the caller is not in it, for example as an administrator.
   */
  role: Role | null;
  summary: SessionSummary;
}
/**
 * Fields of a session in lists, in addition to its title.
 */
export interface SessionSummary {
  /**
   * Phase of the current or last run, for example `executing`. Absent before the first run.
   */
  phase: Phase | null;
  /**
   * Newest message as `name: text`, cut at the end of a word to about 120 characters.
   */
  line: string;
  /**
   * The open gate that has waited longest, where gates that a run or a call waits for come first. Absent if no gate
   * is open.
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
   * Names of the agents that are writing now, at most 16. Example: `["Writer"]`.
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
   * Sessions, most recently changed first. For a token that is limited to certain sessions or teams, the page leaves
   * the others out, so it can be empty although there is a next page.
   */
  sessions: SessionRow[];
  /**
   * Value of `before` for the next page. Null on the last page.
   */
  next: string | null;
}
/**
 * Sign-in methods in addition to links and tokens.
 */
export interface SignInOptions {
  oidc?: OidcOption;
  proxy?: ProxyOption;
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
/**
 * Response to a sign-out of a browser that signed in at the identity provider.
 */
export interface SignOutResponse {
  /**
   * URL at the provider that ends the sign-in there and redirects back to the sign-in page.
   */
  continue_at: string;
}
/**
 * Body of a request that switches a team on or off.
 */
export interface StatusRequest {
  status: TeamSwitch;
}
/**
 * Body of a request for structured output.
 */
export interface StructuredOutputRequest {
  /**
   * Id of the execution. If absent, the team's newest execution in which you participate. Required with an
   * `Idempotency-Key`.
   */
  execution_id?: string | null;
  /**
   * JSON Schema (2020-12) of the output, at most 65536 bytes in at most 32 levels.
   */
  output_schema: {
    [k: string]: unknown;
  };
  /**
   * True to include the text that the agent wrote. Default false.
   */
  include_raw_output?: boolean;
}
/**
 * Structured output of an execution.
 */
export interface StructuredOutputResponse {
  team_id: TeamId;
  execution_id: ExecutionId;
  execution_status: ExecutionStatus;
  /**
   * Output, which matches the schema.
   */
  structured_output: {} | unknown[] | string | number | boolean | null;
  schema_validation: SchemaValidation;
  /**
   * File with the output, in the execution's session. Null if the session had no room for it.
   */
  file: StructuredOutputVersion | null;
  /**
   * Text that the agent wrote. Present only with `include_raw_output`.
   */
  raw_output?: string;
}
/**
 * A team created from a topology: nodes with agents, their supervisors, and a global supervisor. Unknown fields are
 * rejected.
 */
export interface TeamDocument {
  topology: TopologyDocument;
  /**
   * Name of the team: one line of 1 to 200 characters.
   */
  team_name: string;
  /**
   * Description of the team, at most 2000 characters. Default: empty.
   */
  description: string;
  /**
   * Seconds after which an execution ends, unless its request says otherwise. 1 to 1800, default 300.
   */
  timeout_seconds: number;
  /**
   * Maximum number of times that the supervisor of a node with the `adaptive` strategy picks an agent. 1 to 1000,
   * default 50.
   */
  max_iterations: number;
  language?: Language;
  /**
   * Name of the team in team files, 1 to 64 letters, digits, `_`, `-` or `.`, but not that of a built-in team.
   * Absent: derived from `team_name`.
   */
  slug?: string;
  /**
   * Tasks that people can choose from, at most 6. Default: none.
   *
   * @maxItems 6
   */
  starters?:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string];
}
/**
 * A team created from a topology: nodes with agents, their supervisors, and a global supervisor. Unknown fields are
 * rejected.
 */
export interface TeamDocumentInput {
  topology: TopologyDocumentInput;
  /**
   * Name of the team: one line of 1 to 200 characters.
   */
  team_name: string;
  /**
   * Description of the team, at most 2000 characters. Default: empty.
   */
  description?: string;
  /**
   * Seconds after which an execution ends, unless its request says otherwise. 1 to 1800, default 300.
   */
  timeout_seconds?: number;
  /**
   * Maximum number of times that the supervisor of a node with the `adaptive` strategy picks an agent. 1 to 1000,
   * default 50.
   */
  max_iterations?: number;
  /**
   * Language of the server's own texts, `en` or `zh`. Absent: `zh` if the texts of the team contain Chinese
   * characters.
   */
  language?: Language | null;
  /**
   * Name of the team in team files, 1 to 64 letters, digits, `_`, `-` or `.`, but not that of a built-in team.
   * Absent: derived from `team_name`.
   */
  slug?: string | null;
  /**
   * Tasks that people can choose from, at most 6. Default: none.
   *
   * @maxItems 6
   */
  starters?:
    | []
    | [string]
    | [string, string]
    | [string, string, string]
    | [string, string, string, string]
    | [string, string, string, string, string]
    | [string, string, string, string, string, string];
}
/**
 * Nodes of a team, their relations, and the supervisor of all of them.
 */
export interface TopologyDocumentInput {
  /**
   * Nodes, 1 to 100.
   *
   * @minItems 1
   * @maxItems 100
   */
  nodes: [NodeDocumentInput, ...NodeDocumentInput[]];
  /**
   * Relations between nodes. Default: none.
   *
   * @maxItems 10000
   */
  edges?: EdgeDocumentInput[];
  global_supervisor: GlobalSupervisorDocumentInput;
  /**
   * True to accept nodes without edges. A team of one node needs no edge. Default false.
   */
  allow_isolated_nodes?: boolean;
}
/**
 * Body of an error response.
 */
export interface TeamErrorBody {
  /**
   * Always `failed`.
   */
  status: string;
  /**
   * Error code of the specification, for example `INVALID_TOPOLOGY` or `TEAM_NOT_FOUND`.
   */
  error_code: string;
  /**
   * Explanation for people: what happened, then what to do.
   */
  error_message: string;
  /**
   * Additional data. With `INVALID_TOPOLOGY`: `invalid_nodes`, `missing_references` and `errors`.
   */
  details?: {
    [k: string]: unknown;
  };
  code: Code;
  /**
   * True if the same request can succeed later.
   */
  retryable: boolean;
  execution_id?: ExecutionId;
  partial_result?: ExecutionResult;
  schema_validation?: SchemaValidation;
  /**
   * Last output that did not match the schema. Present only with `SCHEMA_GENERATION_FAILED`. A string if the output
   * contained no JSON.
   */
  partial_output?: {} | unknown[] | string | number | boolean;
}
/**
 * Page of a list of teams.
 */
export interface TeamListResponse {
  /**
   * Teams, newest first.
   */
  teams: TeamListingResponse[];
  /**
   * Number of the page, from 1.
   */
  page: number;
  /**
   * Maximum number of teams on a page.
   */
  size: number;
  /**
   * Number of teams on all pages.
   */
  total: number;
}
/**
 * A team in lists.
 */
export interface TeamListingResponse {
  id: TeamId;
  team_id: TeamId;
  /**
   * Name of the team.
   */
  name: string;
  /**
   * Description of the team.
   */
  description: string;
  status: TeamStatus;
  /**
   * Providers, models and tools that the team refers to and that no longer exist, at most 100. Absent if there are
   * none.
   */
  missing_references?: string[];
  created_at: Timestamp;
  updated_at: Timestamp;
  /**
   * Number of the newest version, from 1.
   */
  version: number;
  owner: TeamParticipant;
  right: TeamRight;
  /**
   * True if the caller can delete the team, switch it on or off, and share it.
   */
  manages: boolean;
  topology_summary: TopologySummary;
}
/**
 * JSON Schema (2020-12) of the document of a team.
 */
export interface TeamSchemaResponse {
  [k: string]: unknown;
}
/**
 * Body of a request that creates a token.
 */
export interface TokenCreateRequest {
  /**
   * Name by which you recognize the token in the list, 1 to 64 characters, for example `Release bot`.
   */
  label: string;
  scope?: TokenScopeInput;
  /**
   * Days for which the token is valid, 1 to 400. If absent, the `identity.token_days` setting applies. The new token
   * never outlives the token that you create it with.
   */
  expires_days?: number | null;
}
/**
 * Limits of a token. An absent limit means no limit. An empty list is an error.
 */
export interface TokenScopeInput {
  /**
   * Sessions that the token opens, at most 100. If sessions or teams are set, the token opens nothing else.
   *
   * @minItems 1
   * @maxItems 100
   */
  sessions?: [SessionId, ...SessionId[]];
  /**
   * Ids of stored teams that the token can execute, at most 100. The token also opens the sessions of their
   * executions.
   *
   * @minItems 1
   * @maxItems 100
   */
  teams?: [string, ...string[]];
  /**
   * Highest role that the holder has in a session. `viewer` is read-only: no commands and no other changes. With a
   * role below `member`, the token can neither change anything outside of sessions nor create sessions.
   */
  max_role?: Role | null;
  /**
   * Networks that the token is accepted from, at most 100: CIDR blocks or addresses, for example `10.0.0.0/8`.
   *
   * @minItems 1
   * @maxItems 100
   */
  networks?: [string, ...string[]];
}
/**
 * New token.
 */
export interface TokenCreatedResponse {
  /**
   * Id of the token, 12 hexadecimal digits, for example to revoke it.
   */
  id: string;
  /**
   * The token itself, `rt_token_…`. The server does not store it and never shows it again.
   */
  token: string;
  scope: TokenScope;
  expires_at: Timestamp;
}
