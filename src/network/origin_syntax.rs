//! Origins of pages, as browsers write them.

/// Checks that a string is an origin in the form that browsers use: scheme, host and, unless it is the default port,
/// port.
///
/// # Errors
/// Fails with a message that states the correct form.
pub(crate) fn check_origin_syntax(origin: &str) -> Result<(), String> {
    let written = match reqwest::Url::parse(origin) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url.origin().ascii_serialization(),
        _ => String::new(),
    };
    match written == origin {
        true => Ok(()),
        false if written.is_empty() => {
            Err(format!("{origin:?} is not an origin; use for example https://app.example.com"))
        }
        false => Err(format!("{origin:?} is not in the form of browsers; use {written}")),
    }
}

#[cfg(test)]
mod tests {
    use super::check_origin_syntax;

    #[test]
    fn origins_are_accepted_as_browsers_write_them() {
        for origin in ["https://app.example.com", "http://localhost:5173", "http://[::1]:3000"] {
            assert_eq!(check_origin_syntax(origin), Ok(()));
        }
        for (origin, text) in [
            ("*", "not an origin"),
            ("null", "not an origin"),
            ("app.example.com", "not an origin"),
            ("https://app.example.com/", "use https://app.example.com"),
            ("https://APP.example.com:443", "use https://app.example.com"),
            ("https://app.example.com/chat", "use https://app.example.com"),
        ] {
            let error = check_origin_syntax(origin).expect_err(origin);
            assert!(error.contains(text), "{error}");
        }
    }
}
