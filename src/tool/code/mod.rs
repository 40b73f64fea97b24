//! Tools for the code bases that an operator configures and participants give to sessions: list, read, search. They
//! never write.
//!
//! All three use one tree with the code bases as top folders: `server/src/main.rs` is `src/main.rs` in the `server`
//! code base.

mod access;
mod base_settings;
mod bases;
mod folder;
mod gitignore;
pub(super) mod glob;
mod hits;
mod limited_reader;
mod list;
mod pattern;
mod read;
mod search;
mod settings;
mod walk;
mod worker_thread;

use std::sync::Arc;

use super::Tool;

pub use access::CodeAccess;
pub use base_settings::{CodeBaseSettings, CodeReaderRole, CodeReaderSettings};
pub use settings::CodeSettings;

/// Returns the tools, or none if no code base is configured.
pub(super) fn tools(settings: &CodeSettings) -> Vec<Arc<dyn Tool>> {
    if settings.bases.is_empty() {
        return vec![];
    }
    for (name, base) in settings.bases.iter().filter(|(_, base)| !base.path.is_dir()) {
        tracing::warn!(%name, folder = %base.path.display(), "the path of a code base is not a folder; agents cannot read it");
    }
    let bases = bases::CodeBases::new(settings);
    vec![
        Arc::new(list::CodeListTool::new(bases.clone())),
        Arc::new(read::CodeReadTool::new(bases.clone())),
        Arc::new(search::CodeSearchTool::new(bases)),
    ]
}
