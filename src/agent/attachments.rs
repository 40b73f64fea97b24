//! Files that came with people's words, as a model is shown them: pictures as pictures, texts as texts, others by name.

use std::sync::Arc;

use super::{Failure, IMAGES_BYTES, Image, Message, Transcript, TurnRequest, wording::Wording};
use crate::files::Files;
use crate::kernel::{File, Item, Language, SessionId, View};
use crate::tool::cut;

/// Pictures that one turn shows, the newest: they are sent again with every turn.
const PICTURES: usize = 8;

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
    let wording = Wording::of(language);
    let (mut texts, mut images) = (vec![], vec![]);
    let (mut room, mut bytes) = (files.settings().prompt_bytes, 0);
    // The newest first, where there is not room for all.
    for file in attached.iter().rev() {
        let mut text = wording.file(file);
        let picture = file.is_image() && images.len() < PICTURES && bytes + file.bytes <= IMAGES_BYTES as u64;
        if picture || (file.is_text() && room > 0) {
            let silent = |_| Failure::unavailable("the store does not answer, and the files cannot be read");
            let content = files.content(session, file).await.map_err(silent)?;
            if !picture {
                let content = cut(&String::from_utf8_lossy(&content), room);
                room = room.saturating_sub(content.len());
                let fence = fence(&content);
                text = format!("{text}\n{fence}\n{}\n{fence}", content.trim_end_matches('\n'));
            } else if let Ok(image) = Image::new(&content) {
                bytes += file.bytes;
                images.push(image);
            }
        }
        texts.push(text.into());
    }
    texts.reverse();
    images.reverse();
    let words =
        request.messages.iter_mut().find(|message| matches!(message, Message::User(_) | Message::Transcript(_)));
    if let (Some(words), false) = (words, attached.is_empty()) {
        let mut transcript = match words {
            Message::Transcript(transcript) => std::mem::take(transcript),
            Message::User(text) => Transcript { language, present: vec![text.clone()], ..Transcript::default() },
            _ => Transcript::default(),
        };
        transcript.present.splice(..0, texts);
        transcript.images = images;
        *words = Message::Transcript(transcript);
    }
    Ok(request)
}

/// A fence that the content does not end.
pub(crate) fn fence(content: &str) -> String {
    let longest = content.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
