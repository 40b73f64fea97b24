//! Documents of a knowledge base over REST, and search in it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::extract::{PathParameters, QueryParameters};
use super::file_transfer::{FILE_CSP_VALUE, receive_checked};
use super::knowledge::{changeable, check_rate, readable};
use super::pagination;
use crate::kernel::{FileName, MAX_QUERY_CHARS, is_query};
use crate::knowledge::{Document, PassageHit, PassageSource};
use crate::node::Node;
use crate::protocol::{Code, Problem, file_name};
use crate::quotas::QuotaAmount;

/// Default number of hits of a search, and its maximum.
const HIT_LIMITS: (usize, usize) = (10, 50);

/// Page of a list of documents.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DocumentsResponse {
    /// Documents, sorted by name.
    documents: Vec<Document>,
    /// Value of `after` for the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Arc<str>>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters(base): PathParameters<String>,
    QueryParameters(parameters): QueryParameters<pagination::PageParameters>,
) -> Result<Json<DocumentsResponse>, Problem> {
    let limit = parameters.limit(&node)?;
    let after = parameters.after.as_deref().unwrap_or_default();
    if after.contains('\0') {
        return Err(pagination::unknown_position("after"));
    }
    let base = readable(&node, &who, &base).await?;
    let mut documents = node.knowledge.store().documents(base.id, after, limit + 1).await?;
    let next = pagination::truncate_page(&mut documents, limit).map(|last| last.name.clone());
    Ok(Json(DocumentsResponse { documents, next }))
}

/// Adds a document, or replaces its content. The body is the content.
pub(super) async fn put(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters((base, name)): PathParameters<(String, String)>,
    request: Request,
) -> Result<Json<Document>, Problem> {
    let name = file_name(&name)?;
    let base = changeable(&node, &who, &base).await?;
    let content = receive_checked(&node.files, who.id, request, |bytes| node.knowledge.check(bytes)).await?;
    // The document counts toward the quota of the base's owner, even if an administrator adds it, because the owner can
    // remove it.
    let amount = QuotaAmount::Document { base: base.id, name: name.as_str(), bytes: content.len() as u64 };
    let reserved = node.dispatcher.quotas.reserve(base.owner, amount).await?;
    let document = node.knowledge.put(base.id, name, &content).await;
    reserved.release().await;
    Ok(Json(document?))
}

/// Responds with the content of a document.
pub(super) async fn get(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters((base, name)): PathParameters<(String, String)>,
) -> Result<impl IntoResponse, Problem> {
    let name = file_name(&name)?;
    let base = readable(&node, &who, &base).await?;
    let content = node.knowledge.store().document_content(base.id, name.as_str()).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, FILE_CSP_VALUE),
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    Ok((headers, content.ok_or_else(|| unknown_document(&name))?))
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters((base, name)): PathParameters<(String, String)>,
) -> Result<StatusCode, Problem> {
    let name = file_name(&name)?;
    let base = changeable(&node, &who, &base).await?;
    match node.knowledge.store().remove_document(base.id, name.as_str()).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(unknown_document(&name)),
    }
}

/// Query of a search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PassageSearchRequest {
    /// Words to search for, 1 to 500 characters.
    q: String,
    /// Maximum number of hits, 1 to 50. Default 10.
    limit: Option<usize>,
}

/// Result of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PassageSearchResponse {
    /// Hits, best first.
    hits: Vec<PassageResponse>,
}

/// Hit of a search.
#[derive(Debug, Serialize, JsonSchema)]
struct PassageResponse {
    /// Name of the document.
    document: Arc<str>,
    /// Number of the passage's first line, starting at 1.
    line: u32,
    /// Text of the passage.
    text: Arc<str>,
    /// Score; higher is better. Comparable only within one response.
    score: f64,
}

pub(super) async fn search(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters(base): PathParameters<String>,
    QueryParameters(parameters): QueryParameters<PassageSearchRequest>,
) -> Result<Json<PassageSearchResponse>, Problem> {
    let refused = |message: String| Err(Problem::new(Code::InvalidArgument, message));
    if !is_query(&parameters.q) {
        return refused(format!("q must have 1 to {MAX_QUERY_CHARS} characters"));
    }
    let limit = parameters.limit.unwrap_or(HIT_LIMITS.0);
    if !(1..=HIT_LIMITS.1).contains(&limit) {
        return refused(format!("limit must be from 1 to {}", HIT_LIMITS.1));
    }
    check_rate(&node, &who).await?;
    let base = readable(&node, &who, &base).await?;
    let hits = node.knowledge.search_base(base.id, &parameters.q, limit).await?;
    Ok(Json(PassageSearchResponse { hits: hits.into_iter().filter_map(passage).collect() }))
}

fn passage(PassageHit { found, score }: PassageHit) -> Option<PassageResponse> {
    let PassageSource::Document { name, .. } = found.source else { return None };
    Some(PassageResponse { document: name, line: found.line, text: found.text, score })
}

fn unknown_document(name: &FileName) -> Problem {
    Problem::new(Code::UnknownDocument, format!("the knowledge base has no document {name}; list them again"))
}
