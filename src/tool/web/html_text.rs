//! Text of a web page.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// Text of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PageText {
    /// Title of the page; empty if it has none.
    pub(super) title: String,
    /// Text of the page, block by block.
    pub(super) text: String,
}

/// Returns the text of an HTML page without navigation, scripts and forms. Reads tokens and builds no tree, because
/// libraries that lay out pages need a minute for half a megabyte of nested lists.
pub(super) fn page_text(html: &str) -> PageText {
    let sink = PageTextSink::default();
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    // A sink without scripts never pauses the tokenizer, so it reads all input at once.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let state = tokenizer.sink.state.into_inner();
    PageText { title: collapse_whitespace(&state.title).replace('\n', " "), text: collapse_whitespace(&state.text) }
}

#[derive(Default)]
struct PageTextSink {
    state: RefCell<PageTextState>,
}

#[derive(Default)]
struct PageTextState {
    title: String,
    text: String,
    in_title: bool,
    /// Names of the open elements whose text is skipped.
    skipped: Vec<String>,
}

impl TokenSink for PageTextSink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut state = self.state.borrow_mut();
        match token {
            Token::CharacterTokens(text) => state.text(&text),
            Token::TagToken(tag) => return state.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl PageTextState {
    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        } else if self.skipped.is_empty() {
            self.text.push_str(text);
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        let opens = tag.kind == TagKind::StartTag && !tag.self_closing;
        if name == "title" && self.title.is_empty() | !opens {
            self.in_title = opens;
        }
        if is_skipped(name) {
            match self.skipped.iter().rposition(|open| open == name) {
                Some(at) if !opens => self.skipped.truncate(at),
                // Do not push an element that is already open: a page that opens it repeatedly would grow the list.
                None if opens => self.skipped.push(name.to_owned()),
                _ => {}
            }
        }
        if self.skipped.is_empty() {
            match name {
                "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if opens => self.text.push_str("\n\n# "),
                "li" if opens => self.text.push_str("\n- "),
                "td" | "th" => self.text.push_str(" | "),
                name if is_block(name) => self.text.push_str("\n\n"),
                "br" | "tr" => self.text.push('\n'),
                _ => {}
            }
        }
        match name {
            "title" | "textarea" if opens => TokenSinkResult::RawData(RawKind::Rcdata),
            "style" | "noframes" | "iframe" | "noscript" if opens => TokenSinkResult::RawData(RawKind::Rawtext),
            "script" if opens => TokenSinkResult::RawData(RawKind::ScriptData),
            _ => TokenSinkResult::Continue,
        }
    }
}

fn is_skipped(name: &str) -> bool {
    const SKIPPED: [&str; 16] = [
        "script", "style", "noscript", "noframes", "iframe", "template", "svg", "math", "nav", "footer", "aside",
        "form", "button", "select", "textarea", "dialog",
    ];
    SKIPPED.contains(&name)
}

fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 18] = [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "table",
        "pre",
        "blockquote",
        "dl",
    ];
    BLOCKS.contains(&name)
}

/// Normalizes whitespace: one space between words, one empty line between blocks.
fn collapse_whitespace(text: &str) -> String {
    let (mut tidy, mut empty) = (String::with_capacity(text.len() / 2), 0);
    for line in text.lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().all(|letter| "|-# ".contains(letter)) {
            empty += 1;
            continue;
        }
        if !tidy.is_empty() {
            tidy.push_str(if empty > 0 { "\n\n" } else { "\n" });
        }
        (empty, tidy) = (0, tidy + &line);
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_page_is_kept_without_its_navigation() {
        let page = "<!doctype html><head><title>Refunds &amp; fees\n</title><style>p { color: red }</style></head>\
                    <body><nav><a href=/>Home</a><ul><li>Menu</ul></nav><script>if (1 < 2) alert('<p>no</p>')</script>\
                    <h2>Rules</h2><p>Within <b>30</b>\n days.<br>Later: no.</p><ul><li>card<li>cash</ul>\
                    <table><tr><th>a<th>b<tr><td>1<td>2</table><svg><text>logo</text></svg><footer>© us</footer>\
                    <form><textarea>x</textarea></form><p>End";
        let text = page_text(page);
        assert_eq!(text.title, "Refunds & fees");
        let expected = "# Rules\n\nWithin 30\ndays.\nLater: no.\n\n- card\n- cash\n\n| a | b\n| 1 | 2\n\nEnd";
        assert_eq!(text.text, expected);
    }

    #[test]
    fn a_page_is_read_whatever_it_is() {
        for html in ["", "<", "plain", "<nav>never closed", "<title>", "</nav></nav>ok", "\u{0}<p\u{0}>"] {
            page_text(html);
        }
        let nested = |tag: &str| tag.repeat(512 * 1024 / tag.len());
        for tag in
            ["<div>", "<ul><li>", "<b>", "<table><tr><td>", "<nav>", "</nav><nav>", "<svg><nav>", "<!--", "<a b="]
        {
            page_text(&nested(tag));
        }
        assert_eq!(page_text("</nav></nav>ok").text, "ok");
    }
}
