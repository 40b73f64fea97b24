//! Session files over REST.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commands::Ack;
use super::extract::{PathParameters, QueryParameters};
use super::file_transfer::{file_response, receive};
use super::session_access::SessionAccess;
use crate::files::new_file;
use crate::identity::Participant;
use crate::kernel::{Command, CommandId, File, NewFile, Rejection, Right, Role, SessionId};
use crate::node::Node;
use crate::protocol::{Code, Problem, file_name};
use crate::quotas::QuotaAmount;

/// Query of a list of files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FileListParameters {
    /// True to include older versions and removed files. Default false.
    #[serde(default)]
    all: bool,
}

/// List of files.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FilesResponse {
    /// Files, oldest first.
    files: Vec<Arc<File>>,
}

/// Lists the current files and, with `all`, also older versions and removed files.
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
    QueryParameters(parameters): QueryParameters<FileListParameters>,
) -> Result<Json<FilesResponse>, Problem> {
    let state = node.session_registry.state(session).await?;
    let view = state.view();
    let files = if parameters.all { view.files.clone() } else { view.current_files().cloned().collect() };
    Ok(Json(FilesResponse { files }))
}

/// Query of a request that changes a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FileCommandParameters {
    /// Id of the command. A retry with the same id takes effect only once. If absent, the server chooses one.
    id: Option<CommandId>,
}

/// Result of an upload.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FilePutResponse {
    /// Seq of the event that added the file.
    seq: u64,
    /// Version with this content.
    file: Arc<File>,
}

/// Adds a file, or a new version of one. The body is its content.
pub(super) async fn put(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, role }: SessionAccess,
    PathParameters((_, name)): PathParameters<(String, String)>,
    QueryParameters(named): QueryParameters<FileCommandParameters>,
    request: Request,
) -> Result<Json<FilePutResponse>, Problem> {
    let name = file_name(&name)?;
    may_add(&node, session, role).await?;
    let content = receive(&node.files, who.id, request).await?;
    let file = new_file(name, &content);
    let seq = node.add_file(&who, session, named.id, &file, &content).await?;
    let state = node.session_registry.state(session).await?;
    let versions = state.view().files.iter().rev();
    let mut same = versions.filter(|known| *known.name == *file.name.as_str() && known.digest == file.digest);
    let file = same.next().cloned().ok_or_else(|| {
        // The log has no such version, so the response belongs to another command with this id.
        Problem::new(Code::InvalidArgument, "this id was used for another command; choose a new one")
    })?;
    Ok(Json(FilePutResponse { seq, file }))
}

/// Checks the right to add files, before the content is received.
async fn may_add(node: &Node, session: SessionId, role: Role) -> Result<(), Problem> {
    if node.session_registry.state(session).await?.view().settings.may(role, Right::Say) {
        return Ok(());
    }
    let message = "your role does not allow you to add files; ask an owner for another role".into();
    Err(Rejection::Forbidden { right: Right::Say, message }.into())
}

impl Node {
    /// Stores the content of a file, then records the file. Returns the seq of its event, which is durable.
    pub(crate) async fn add_file(
        &self,
        who: &Participant,
        session: SessionId,
        id: Option<CommandId>,
        file: &NewFile,
        content: &[u8],
    ) -> Result<u64, Problem> {
        let command = Command::AddFile { file: file.clone(), limits: self.files.limits() };
        // All checks come before the content is stored, because rejected content would remain in the store until the
        // next sweep.
        self.dispatcher.count(who, &command).await?;
        let state = self.session_registry.state(session).await?;
        if state.view().closed {
            return Err(Rejection::SessionClosed.into());
        }
        let newest = state.view().newest_version(file.name.as_str());
        if newest.is_none_or(|newest| newest.digest != file.digest) {
            self.files.limits().fits(&state.view().files, file)?;
        }
        let quotas = &self.dispatcher.quotas;
        let amount = QuotaAmount::File { session, digest: &file.digest, bytes: file.bytes };
        let reserved = quotas.reserve(who.id, amount).await?;
        self.files.put(session, file, content).await?;
        quotas.charge_file(who.id, session, &file.digest).await?;
        reserved.release().await;
        self.dispatcher.submit_counted(who, session, id, command).await
    }
}

/// Query of a download.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileDownloadParameters {
    /// Version of the file, for example 2. If absent, the newest version.
    version: Option<u32>,
    /// True to display the content in the browser if its type is harmless. Default false, for a download.
    #[serde(default)]
    preview: bool,
}

/// Responds with the content of a file.
pub(super) async fn get(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
    PathParameters((_, name)): PathParameters<(String, String)>,
    QueryParameters(parameters): QueryParameters<FileDownloadParameters>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    download(&node, session, &name, &parameters, &headers).await
}

/// Responds with the content of a file, for a caller whose access is already checked.
pub(crate) async fn download(
    node: &Node,
    session: SessionId,
    name: &str,
    parameters: &FileDownloadParameters,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let name = file_name(name)?;
    let state = node.session_registry.state(session).await?;
    let newest = state.view().newest_version(name.as_str());
    let file = match (newest, parameters.version) {
        (Some(newest), Some(version)) => {
            let of_name = |file: &&Arc<File>| *file.name == *name.as_str() && file.version == version;
            Some(state.view().files.iter().find(of_name).ok_or_else(|| no_version(newest, version))?)
        }
        (newest, _) => newest.filter(|file| file.is_there()),
    };
    let file = file.ok_or_else(|| Problem::from(Rejection::UnknownFileName(name.as_str().into())))?;
    if file.redacted.is_some() {
        let message = format!("version {} of {} was redacted and has no content", file.version, file.name);
        return Err(Problem::new(Code::UnknownFile, message));
    }
    file_response(&node.files, session, file, parameters.preview, headers)
}

fn no_version(newest: &File, version: u32) -> Problem {
    let File { name, version: last, .. } = newest;
    let message = format!("{name} has no version {version}; use 1 to {last}, or no version for the newest");
    Problem::new(Code::UnknownFile, message)
}

/// Removes a file from the list.
pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, .. }: SessionAccess,
    PathParameters((_, name)): PathParameters<(String, String)>,
    QueryParameters(named): QueryParameters<FileCommandParameters>,
) -> Result<Json<Ack>, Problem> {
    let command = Command::RemoveFile { name: file_name(&name)? };
    node.dispatcher.count(&who, &command).await?;
    let id = named.id.map_or_else(crate::dispatch::fresh_id, Ok)?;
    let seq = node.dispatcher.submit_counted(&who, session, Some(id.clone()), command).await?;
    Ok(Json(Ack { id, seq }))
}
