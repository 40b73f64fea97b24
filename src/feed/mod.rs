//! A session's recent frames on this node, encoded once as the exact bytes that are written to sockets. A viewer is a
//! cursor into them. Joining, live viewing, falling behind, reconnecting and catching up are one mechanism, and no
//! viewer has a queue.

mod cursor;
mod delivery;
mod deltas;
#[allow(clippy::module_inception)]
mod feed;
mod fold;
mod follow;
pub mod frame;
mod json_viewer;
mod page_cache;
mod position_check;
mod presence;
mod reconcile;
mod registry;
mod replay;
mod restore;
mod ring;
mod running_messages;
mod settings;
mod snapshot;
mod starting_point;
mod viewer;
mod watchers;

pub use cursor::{Cursor, FrameSpan};
pub use delivery::{DirectWrite, DirectWriter};
pub use feed::{Feed, OwnershipGuard};
pub use json_viewer::JsonViewer;
pub use registry::FeedRegistry;
pub use settings::FeedSettings;
pub use viewer::{LiveCopy, Viewer, ViewerEnd};

use cursor::CopyOutcome;
use page_cache::FramePage;
use starting_point::StartingPoint;
