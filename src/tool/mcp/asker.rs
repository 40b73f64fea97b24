//! Questions that a server puts to people.

use std::sync::Arc;

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use tracing::warn;

use super::super::{Inquiry, People, Reply};
use super::under_way::Call;

/// Bytes of a question.
const QUESTION: usize = 16 * 1024;

/// Whom a server can ask.
pub(super) struct Asker {
    pub(super) server: Arc<str>,
    pub(super) people: Option<Arc<dyn People>>,
}

impl Asker {
    /// Ask the people of a call's session, until the call is over.
    pub(super) async fn ask(&self, call: &Call, asked: ElicitRequestParams) -> ElicitResult {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = asked else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let Some((people, schema)) = self.people.as_ref().zip(serde_json::to_value(requested_schema).ok()) else {
            return ElicitResult::new(ElicitationAction::Cancel);
        };
        if message.len() + schema.to_string().len() > QUESTION {
            warn!(server = &*self.server, "an MCP server asked a question that is too long to be asked");
            return ElicitResult::new(ElicitationAction::Cancel);
        }
        let question = Inquiry { from: self.server.to_string(), message, schema };
        match call.over.run_until_cancelled(people.ask(&call.place, question)).await {
            Some(Reply::Accepted(content)) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            Some(Reply::Declined) => ElicitResult::new(ElicitationAction::Decline),
            Some(Reply::Cancelled) | None => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}
