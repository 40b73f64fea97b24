//! Contents of session files. The log records which files exist, and their contents are stored outside the log.

mod line;
mod media_type;
mod repository;
mod settings;
mod store;

pub(crate) use media_type::media_type;
pub use repository::{ContentTooLargeError, FileRepository, new_file};
pub use settings::FileSettings;
pub use store::{ContentStore, Upload};
