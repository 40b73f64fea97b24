//! Web tools for agents, which search the web and read the pages that a search finds.

pub(super) mod deep_search;
mod html_text;
mod page;
mod public_address;
mod search;
mod searxng;
mod settings;

use std::sync::Arc;

use super::Tool;
use crate::kernel::{first_chars, single_line};
use crate::knowledge::KnowledgeRepository;

pub use settings::WebSearchSettings;

/// Returns the enabled web tools.
pub(super) fn tools(settings: &WebSearchSettings, knowledge: Option<&KnowledgeRepository>) -> Vec<Arc<dyn Tool>> {
    let Some(url) = settings.url.as_deref() else { return vec![] };
    let service = match searxng::Searxng::new(settings, url) {
        Ok(service) => service,
        Err(reason) => {
            tracing::warn!(reason, "tool web_search not available");
            return vec![];
        }
    };
    let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(search::WebSearchTool::new(service.clone()))];
    if settings.max_pages > 0 {
        match page::PageReader::new(settings) {
            Ok(reader) => tools.push(Arc::new(deep_search::DeepSearchTool::new(service, reader, knowledge))),
            Err(reason) => tracing::warn!(reason, "tool deep_search not available"),
        }
    }
    tools
}

/// Returns external text as one line without control characters. Text of more than `max_chars` characters is cut and
/// ends with an ellipsis.
fn excerpt(text: &str, max_chars: usize) -> String {
    let line = single_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let beginning = first_chars(&line, max_chars);
    if beginning.len() < line.len() { format!("{beginning}…") } else { line }
}
