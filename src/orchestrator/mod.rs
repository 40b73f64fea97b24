//! One task per live session: the only writer of its log.

mod registry;

pub use registry::Orchestrators;
