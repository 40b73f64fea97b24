//! Pure core of the program: the rules of a session, decided without I/O, clock or randomness.
//!
//! `decide` turns a command into facts or a rejection. `evolve` folds a fact into the state. `effects` derives the work
//! that the orchestrator must do because of a fact. All other modules here define the types and rules that these three
//! functions need.
//!
//! Matches on enums list every variant: a catch-all arm would silently ignore or misattribute a new one.

#![warn(clippy::wildcard_enum_match_arm)]

mod budget;
pub mod call;
mod command;
mod decide;
mod draft;
mod driver;
mod effect;
mod event;
mod evolve;
pub mod file;
pub mod flow;
pub mod gate;
mod ids;
mod message;
mod participant;
pub mod plan;
mod redaction;
mod run;
pub mod schema;
mod session;
mod snapshot;
mod state;
mod team;
mod text;
mod timestamp;
mod view;

pub use budget::{Budget, QUOTA_EXCEEDED, TurnBound, proposed_model};
pub use call::guard::CallGuard;
pub use call::inquiry::{Inquiry, InquiryReply};
pub use call::memory::{CallAnswer, CallMemory};
pub use call::rule::CallRule;
pub use call::{kernel_tools, rule as call_rule};
pub use command::rejection::Rejection;
pub use command::report::{CallCheck, CallOutput, PartialMessage, ProposedCall, StructuredOutputFile, Usage};
pub use command::{Command, CommandKind, CommandRight, CommandSender, Envelope};
pub use decide::{CommandOutcome, decide, decide_barring};
pub use effect::{Effect, effects, outstanding};
pub use event::actor::{Actor, ActorKind};
pub use event::fact::Fact;
pub use event::log_change::{LogChange, MemberChange, MessageChange};
pub use event::{Cause, Event};
pub use evolve::evolve;
pub use file::{File, FileLimits, FileName, FileNameError, NewFile};
pub use ids::{
    AgentId, CallId, CommandId, FileId, GateId, IdError, MessageId, ParticipantId, PermissionId, RunId, SessionId,
    StepId,
};
pub use message::inbox::QueuedMessage;
pub use message::mention;
pub use message::relay::{PriorMessage, RelayRole};
pub use message::request::MessageRequest;
pub use message::{Message, Mode, Target, UnresolvedMention};
pub use participant::LeaveReason;
pub use participant::knock::Knock;
pub use participant::lookalike::Skeleton;
pub use participant::right::{Right, RightAccess, RightRule};
pub use participant::role::Role;
pub use plan::planner_decision;
pub use redaction::eraser::Eraser;
pub use redaction::{REDACTED, Redaction, RedactionTarget};
pub use run::control::ControlVerb;
pub use run::lost_requests::{RequestKey, ReservedRequest, SentRequests};
pub use run::node_activity::{NodeActivity, NodeEvent, NodeEvents};
pub use run::output_shape;
pub use run::reason::{AbortReason, AttemptError, FinishReason};
pub use run::task::{Assignment, Task, TaskFailure, TaskResult};
pub use run::{Control, Delegation, Phase, RejectedOutput, Round, Run, RunningMessage};
pub use schema::{strict_json, strict_types};
pub use session::learning::{LearningMode, LearningSettings};
pub use session::settings::Settings;
pub use session::title::{TitleRequest, title_of};
pub use snapshot::Snapshot;
pub use state::State;
pub use team::temperature::Temperature;
pub use team::{Agent, AgentRole, FixedStep, Language, Team, TeamOrigin, ToolChoice};
pub use team::{template, topology};
pub use text::check::{MAX_QUERY_CHARS, is_label, is_query, is_within_chars};
pub use text::invisible_chars::{is_blank, is_default_ignorable, is_hidden};
pub use text::single_line::single_line;
pub(crate) use text::truncate::truncate_shared;
pub use text::truncate::{both_ends, first_bytes, first_chars, last_bytes, truncate_middle};
pub use timestamp::Timestamp;
pub use view::{Member, UsageTotals, View};
