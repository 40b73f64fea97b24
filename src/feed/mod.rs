//! A session's recent frames on this node, encoded once as the exact bytes that go on the socket. A viewer is a cursor
//! in them. Joining, live viewing, falling behind, reconnecting and catching up are one mechanism, and no viewer has a
//! queue.

mod bounds;
mod cursor;
#[allow(clippy::module_inception)]
mod feed;
mod fold;
mod follow;
pub mod frame;
mod items;
mod look;
mod pages;
mod position;
mod presence;
mod registry;
mod replay;
mod ring;
mod start;
mod watch;
mod watchers;

pub use bounds::FeedBounds;
pub use cursor::{Copied, Cursor};
pub use feed::{Feed, Owned};
pub use pages::Page;
pub use registry::Feeds;
pub use replay::{Replay, Step};
pub use start::Start;
pub use watch::Watch;
