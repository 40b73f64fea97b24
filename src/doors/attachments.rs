//! Files of doors. Clients upload them first, and then name them by their ids in a request.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{Extensions, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::caller::caller;
use super::error::DetailError;
use crate::files::Upload;
use crate::files::new_file;
use crate::http::{QueryParameters, receive};
use crate::identity::Participant;
use crate::kernel::{FileId, Rejection, SessionId, first_chars};
use crate::node::Node;
use crate::protocol::{Code, Problem, file_name};

/// Query parameters of an upload. Unknown ones are rejected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UploadParameters {
    /// File name, such as `users.csv`.
    name: String,
}

/// Response to an upload. The server deletes the file after `files.upload_retention_hours` hours, 24 by default.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UploadResponse {
    /// Id of the upload, such as `f_0b7c…`, for `file_ids` in a request.
    file_id: String,
    /// File name, such as `users.csv`.
    name: Arc<str>,
    /// Media type, such as `text/csv`.
    media_type: Arc<str>,
    /// Size in bytes.
    bytes: u64,
}

/// `POST /api/v1/uploads?name=`: stores the body as a file.
pub(super) async fn upload(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    parameters: Result<QueryParameters<UploadParameters>, Problem>,
    request: Request,
) -> Result<(StatusCode, Json<UploadResponse>), DetailError> {
    let who = caller(&node, &extensions, "uploads").await?;
    let named = parameters?.0;
    node.dispatcher.limits.join(&who)?;
    let name = file_name(&named.name)?;
    let content = receive(&node.files, who.id, request).await?;
    let file = new_file(name, &content);
    let upload = Upload { id: Uuid::now_v7(), owner: who.id, name: file.name.as_str().into() };
    let max_uploads = node.files.settings().max_uploads_per_participant;
    node.files.contents().add_upload(&upload, &file.digest, &content, max_uploads).await.map_err(Problem::from)?;
    let file_id = format!("f_{}", upload.id.simple());
    let brought = UploadResponse { file_id, name: upload.name, media_type: file.media_type, bytes: file.bytes };
    Ok((StatusCode::CREATED, Json(brought)))
}

/// A file of a request: an upload, a file of the session, or a file in the request itself.
#[derive(Debug, Clone)]
pub(super) enum Attachment {
    Upload(Upload),
    Known(FileId),
    Inline(InlineFile),
}

/// A file in the request itself.
#[derive(Debug, Clone)]
pub(super) struct InlineFile {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

fn unknown_file(id: &str) -> Problem {
    let id = first_chars(id, 100);
    let message = format!("you have no file {id}; upload it to /api/v1/uploads and send its file_id");
    Problem::new(Code::UnknownFile, message).details(json!({ "file": id }))
}

/// Returns the files with these ids, from uploads and from the session, if there is one. Called before a session or run
/// starts, so that an invalid id has no effect.
pub(super) async fn find_attachments(
    node: &Node,
    who: &Participant,
    session: Option<SessionId>,
    ids: &[String],
) -> Result<Vec<Attachment>, Problem> {
    if let (Some(session), false) = (session, ids.is_empty()) {
        node.access.role(who, session).await?;
    }
    let mut found = vec![];
    for id in ids {
        if let (Ok(file), Some(session)) = (id.parse::<FileId>(), session) {
            let state = node.session_registry.state(session).await?;
            state.view().file(file).ok_or_else(|| unknown_file(id))?;
            found.push(Attachment::Known(file));
            continue;
        }
        let hex = id.strip_prefix("f_").filter(|hex| hex.len() == 32);
        let upload = hex.and_then(|hex| Uuid::try_parse(hex).ok()).ok_or_else(|| unknown_file(id))?;
        let upload = node.files.contents().upload(upload).await?.ok_or_else(|| unknown_file(id))?;
        // Only the owner can use an upload, even if others know its id.
        let own = Some(upload).filter(|upload| upload.owner == who.id);
        found.push(Attachment::Upload(own.ok_or_else(|| unknown_file(id))?));
    }
    Ok(found)
}

/// Adds the files to the session, so that they can be attached to a message.
pub(super) async fn attach(
    node: &Node,
    who: &Participant,
    session: SessionId,
    files: &[Attachment],
) -> Result<Vec<FileId>, Problem> {
    let mut attached = vec![];
    for file in files {
        match file {
            Attachment::Known(id) => attached.push(*id),
            Attachment::Inline(InlineFile { name, content }) => {
                attached.push(add(node, who, session, name, content).await?)
            }
            Attachment::Upload(upload) => {
                let content = node.files.contents().upload_content(upload.id).await?;
                let content = content.ok_or_else(|| unknown_file(&format!("f_{}", upload.id.simple())))?;
                attached.push(add(node, who, session, &upload.name, &content).await?);
                // Otherwise, the uploads of tasks in progress would still count toward the limit. Guests from one
                // address share a participant, so they would displace each other's uploads.
                node.files.contents().take_upload(upload, node.files.settings().max_uploads_per_participant).await?;
            }
        }
    }
    Ok(attached)
}

async fn add(
    node: &Node,
    who: &Participant,
    session: SessionId,
    name: &str,
    content: &[u8],
) -> Result<FileId, Problem> {
    let file = new_file(file_name(name)?, content);
    node.add_file(who, session, None, &file, content).await?;
    let state = node.session_registry.state(session).await?;
    let versions = state.view().files.iter().rev();
    let mut same = versions.filter(|known| *known.name == *file.name.as_str() && known.digest == file.digest);
    Ok(same.next().map(|file| file.id).ok_or_else(|| Rejection::UnknownFileName(name.into()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_is_never_taken_for_a_file_of_the_session() {
        let upload = format!("f_{}", Uuid::from_u128(u128::MAX / 3).simple());
        assert!(upload.parse::<FileId>().is_err());
        assert!("f_99999999999999999999999999999999".parse::<FileId>().is_err());
    }
}
