//! Chain of causes of an error, as one log field without secrets.

use std::error::Error;
use std::sync::Arc;

/// Cause that an error type keeps for the operator. Participants never see it.
pub type ErrorSource = Arc<dyn Error + Send + Sync>;

/// Maximum number of causes that are logged, deepest first.
const MAX_CAUSES: usize = 8;
/// Maximum number of bytes of one cause.
const MAX_CAUSE_BYTES: usize = 200;
/// Maximum number of causes that are searched for the deepest one.
const MAX_DEPTH: usize = 32;

/// Returns the causes of an error, without the error itself: the deepest one first, then what it led to, as in
/// `Connection refused (os error 111) <- tcp connect error`. Returns `None` if the error has no cause. URLs, queries
/// and credentials are left out.
pub fn error_causes(error: &dyn Error) -> Option<String> {
    let chain = std::iter::successors(error.source(), |cause| (*cause).source());
    let mut causes: Vec<String> = vec![];
    for text in chain.take(MAX_DEPTH).map(|cause| clean(&cause.to_string())).filter(|text| !text.is_empty()) {
        // Many types repeat the text of their cause in their own text. Only the part before it is new.
        if let Some(outer) = causes.last_mut()
            && let Some(part) = outer.strip_suffix(&text)
        {
            let part = part.trim_end_matches([':', ' ']).len();
            outer.truncate(part);
        }
        causes.push(text);
    }
    causes.retain(|text| !text.is_empty());
    causes.reverse();
    causes.truncate(MAX_CAUSES);
    (!causes.is_empty()).then(|| causes.join(" <- "))
}

/// Returns the text as one line of limited length, without URLs, queries and credentials.
fn clean(text: &str) -> String {
    let mut words: Vec<String> = vec![];
    let mut is_credential = false;
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()).filter(|word| !word.is_empty())
    {
        let hidden = std::mem::replace(&mut is_credential, is_auth_scheme(word));
        words.push(if hidden { "<hidden>".into() } else { hide_address(word) });
    }
    let mut line = words.join(" ");
    line.truncate(line.floor_char_boundary(MAX_CAUSE_BYTES));
    line
}

/// Returns whether a credential follows this word, as in `Bearer abc`.
fn is_auth_scheme(word: &str) -> bool {
    let name = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
    ["bearer", "basic", "authorization", "x-api-key"].iter().any(|scheme| name.eq_ignore_ascii_case(scheme))
}

/// Returns a word with its URL or its query replaced by a placeholder. Returns any other word unchanged.
fn hide_address(word: &str) -> String {
    let (before, after) = match (word.find("://"), word.find('?')) {
        (Some(at), _) => {
            let is_scheme = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.');
            (word[..at].trim_end_matches(is_scheme), "<url>")
        }
        (None, Some(at)) if word[at..].contains('=') => (&word[..at], "?<hidden>"),
        (None, _) => return word.to_owned(),
    };
    let end = &word[word.trim_end_matches([')', ']', '>', '"', '\'', ':', ',']).len()..];
    format!("{before}{after}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: String,
        source: Option<Box<Link>>,
    }

    /// Creates an error whose causes have these messages, the outermost first.
    fn chain(texts: &[&str]) -> Link {
        let link = |source, text: &&str| Some(Box::new(Link { text: (*text).to_owned(), source }));
        Link { text: "the error".into(), source: texts.iter().rev().fold(None, link) }
    }

    #[test]
    fn the_deepest_cause_is_first_and_none_is_repeated() {
        let causes = |texts: &[&str]| error_causes(&chain(texts));
        assert_eq!(causes(&[]), None);
        assert_eq!(causes(&["a", "b", "c"]).as_deref(), Some("c <- b <- a"));
        assert_eq!(causes(&["store: disk: full", "disk: full", "full"]).as_deref(), Some("full <- disk <- store"));
        assert_eq!(causes(&["same", "same"]).as_deref(), Some("same"));
        assert_eq!(causes(&["a\nb", ""]).as_deref(), Some("a b"), "one line");
    }

    #[test]
    fn urls_queries_and_credentials_are_left_out() {
        for (text, line) in [
            (
                "error sending request for url (https://ann:pw@host/bot1/v1?key=s3cret)",
                "error sending request for url (<url>)",
            ),
            ("GET \"wss+x://host/(s3cret)\": failed", "GET \"<url>)\": failed"),
            ("no route /v1/chat?api_key=s3cret, sorry", "no route /v1/chat?<hidden>, sorry"),
            ("authorization: Bearer s3cret", "authorization: <hidden> <hidden>"),
            ("is it up? yes", "is it up? yes"),
        ] {
            assert_eq!(error_causes(&chain(&[text])).as_deref(), Some(line));
        }
    }

    #[test]
    fn long_chains_and_texts_are_cut() {
        let causes = error_causes(&chain(&[&"é".repeat(1_000)])).expect("a cause");
        assert_eq!(causes, "é".repeat(MAX_CAUSE_BYTES / 2));
        let texts: Vec<String> = (0..20).map(|number| format!("cause {number}")).collect();
        let causes = error_causes(&chain(&texts.iter().map(String::as_str).collect::<Vec<_>>())).expect("causes");
        assert!(
            causes.starts_with("cause 19 <- cause 18") && causes.matches("<-").count() + 1 == MAX_CAUSES,
            "{causes}"
        );
    }
}
