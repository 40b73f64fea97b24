//! The pure heart: what may happen in a session, decided without I/O, clocks or chance.
//!
//! `decide` turns a command into facts or a rejection, `evolve` folds a fact into the state, `effects` names the work
//! that the shell owes because of a fact. Everything else here is a noun that one of the three needs.

mod actor;
mod approval;
mod command;
mod control;
mod decide;
mod driver;
mod effect;
mod event;
mod evolve;
pub mod flow;
pub mod gate;
mod ids;
mod inbox;
pub mod mention;
mod message;
mod people;
mod rejection;
mod role;
mod run;
mod say;
mod settings;
mod state;
mod team;
mod time;
mod turn;
mod view;
mod vote;

pub use actor::{Actor, ActorKind};
pub use command::{By, Command, Envelope, Unfinished, Usage};
pub use decide::{Decision, decide};
pub use effect::{Effect, effects};
pub use event::{AbortReason, Cause, ControlVerb, Event, Fact, FinishReason, LeaveReason, StepError};
pub use evolve::evolve;
pub use ids::{AgentId, CallId, CommandId, GateId, IdError, MessageId, ParticipantId, RunId, SessionId, StepId};
pub use inbox::Queued;
pub use message::{Message, Mode, Target, Unresolved};
pub use rejection::Rejection;
pub use role::{Right, Role};
pub use run::{Control, Item, Phase, Round, Run};
pub use settings::Settings;
pub use state::{Snapshot, State};
pub use team::{Agent, AgentRole, Language, Team};
pub use time::Timestamp;
pub use view::{Member, UsageTotals, View};
