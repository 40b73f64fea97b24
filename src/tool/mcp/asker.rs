//! Questions that a server puts to people.

use std::sync::Arc;

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use tracing::warn;

use super::under_way::Call;
use crate::kernel::{Inquiry, Reply, schema};

/// Bytes of a question.
const QUESTION: usize = 16 * 1024;

/// Asks in a server's name.
pub(super) struct Asker {
    pub(super) server: Arc<str>,
}

impl Asker {
    /// Ask the people of a call's session, until the call is over.
    pub(super) async fn ask(&self, call: &Call, asked: ElicitRequestParams) -> ElicitResult {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = asked else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let Ok(schema) = serde_json::to_value(requested_schema) else {
            return ElicitResult::new(ElicitationAction::Cancel);
        };
        if message.len() + schema.to_string().len() > QUESTION {
            warn!(server = &*self.server, "an MCP server asked a question that is too long to be asked");
            return ElicitResult::new(ElicitationAction::Cancel);
        }
        if schema::check_form(&schema).is_err() {
            warn!(server = &*self.server, "an MCP server asked for an answer that nobody could give");
            return ElicitResult::new(ElicitationAction::Cancel);
        }
        let question = Inquiry { from: self.server.clone(), message: message.replace('\0', "\u{fffd}").into(), schema };
        match call.over.run_until_cancelled(call.place.people.ask(question)).await {
            Some(Reply::Accepted(content)) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            Some(Reply::Declined) => ElicitResult::new(ElicitationAction::Decline),
            Some(Reply::Cancelled) | None => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}
