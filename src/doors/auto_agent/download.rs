//! `GET /AutoAgent/files/{session}/{name}`: a file that a run has made, for whoever the door lets in, its guest too.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::DOOR;
use crate::doors::caller::caller;
use crate::doors::detail::Detail;
use crate::http::{self, Parameters, Path, WantedFile};
use crate::identity::Participant;
use crate::node::Node;

pub(super) async fn download(
    State(node): State<Arc<Node>>,
    who: Option<Extension<Participant>>,
    Path((session, name)): Path<(String, String)>,
    Parameters(wanted): Parameters<WantedFile>,
    headers: HeaderMap,
) -> Result<Response, Detail> {
    let who = caller(&node, who, DOOR).await?;
    Ok(http::download(&node, &who, (&session, &name), &wanted, &headers).await?)
}
