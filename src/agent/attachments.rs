//! Files that came with people's words, as a model is shown them: pictures as pictures, texts as texts, others by name.

use std::sync::Arc;

use super::envelope::Line;
use super::{Envelope, Failure, IMAGES_BYTES, Image, Message, Transcript, TurnRequest};
use crate::files::Files;
use crate::kernel::{CallRule, File, Item, Language, SessionId, View};
use crate::tool::Guard;

/// Pictures that one turn shows, the newest: they are sent again with every turn.
const PICTURES: usize = 8;
/// Files that a list has, the newest.
const LISTED: usize = 50;

/// The files that came with what people said in the run that this item belongs to, each once, in their order.
pub fn attached(view: &View, item: &Item) -> Vec<Arc<File>> {
    let Some(run) = view.active_run().filter(|run| run.item(item.message).is_some()) else { return vec![] };
    let said = view.heard.iter().filter(|message| message.id == run.input || message.run == Some(run.id));
    let waits = |id| view.inbox.iter().any(|queued| queued.message == id);
    let mut files: Vec<Arc<File>> = vec![];
    for id in said.filter(|message| !waits(message.id)).flat_map(|message| &message.files) {
        if let Some(file) = view.file(*id).filter(|file| !files.iter().any(|known| known.id == file.id)) {
            files.push(file.clone());
        }
    }
    files
}

/// The request with these files in it.
///
/// # Errors
/// Where they cannot be read now.
pub async fn show(
    mut request: TurnRequest,
    files: &Files,
    session: SessionId,
    attached: &[Arc<File>],
    language: Language,
) -> Result<TurnRequest, Failure> {
    let (mut shown, mut images) = (vec![], vec![]);
    let (mut room, mut bytes) = (files.settings().prompt_bytes, 0);
    // The newest first, where there is not room for all.
    for file in attached.iter().rev() {
        let is_there = file.redacted.is_none();
        let picture =
            is_there && file.is_image() && images.len() < PICTURES && bytes + file.bytes <= IMAGES_BYTES as u64;
        let mut text = None;
        if picture || (is_there && file.is_text() && room > 0) {
            let silent = |_| Failure::unavailable("the store does not answer, and the files cannot be read");
            let content = files.content(session, file).await.map_err(silent)?;
            if !picture {
                text = Some(String::from_utf8_lossy(&content).replace('\0', "\u{fffd}"));
            } else if let Ok(image) = Image::new(&content) {
                bytes += file.bytes;
                images.push(image);
            }
        }
        let file = envelope(file, text.as_deref()).cut(room);
        room = room.saturating_sub(file.quoted_bytes());
        shown.push(file);
    }
    shown.reverse();
    images.reverse();
    let words =
        request.messages.iter_mut().find(|message| matches!(message, Message::User(_) | Message::Transcript(_)));
    if let (Some(words), false) = (words, attached.is_empty()) {
        let mut transcript = match words {
            Message::Transcript(transcript) => std::mem::take(transcript),
            Message::User(words) => Transcript { language, present: vec![words.clone()], ..Transcript::default() },
            _ => Transcript::default(),
        };
        transcript.present.splice(..0, shown);
        transcript.images = images;
        *words = Message::Transcript(transcript);
    }
    Ok(request)
}

/// A file, with what is in it where that is text.
pub(super) fn envelope(file: &File, text: Option<&str>) -> Envelope {
    let header = described(Line::new("[file"), file).author(&file.by).words("]");
    if file.redacted.is_some() {
        return Envelope::server(described(Line::new("[file"), file).author(&file.by).words(" redacted]"));
    }
    match text {
        Some(text) => Envelope::quoted(header, text.trim_end_matches('\n')),
        None => Envelope::server(header),
    }
}

/// The newest files of a session, a line each, as far as an agent with these rules may know of them.
pub(super) fn list(view: &View, rules: &[CallRule]) -> Envelope {
    let guard = Guard::unasked(rules);
    let (hidden, files): (Vec<&Arc<File>>, Vec<_>) =
        view.current_files().partition(|file| guard.hides_file(&file.name));
    let newest = &files[files.len().saturating_sub(LISTED)..];
    let header = Line::new(if files.is_empty() { "[files: none]" } else { "[files]" });
    let listed = newest.iter().fold(header, |line, file| described(line.words("\n-"), file));
    Envelope::server(match hidden.len() {
        0 => listed,
        hidden => listed.words("\n[files that the rules leave out: ").number(hidden as u64).words("]"),
    })
}

/// A file as a line of a list, with its author.
pub(crate) fn listed(file: &File) -> String {
    described(Line::new("-"), file).author(&file.by).into_text()
}

fn described(line: Line, file: &File) -> Line {
    let line = line.words(" name=").quoted(&file.name).words(" version=").number(u64::from(file.version));
    line.words(" bytes=").number(file.bytes).words(" type=").quoted(&file.media_type)
}
