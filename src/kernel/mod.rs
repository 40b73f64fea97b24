//! The pure heart: what may happen in a session, decided without I/O, clocks or chance.
//!
//! `decide` turns a command into facts or a rejection, `evolve` folds a fact into the state, `effects` names the work
//! that the shell owes because of a fact. Everything else here is a noun that one of the three needs.

mod actor;
mod answer;
mod approval;
mod ask;
mod attribution;
pub mod call;
mod calls;
mod code;
mod command;
mod control;
mod decide;
mod driver;
mod effect;
mod eraser;
mod event;
mod evolve;
pub mod exact;
pub mod expansion;
mod fact;
pub mod file;
mod files;
pub mod flow;
pub mod gate;
mod ids;
mod inbox;
pub mod inner;
mod inquiry;
pub mod judgement;
mod knock;
mod lookalike;
pub mod mention;
mod message;
mod people;
pub mod plan;
mod reason;
mod recover;
mod redaction;
mod rejection;
mod role;
pub mod rule;
mod run;
mod say;
pub mod schema;
mod settings;
pub mod shape;
mod state;
mod task;
mod team;
mod time;
mod turn;
mod view;
mod vote;
mod work;

pub use actor::{Actor, ActorKind};
pub use command::{Brought, By, Command, Envelope, Judged, Unfinished, Usage, Wanted};
pub use control::ControlVerb;
pub use decide::{Decision, decide};
pub use effect::{Effect, effects, outstanding};
pub use eraser::Eraser;
pub use event::{Cause, Event};
pub use evolve::evolve;
pub use fact::Fact;
pub use file::{File, FileName, FileNameError, FileRoom, NewFile};
pub use ids::{
    AgentId, CallId, CommandId, FileId, GateId, IdError, MessageId, ParticipantId, RunId, SessionId, StepId,
};
pub use inbox::Queued;
pub use inquiry::{Inquiry, Reply};
pub use knock::Knock;
pub use lookalike::Skeleton;
pub use message::{Message, Mode, Target, Unresolved};
pub use reason::{AbortReason, FinishReason, LeaveReason, StepError};
pub use redaction::{REDACTED, Redaction, RedactionTarget};
pub use rejection::Rejection;
pub use role::{Right, Role};
pub use rule::CallRule;
pub use run::{Control, Item, Phase, Rejected, Round, Run};
pub use settings::Settings;
pub use state::{Snapshot, State};
pub use task::{Assignment, Done, Task};
pub use team::{Agent, AgentRole, FixedStep, Language, Team, ToolChoice};
pub use time::Timestamp;
pub use view::{Member, UsageTotals, View};
