//! Commands about files: add, remove and restore.

use std::sync::Arc;

use crate::draft::Draft;
use crate::{
    AgentId, CallId, Fact, File, FileId, FileLimits, FileName, MessageId, NewFile, Rejection, StructuredOutputFile,
    View, call,
};

/// Maximum number of files in one message.
const MAX_ATTACHED_FILES: usize = 20;

/// Maximum number of files that the note about a call lists individually if they were not stored.
const MAX_LISTED_FILES: usize = 20;

/// Adds a participant's file.
pub(crate) fn add(draft: &mut Draft, file: &NewFile, limits: FileLimits) -> Result<(), Rejection> {
    add_version(draft, file, limits, None).map(|_| ())
}

/// Adds a file with the structured output that a message contains. If there is no room for the file, the output is only
/// in the log. Each output has a version of its own, even if the content is the same, so that redacting one output
/// keeps the others.
pub(crate) fn add_written(draft: &mut Draft, agent: &AgentId, message: MessageId, output: &StructuredOutputFile) {
    let StructuredOutputFile { file, limits } = output;
    if limits.fits(&draft.view().files, file).is_ok() {
        emit_version(draft, file, Some(agent.clone()), None, Some(message));
    }
}

/// Adds the files that a call made. Returns their ids, and a note for the agent about files that did not fit.
pub(crate) fn add_made(
    draft: &mut Draft,
    call: CallId,
    files: &[NewFile],
    limits: FileLimits,
) -> (Vec<FileId>, String) {
    let (mut made, mut notes, mut more) = (vec![], vec![], 0);
    for file in files {
        match add_version(draft, file, limits, Some(call)) {
            Ok(id) => made.push(id),
            Err(no) if notes.len() < MAX_LISTED_FILES => notes.push(format!("[{} was not stored: {no}]", file.name)),
            Err(_) => more += 1,
        }
    }
    if more > 0 {
        notes.push(format!("[nor are {more} more]"));
    }
    (made, notes.join("\n"))
}

/// Adds a version of a file, unless the newest version with this name has the same content, so that a file that is
/// resent after a lost response is added only once. Returns the id of the version with the content.
fn add_version(
    draft: &mut Draft,
    file: &NewFile,
    limits: FileLimits,
    call: Option<CallId>,
) -> Result<FileId, Rejection> {
    let newest = draft.view().newest_version(file.name.as_str());
    if let Some(same) = newest.filter(|newest| newest.digest == file.digest && !newest.removed) {
        return Ok(same.id);
    }
    limits.fits(&draft.view().files, file)?;
    let agent = call.and_then(|call| call::lifecycle::agent_of(draft, call));
    Ok(emit_version(draft, file, agent, call, None))
}

/// Records the next version of a file. Returns its id.
fn emit_version(
    draft: &mut Draft,
    file: &NewFile,
    agent: Option<AgentId>,
    call: Option<CallId>,
    message: Option<MessageId>,
) -> FileId {
    let version = draft.view().newest_version(file.name.as_str()).map_or(0, |newest| newest.version) + 1;
    let id = FileId(draft.next_seq());
    let NewFile { name, media_type, bytes, digest } = file.clone();
    let name: Arc<str> = name.as_str().into();
    draft.emit(Fact::FileAdded { file: id, name, version, media_type, bytes, digest, agent, call, message });
    id
}

/// Applies the `remove_file` command.
pub(crate) fn remove(draft: &mut Draft, name: &FileName) -> Result<(), Rejection> {
    let newest = draft.view().newest_version(name.as_str()).cloned();
    let newest = newest.ok_or_else(|| Rejection::UnknownFileName(name.as_str().into()))?;
    if !newest.removed {
        draft.emit(Fact::FileRemoved { file: newest.id, name: newest.name.clone() });
    }
    Ok(())
}

/// Applies the `restore_file` command: the content of an earlier version becomes the newest version.
pub(crate) fn restore(draft: &mut Draft, id: FileId, limits: FileLimits) -> Result<(), Rejection> {
    let file = draft.view().file(id).filter(|file| file.redacted.is_none());
    let file = file.cloned().ok_or(Rejection::UnknownFile(id))?;
    let File { media_type, bytes, digest, .. } = File::clone(&file);
    let name = file.name.parse().unwrap_or_else(|_| FileName::near(&file.name));
    add_version(draft, &NewFile { name, media_type, bytes, digest }, limits, None).map(|_| ())
}

/// Returns the files of a message, without duplicates, after checking that they exist.
pub(crate) fn attached_files(view: &View, files: &[FileId]) -> Result<Vec<FileId>, Rejection> {
    let mut known: Vec<FileId> = vec![];
    for id in files {
        view.file(*id).filter(|file| file.redacted.is_none()).ok_or(Rejection::UnknownFile(*id))?;
        if !known.contains(id) {
            known.push(*id);
        }
    }
    if known.len() > MAX_ATTACHED_FILES {
        return Err(Rejection::Invalid(
            format!("too many files in one message; send at most {MAX_ATTACHED_FILES}").into(),
        ));
    }
    Ok(known)
}
