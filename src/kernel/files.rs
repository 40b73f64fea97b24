//! Adding files, taking them out of the list, and bringing them back.

use std::sync::Arc;

use super::decide::Draft;
use super::{CallId, Fact, File, FileId, FileName, FileRoom, NewFile, Rejection, Right, View, calls};

/// Files that one message may bring along.
const ATTACHED: usize = 20;

/// Files of which it is said one by one why they are not kept.
const NOTES: usize = 20;

/// A person or a bot adds a file.
pub(super) fn add(draft: &mut Draft, file: &NewFile, room: FileRoom) -> Result<(), Rejection> {
    draft.require(Right::Say)?;
    keep(draft, file, room, None).map(|_| ())
}

/// The files that a call has made, and what is to be said about those that there is no room for.
pub(super) fn made(draft: &mut Draft, call: CallId, files: &[NewFile], room: FileRoom) -> (Vec<FileId>, String) {
    let (mut made, mut words, mut more) = (vec![], vec![], 0);
    for file in files {
        match keep(draft, file, room, Some(call)) {
            Ok(id) => made.push(id),
            Err(no) if words.len() < NOTES => words.push(format!("[{} is not kept: {no}]", file.name)),
            Err(_) => more += 1,
        }
    }
    if more > 0 {
        words.push(format!("[nor are {more} more]"));
    }
    (made, words.join("\n"))
}

/// The version with this content: a new one, unless the newest of this name has it already. So a file that is added twice
/// because the first answer was lost is one file.
fn keep(draft: &mut Draft, file: &NewFile, room: FileRoom, call: Option<CallId>) -> Result<FileId, Rejection> {
    let newest = draft.view().newest_version(file.name.as_str());
    if let Some(same) = newest.filter(|newest| newest.digest == file.digest && !newest.removed) {
        return Ok(same.id);
    }
    let version = newest.map_or(0, |newest| newest.version) + 1;
    room.fits(&draft.view().files, file)?;
    let id = FileId(draft.next_seq());
    let agent = call.and_then(|call| calls::agent_of(draft, call));
    let NewFile { name, media_type, bytes, digest } = file.clone();
    let name: Arc<str> = name.as_str().into();
    draft.emit(Fact::FileAdded { file: id, name, version, media_type, bytes, digest, agent, call });
    Ok(id)
}

/// `remove_file`.
pub(super) fn remove(draft: &mut Draft, name: &FileName) -> Result<(), Rejection> {
    draft.require(Right::Say)?;
    let newest = draft.view().newest_version(name.as_str()).cloned();
    let newest = newest.ok_or_else(|| Rejection::UnknownFileName(name.as_str().into()))?;
    if !newest.removed {
        draft.emit(Fact::FileRemoved { file: newest.id, name: newest.name.clone() });
    }
    Ok(())
}

/// `restore_file`: the content of an earlier version is the newest one.
pub(super) fn restore(draft: &mut Draft, id: FileId, room: FileRoom) -> Result<(), Rejection> {
    draft.require(Right::Say)?;
    let file = draft.view().file(id).filter(|file| file.redacted.is_none());
    let file = file.cloned().ok_or(Rejection::UnknownFile(id))?;
    let File { media_type, bytes, digest, .. } = File::clone(&file);
    let name = file.name.parse().unwrap_or_else(|_| FileName::near(&file.name));
    keep(draft, &NewFile { name, media_type, bytes, digest }, room, None).map(|_| ())
}

/// The files that words are to come with, each once.
pub(super) fn attached(view: &View, files: &[FileId]) -> Result<Vec<FileId>, Rejection> {
    let mut known: Vec<FileId> = vec![];
    for id in files {
        view.file(*id).filter(|file| file.redacted.is_none()).ok_or(Rejection::UnknownFile(*id))?;
        if !known.contains(id) {
            known.push(*id);
        }
    }
    if known.len() > ATTACHED {
        return Err(Rejection::Invalid(format!("a message brings {ATTACHED} files along at most").into()));
    }
    Ok(known)
}
