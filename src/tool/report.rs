//! `report`: writes a report as Markdown and as a web page that is safe to open.

use async_trait::async_trait;
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CallContext, Output, OutputFile, SideEffect, Tool, ToolError, ToolSpec, arguments};
use crate::kernel::{FileName, first_chars};

/// Maximum number of bytes in a title, and maximum number in a report. Rendering a report of this size blocks a thread
/// of the server for about 0.1 s at worst.
const MAX_BYTES: (usize, usize) = (300, 256 * 1024);

/// Maximum number of characters of the title in file names.
const MAX_FILE_NAME_CHARS: usize = 40;

/// Arguments of `report`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReportArguments {
    /// Subject of the report, in one line.
    title: String,
    /// The report as Markdown, without the title.
    markdown: String,
}

/// A finished report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedReport {
    /// The report as Markdown, with its title as a heading.
    pub markdown: String,
    /// The report as a complete HTML page that loads nothing and runs nothing.
    pub html: String,
}

/// The `report` tool.
pub(super) struct ReportTool {
    spec: ToolSpec,
}

impl ReportTool {
    pub(super) fn new() -> Self {
        let description = "Writes a report for people. Takes Markdown (with tables, task lists and footnotes, but no HTML) and saves \
                     it as a Markdown file and a web page, named after the title, in the session's files.";
        let spec = ToolSpec::reading("report", description, arguments::schema::<ReportArguments>()).returning([]);
        Self { spec: ToolSpec { effect: SideEffect::Session, ..spec } }
    }
}

#[async_trait]
impl Tool for ReportTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let ReportArguments { title, markdown } = arguments::read(arguments)?;
        if title.len() > MAX_BYTES.0 || markdown.len() > MAX_BYTES.1 {
            let message =
                format!("the report is too large; use at most {} bytes of title, {} of text", MAX_BYTES.0, MAX_BYTES.1);
            return Err(ToolError::new("too_large", message));
        }
        let RenderedReport { markdown, html } = render_report(&title, &markdown);
        let name = FileName::near(first_chars(&title, MAX_FILE_NAME_CHARS));
        let text = format!("created {name}.md and {name}.html in the session's files");
        let files = vec![
            OutputFile { name: format!("{name}.md"), content: markdown.into() },
            OutputFile { name: format!("{name}.html"), content: html.into() },
        ];
        Ok(Output { text, files })
    }
}

/// Renders a report as Markdown and as HTML.
pub fn render_report(title: &str, markdown: &str) -> RenderedReport {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut escaped = String::new();
    html::push_html(&mut escaped, std::iter::once(Event::Text(title.as_str().into())));
    let body = render(markdown);
    let html = format!(
        "<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{escaped}</title>\n\
         <style>body{{max-width:50rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}}\
         table{{border-collapse:collapse}}td,th{{border:1px solid #999;padding:.2rem .6rem}}\
         pre{{overflow:auto}}img{{max-width:100%}}</style>\n\
         </head>\n<body>\n<h1>{escaped}</h1>\n{body}</body>\n</html>\n"
    );
    RenderedReport { markdown: format!("# {title}\n\n{}\n", markdown.trim()), html }
}

/// Renders Markdown as HTML that is safe by construction: the renderer writes every tag, HTML in the Markdown becomes
/// text, and only a few kinds of URLs are kept.
pub fn render(markdown: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut html = String::new();
    html::push_html(&mut html, Parser::new_ext(markdown, options).map(sanitize));
    html
}

fn sanitize(event: Event<'_>) -> Event<'_> {
    match event {
        // Models have no other way to write a line break in a table cell.
        Event::InlineHtml(tag) if matches!(&*tag, "<br>" | "<br/>" | "<br />") => Event::HardBreak,
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        // An HTML block has no text itself: its content follows as separate events and becomes a paragraph.
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) if link_type != LinkType::Email => {
            Event::Start(Tag::Link { link_type, dest_url: allow_address(dest_url, is_safe_link), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: allow_address(dest_url, is_embedded_image), title, id })
        }
        other => other,
    }
}

fn allow_address(address: CowStr<'_>, fits: impl Fn(&str) -> bool) -> CowStr<'_> {
    if fits(&address.to_ascii_lowercase()) { address } else { CowStr::Borrowed("") }
}

/// Returns whether a URL leads to the web, a mailbox or a part of the page.
fn is_safe_link(address: &str) -> bool {
    ["https://", "http://", "mailto:", "#"].iter().any(|start| address.starts_with(start))
}

/// Returns whether a URL is an embedded picture. Loading any other picture would tell its server who reads the page,
/// and could leak data in the URL.
fn is_embedded_image(address: &str) -> bool {
    ["png", "jpeg", "gif", "webp"].iter().any(|kind| address.starts_with(&format!("data:image/{kind};base64,")))
}
