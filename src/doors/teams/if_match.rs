//! `If-Match`: a request changes a team only if the team still has the version that the sender has read.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use serde_json::json;

use crate::agent::teams::TeamListing;
use crate::protocol::{Code, Problem};

/// Version that a request expects (RFC 9110, section 13.1.1). `None` if the request accepts any version.
#[derive(Debug, Clone, Copy)]
pub(super) struct IfMatch(pub(super) Option<u64>);

impl IfMatch {
    /// Checks that the team has the expected version.
    ///
    /// # Errors
    /// `stale_revision` if it has a different one.
    pub(super) fn check(self, team: &TeamListing) -> Result<(), Problem> {
        match self.0 {
            Some(expected) if expected != team.version => Err(conflict(team.version)),
            Some(_) | None => Ok(()),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get(header::IF_MATCH) else { return Ok(Self(None)) };
        let text = value.to_str().unwrap_or_default().trim();
        if text == "*" {
            return Ok(Self(None));
        }
        let version = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).and_then(|text| text.parse().ok());
        version.map(|version| Self(Some(version))).ok_or_else(|| {
            let message = "If-Match is invalid; send the ETag of GET /api/v1/teams/{team}, such as \"3\" in quotes";
            Problem::new(Code::InvalidArgument, message)
        })
    }
}

/// Returns the error for a team whose version is not the expected one.
pub(super) fn conflict(current: u64) -> Problem {
    let message = format!("the team has version {current} now; read it, then repeat the request with its ETag");
    Problem::new(Code::StaleRevision, message).details(json!({ "current": { "version": current } }))
}
