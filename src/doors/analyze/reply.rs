//! `POST /api/v1/analyze/reply`: answers a question. Works on any node and after a restart.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::Extensions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::DOOR;
use super::question_id::QuestionId;
use crate::doors::caller::caller;
use crate::doors::error::DetailError;
use crate::http::JsonBody;
use crate::kernel::{Command, SessionId};
use crate::node::Node;

/// Body of `POST /api/v1/analyze/reply`. Unknown fields are rejected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnalyzeReplyRequest {
    /// Id of the question, from the `user_input_request` event, such as `req_…`.
    request_id: String,
    /// Answer: a string, or a JSON value that the question's schema accepts. Also accepted as `user_reply`.
    #[serde(alias = "user_reply")]
    reply: Value,
}

/// Confirmation of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnalyzeReplyResponse {
    /// Always `ok`.
    status: &'static str,
    /// Id of the question.
    request_id: String,
    /// Session of the analysis.
    session: SessionId,
}

pub(super) async fn reply(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    request: Request,
) -> Result<Json<AnalyzeReplyResponse>, DetailError> {
    let who = caller(&node, &extensions, DOOR).await?;
    let JsonBody(AnalyzeReplyRequest { request_id, reply }) =
        JsonBody::<AnalyzeReplyRequest>::from_request(request, &node).await?;
    let QuestionId { session, gate } = request_id.parse()?;
    node.access.role(&who, session).await?;
    let text: Arc<str> = reply.as_str().map_or_else(|| reply.to_string().into(), Arc::from);
    node.check_text(&text)?;
    node.dispatcher.command(&who, session, Command::Answer { rev: None, gate, text }).await?;
    Ok(Json(AnalyzeReplyResponse { status: "ok", request_id, session }))
}
