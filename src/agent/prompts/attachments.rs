//! Files attached to people's messages, as a model receives them: pictures as images, text files inline, and all other
//! files by name.

use std::sync::Arc;

use super::envelope::ServerLine;
use crate::agent::{Image, MAX_TOTAL_IMAGE_BYTES, ModelMessage, PromptBlock, Transcript, TurnError, TurnRequest};
use crate::files::FileRepository;
use crate::kernel::CallGuard;
use crate::kernel::{CallRule, File, Language, RunningMessage, SessionId, View};

/// Maximum number of pictures in one turn; the newest are sent. Every turn sends them again.
const MAX_IMAGES_PER_TURN: usize = 8;
/// Maximum number of files in the list of a session's files; the newest are listed.
const MAX_LISTED_FILES: usize = 50;

/// Returns the files that are attached to people's messages in the run of a running message, in order and without
/// duplicates.
pub fn attached_files(view: &View, running: &RunningMessage) -> Vec<Arc<File>> {
    let Some(run) = view.active_run().filter(|run| run.running_message(running.message).is_some()) else {
        return vec![];
    };
    let messages = view.model_messages.iter().filter(|message| message.id == run.input || message.run == Some(run.id));
    let waits = |id| view.inbox.iter().any(|queued| queued.message == id);
    let mut files: Vec<Arc<File>> = vec![];
    for id in messages.filter(|message| !waits(message.id)).flat_map(|message| &message.files) {
        if let Some(file) = view.file(*id).filter(|file| !files.iter().any(|known| known.id == file.id)) {
            files.push(file.clone());
        }
    }
    files
}

/// Adds the `attached` files to the request.
///
/// # Errors
/// Fails if the store currently cannot read the files.
pub async fn add_files(
    mut request: TurnRequest,
    files: &FileRepository,
    session: SessionId,
    attached: &[Arc<File>],
    language: Language,
) -> Result<TurnRequest, TurnError> {
    let (mut shown, mut images) = (vec![], vec![]);
    let (mut room, mut bytes) = (files.settings().max_prompt_bytes, 0);
    // Newest first: if there is no room for all files, the oldest are left out.
    for file in attached.iter().rev() {
        let is_there = file.redacted.is_none();
        let picture = is_there
            && file.is_image()
            && images.len() < MAX_IMAGES_PER_TURN
            && bytes + file.bytes <= MAX_TOTAL_IMAGE_BYTES as u64;
        let mut text = None;
        if picture || (is_there && file.is_text() && room > 0) {
            let silent = |error| {
                TurnError::unavailable("the store does not respond, so the attached files cannot be read")
                    .caused_by(error)
            };
            let content = files.content(session, file).await.map_err(silent)?;
            if !picture {
                text = Some(String::from_utf8_lossy(&content).replace('\0', "\u{fffd}"));
            } else if let Ok(image) = Image::new(&content) {
                bytes += file.bytes;
                images.push(image);
            }
        }
        let file = file_block(file, text.as_deref()).cut(room);
        room = room.saturating_sub(file.quoted_bytes());
        shown.push(file);
    }
    shown.reverse();
    images.reverse();
    let request_message = request
        .messages
        .iter_mut()
        .find(|message| matches!(message, ModelMessage::User(_) | ModelMessage::Transcript(_)));
    if let (Some(request_message), false) = (request_message, attached.is_empty()) {
        let mut transcript = match request_message {
            ModelMessage::Transcript(transcript) => std::mem::take(transcript),
            ModelMessage::User(block) => Transcript { language, present: vec![block.clone()], ..Transcript::default() },
            _ => Transcript::default(),
        };
        transcript.present.splice(..0, shown);
        transcript.images = images;
        *request_message = ModelMessage::Transcript(transcript);
    }
    Ok(request)
}

/// Returns the envelope of a file, with its content if `text` is given.
pub(super) fn file_block(file: &File, text: Option<&str>) -> PromptBlock {
    let header = with_file_fields(ServerLine::new("[file"), file).author(&file.by).push("]");
    if file.redacted.is_some() {
        return PromptBlock::server(
            with_file_fields(ServerLine::new("[file"), file).author(&file.by).push(" redacted]"),
        );
    }
    match text {
        Some(text) => PromptBlock::quoted(header, text.trim_end_matches('\n')),
        None => PromptBlock::server(header),
    }
}

/// Lists the newest files of a session, one per line, except the files that the agent's call rules hide.
pub(super) fn file_list(view: &View, rules: &[CallRule]) -> PromptBlock {
    let guard = CallGuard::unasked(rules);
    let (hidden, files): (Vec<&Arc<File>>, Vec<_>) =
        view.current_files().partition(|file| guard.hides_file_name(&file.name));
    let newest = &files[files.len().saturating_sub(MAX_LISTED_FILES)..];
    let header = ServerLine::new(if files.is_empty() { "[files: none]" } else { "[files]" });
    let listed = newest.iter().fold(header, |line, file| with_file_fields(line.push("\n-"), file));
    PromptBlock::server(match hidden.len() {
        0 => listed,
        hidden => listed.push("\n[files that the rules leave out: ").number(hidden as u64).push("]"),
    })
}

/// Returns the line that lists a file, with its author.
pub(crate) fn file_list_line(file: &File) -> String {
    with_file_fields(ServerLine::new("-"), file).author(&file.by).into_text()
}

fn with_file_fields(line: ServerLine, file: &File) -> ServerLine {
    let line = line.push(" name=").quoted(&file.name).push(" version=").number(u64::from(file.version));
    line.push(" bytes=").number(file.bytes).push(" type=").quoted(&file.media_type)
}
