//! How a connection begins.

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;

/// The protocol changed how a client introduces itself. Some servers that know only the older way cannot say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greeting {
    /// Ask what the server speaks, and do as it says.
    Newest,
    /// Say hello as before.
    Older,
}

impl Greeting {
    /// What to try after this one failed.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Newest => Self::Older,
            Self::Older => Self::Newest,
        }
    }

    pub(super) fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Newest => {
                ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::LATEST], legacy_version: None }
            }
            Self::Older => ClientLifecycleMode::Initialize,
        }
    }
}
