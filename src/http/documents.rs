//! Documents of a knowledge base over REST, and search in it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::auth::Signed;
use super::extract::{Parameters, Path};
use super::knowledge::{changeable, counts, readable};
use super::page;
use super::transfer::{POLICY, receive_checked};
use crate::kernel::FileName;
use crate::knowledge::{Document, Hit, Source};
use crate::node::Node;
use crate::protocol::{Code, Problem, file_name};
use crate::quotas::QuotaAmount;

/// Number of hits of a search: default and maximum.
const HITS: (usize, usize) = (10, 50);
/// Maximum number of characters of a query.
const QUERY: usize = 500;

/// Page of a list of documents.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    /// Documents, sorted by name.
    documents: Vec<Document>,
    /// Value of `after` for the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Arc<str>>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path(base): Path<String>,
    Parameters(asked): Parameters<page::Asked>,
) -> Result<Json<Listed>, Problem> {
    let limit = asked.limit(&node)?;
    let after = asked.after.as_deref().unwrap_or_default();
    if after.contains('\0') {
        return Err(page::unknown_place("after"));
    }
    let base = readable(&node, &who, &base).await?;
    let mut documents = node.knowledge.store().documents(base.id, after, limit + 1).await?;
    let next = page::last_before_more(&mut documents, limit).map(|last| last.name.clone());
    Ok(Json(Listed { documents, next }))
}

/// Adds a document, or replaces its content. The body is the content.
pub(super) async fn put(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path((base, name)): Path<(String, String)>,
    request: Request,
) -> Result<Json<Document>, Problem> {
    let name = file_name(&name)?;
    let base = changeable(&node, &who, &base).await?;
    let content = receive_checked(&node.files, who.id, request, |bytes| node.knowledge.check(bytes)).await?;
    // It counts towards the quota of the owner, also if an administrator adds it, because the owner can remove it.
    let amount = QuotaAmount::Document { base: base.id, name: name.as_str(), bytes: content.len() as u64 };
    let reserved = node.reception.quotas.reserve(base.owner, amount).await?;
    let document = node.knowledge.put(base.id, name, &content).await;
    reserved.release().await;
    Ok(Json(document?))
}

/// Responds with the content of a document.
pub(super) async fn get(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path((base, name)): Path<(String, String)>,
) -> Result<impl IntoResponse, Problem> {
    let name = file_name(&name)?;
    let base = readable(&node, &who, &base).await?;
    let content = node.knowledge.store().document_content(base.id, name.as_str()).await?;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    Ok((headers, content.ok_or_else(|| unknown(&name))?))
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path((base, name)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let name = file_name(&name)?;
    let base = changeable(&node, &who, &base).await?;
    match node.knowledge.store().remove_document(base.id, name.as_str()).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(unknown(&name)),
    }
}

/// Query of a search.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Query {
    /// Words to search for, 1 to 500 characters.
    q: String,
    /// Maximum number of hits, 1 to 50. Default 10.
    limit: Option<usize>,
}

/// Result of a search.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    /// Hits, best first.
    hits: Vec<Passage>,
}

/// Hit of a search.
#[derive(Debug, Serialize)]
struct Passage {
    /// Name of the document.
    document: Arc<str>,
    /// Number of the passage's first line, starting at 1.
    line: u32,
    /// Text of the passage.
    text: Arc<str>,
    /// Score. A higher one is better; comparable only within one response.
    score: f64,
}

pub(super) async fn search(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path(base): Path<String>,
    Parameters(asked): Parameters<Query>,
) -> Result<Json<Found>, Problem> {
    let refused = |words: String| Err(Problem::new(Code::InvalidArgument, words));
    if asked.q.trim().is_empty() || asked.q.chars().count() > QUERY {
        return refused(format!("q must have 1 to {QUERY} characters"));
    }
    let limit = asked.limit.unwrap_or(HITS.0);
    if !(1..=HITS.1).contains(&limit) {
        return refused(format!("limit must be from 1 to {}", HITS.1));
    }
    counts(&node, &who).await?;
    let base = readable(&node, &who, &base).await?;
    let hits = node.knowledge.search_base(base.id, &asked.q, limit).await?;
    Ok(Json(Found { hits: hits.into_iter().filter_map(passage).collect() }))
}

fn passage(Hit { found, score }: Hit) -> Option<Passage> {
    let Source::Document { name, .. } = found.source else { return None };
    Some(Passage { document: name, line: found.line, text: found.words, score })
}

fn unknown(name: &FileName) -> Problem {
    Problem::new(Code::UnknownDocument, format!("the knowledge base has no document {name}; list them again"))
}
