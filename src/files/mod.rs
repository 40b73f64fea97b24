//! Contents of session files. The log records which files exist; their contents are stored next to it.

mod kind;
mod settings;
mod shelf;

pub(crate) use kind::media_type;
pub use settings::FileSettings;
pub use shelf::{Files, TooLarge, describe};
