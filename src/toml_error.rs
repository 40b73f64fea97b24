//! Errors of the TOML parser as one line.

/// Returns the line number and the reason of an error in `text`. The parser's own message quotes the line, which can
/// contain a secret.
pub(crate) fn describe(text: &str, error: &toml::de::Error) -> String {
    let span = error.span().unwrap_or_default();
    let line = text.get(..span.start).unwrap_or(text).matches('\n').count() + 1;
    let key = text.get(span).filter(|_| error.message() == "duplicate key");
    let key = key.map_or_else(String::new, |key| format!(" {}", key.trim()));
    format!("line {line}: {}{key}", error.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_line_and_no_value() {
        for (text, message) in [
            ("a = 1\nb = \"s3cret\"\na = 2\n", "line 3: duplicate key a"),
            ("[x]\na = 1\n\n[x.y]\nb = 1\nb = 's3cret'\n", "line 6: duplicate key b"),
            ("a = 1\n[x]\n[x]\n", "line 3: duplicate key x"),
            ("a = 1\nb = s3cret\n", "line 2: "),
            ("name = \"x\"\ntitle = ", "line 2: "),
        ] {
            let error = text.parse::<toml::Table>().expect_err("is no TOML");
            let error = describe(text, &error);
            assert!(error.starts_with(message) && !error.contains("s3cret"), "{text:?}: {error}");
        }
    }
}
