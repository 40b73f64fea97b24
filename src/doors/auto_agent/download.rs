//! `GET /AutoAgent/files/{session}/{name}`: downloads a file of a run. Guests of the door have access too.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{Extensions, HeaderMap};
use axum::response::Response;

use super::DOOR;
use crate::doors::caller::caller;
use crate::doors::error::DetailError;
use crate::http::{self, FileDownloadParameters, PathParameters, QueryParameters};
use crate::kernel::Rejection;
use crate::node::Node;

pub(super) async fn download(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    PathParameters((session, name)): PathParameters<(String, String)>,
    QueryParameters(parameters): QueryParameters<FileDownloadParameters>,
    headers: HeaderMap,
) -> Result<Response, DetailError> {
    let who = caller(&node, &extensions, DOOR).await?;
    let session = session.parse().map_err(|_| Rejection::UnknownSession)?;
    node.access.role(&who, session).await?;
    Ok(http::download(&node, session, &name, &parameters, &headers).await?)
}
