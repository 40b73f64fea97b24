//! Request bodies that contain a document. They can be larger than other bodies.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header;
use tokio::sync::oneshot;

use super::error::invalid_topology;
use super::prepared_team::PreparedTeam;
use crate::agent::teams::topology::{
    ReferenceCatalog, TeamDocument, TopologyReport, read_document, read_team_file, read_valid_document,
};
use crate::http::read_up_to;
use crate::kernel::strict_json;
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentFormat {
    /// JSON, as in the specification.
    Json,
    /// A team file.
    Toml,
}

impl DocumentFormat {
    /// Returns TOML if the content type names it, otherwise JSON, because scripts often omit the content type.
    pub(super) fn of(request: &Request) -> Self {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_toml = kind.is_some_and(|kind| kind.split(';').next().is_some_and(|kind| kind.trim().ends_with("toml")));
        if is_toml { Self::Toml } else { Self::Json }
    }
}

/// Reads the body of a request as a document, and checks it.
///
/// # Errors
/// `invalid_topology` with all errors in the document.
pub(super) async fn read(node: &Arc<Node>, request: Request, format: DocumentFormat) -> Result<PreparedTeam, Problem> {
    let bytes = read_up_to(node, request, node.config.teams.max_body_bytes, "teams.max_body_bytes").await?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::new(Code::BadFrame, "the body is not UTF-8; encode it as UTF-8"))?;
    let catalog = node.references();
    // Checking megabytes would block the executor for too long.
    let (sender, prepared) = oneshot::channel();
    tokio::task::spawn_blocking(move || match parse(&text, format, &catalog) {
        // Sent before the document is dropped, which takes a while for thousands of agents.
        Ok(document) => _ = sender.send(PreparedTeam::new(&document)),
        Err(problem) => _ = sender.send(Err(problem)),
    });
    prepared.await.map_err(Problem::internal)?
}

fn parse(text: &str, format: DocumentFormat, catalog: &ReferenceCatalog) -> Result<TeamDocument, Problem> {
    let report: TopologyReport = match format {
        DocumentFormat::Toml => match read_team_file(text, catalog) {
            Ok(document) => return Ok(document),
            Err(report) => report,
        },
        DocumentFormat::Json => {
            if let Some(document) = read_valid_document(text, catalog) {
                return Ok(document);
            }
            let value = strict_json::parse(text).map_err(|message| {
                let hint = "; send a team file to POST /api/v1/teams/import, with the content type application/toml";
                let hint = if text.trim_start().starts_with(['{', '"']) { "" } else { hint };
                Problem::new(Code::BadFrame, format!("the body is not valid JSON: {message}{hint}"))
            })?;
            if !value.is_object() {
                let message = "the body is not an object; send the document of a team, {…}";
                return Err(Problem::new(Code::InvalidArgument, message));
            }
            match read_document(&value, catalog) {
                Ok(document) => return Ok(document),
                Err(report) => report,
            }
        }
    };
    Err(invalid_topology(&report))
}
