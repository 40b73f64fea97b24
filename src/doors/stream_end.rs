//! Reasons why a door's stream ends before its run does.

use crate::doors::wording::either;
use crate::feed::ViewerEnd;
use crate::kernel::{AttemptError, Language};
use crate::protocol::Code;

/// Reason why a stream ends before the run of its request has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// The session was closed.
    SessionClosed,
    /// The command of the request was not approved, was withdrawn, or could no longer be carried out.
    NotApproved,
    /// The server is stopping. The run continues on another node, or after a restart.
    Stopping,
    /// The credential of the caller has ended.
    CredentialEnded,
    /// The caller is no longer in the session.
    Removed,
    /// The store does not respond.
    Unavailable,
}

impl StreamEnd {
    /// Returns true if nothing more follows for the request, false if its run can continue and the caller can resume
    /// the stream.
    pub(super) fn is_final(self) -> bool {
        match self {
            Self::SessionClosed | Self::NotApproved => true,
            Self::Stopping | Self::CredentialEnded | Self::Removed | Self::Unavailable => false,
        }
    }

    /// Returns the code and the message of the end, in the language of the run.
    pub(super) fn error(self, language: Language) -> AttemptError {
        let (code, zh, en) = match self {
            Self::SessionClosed => (Code::SessionClosed.as_str(), "会话已关闭", "the session was closed"),
            Self::NotApproved => (
                "rejected",
                "该请求未获批准，或已无法执行",
                "the request was not approved, or could no longer be carried out",
            ),
            Self::Stopping => (
                Code::ShuttingDown.as_str(),
                "服务器正在停止，运行会继续；请稍后恢复该事件流",
                "the server is stopping, and the run continues later; resume the stream",
            ),
            Self::CredentialEnded => (
                Code::Unauthenticated.as_str(),
                "令牌或登录已失效，请重新登录后恢复该事件流",
                "the token or sign-in has ended; sign in again and resume the stream",
            ),
            Self::Removed => (Code::NotAMember.as_str(), "你已不在该会话中", "you are no longer in the session"),
            Self::Unavailable => (
                Code::StoreUnavailable.as_str(),
                "数据库没有响应，请稍后恢复该事件流",
                "the database does not respond; resume the stream later",
            ),
        };
        AttemptError { code: code.into(), message: either(language, zh, en).into() }
    }
}

impl From<ViewerEnd> for StreamEnd {
    fn from(end: ViewerEnd) -> Self {
        match end {
            ViewerEnd::Removed(_) => Self::Removed,
            ViewerEnd::Store(_) => Self::Unavailable,
        }
    }
}
