//! Files of sessions: what is in them, beside the log that says what there is.

mod kind;
mod settings;
mod shelf;

pub(crate) use kind::media_type;
pub use settings::FileSettings;
pub use shelf::{Files, TooLarge, describe};
