//! Handshakes that start a connection.

use rmcp::model::ProtocolVersion;
use rmcp::service::ClientLifecycleMode;

/// Handshake of the client. The protocol has changed its handshake, and some servers that support only the older one
/// cannot report this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handshake {
    /// Newest handshake: ask the server for its versions.
    Newest,
    /// Older handshake: `initialize`.
    Older,
}

impl Handshake {
    /// Returns the handshake to try after this one failed.
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
