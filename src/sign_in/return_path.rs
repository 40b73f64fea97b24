//! Path on this server that a sign-in leads to.

/// Maximum length of a path, in bytes.
const MAX_BYTES: usize = 2000;

/// Returns the path, with query and fragment, in the form of a `Location` header. Returns `None` if a browser could
/// interpret it as a URL of another server, or if it is not the path of a page.
pub fn check_return_path(text: &str) -> Option<String> {
    if text.len() > MAX_BYTES || !text.starts_with('/') || text.contains(|c: char| c.is_control() || c == '\\') {
        return None;
    }
    let base = reqwest::Url::parse("http://roundtable.invalid").ok()?;
    let url = base.join(text).ok().filter(|url| url.origin() == base.origin())?;
    // Check this after the parser has removed dots, because `/.//host` becomes `//host`, which is another server.
    let path = url.path();
    if path.starts_with("//") || path.starts_with("/api/") {
        return None;
    }
    let with = |mark: &str, part: Option<&str>| part.map_or_else(String::new, |part| format!("{mark}{part}"));
    Some(format!("{path}{}{}", with("?", url.query()), with("#", url.fragment())))
}

#[cfg(test)]
mod tests {
    use super::check_return_path;

    #[test]
    fn only_pages_of_this_server_are_accepted() {
        for path in ["/", "/s/s_1?a=b", "/teams/new#x", "/knowledge/7"] {
            assert_eq!(check_return_path(path).as_deref(), Some(path));
        }
        assert_eq!(check_return_path("/s/../admin").as_deref(), Some("/admin"));
        assert_eq!(check_return_path("/s/锁").as_deref(), Some("/s/%E9%94%81"));
    }

    #[test]
    fn addresses_of_others_are_rejected() {
        let bad = [
            "",
            "s/1",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "/.//evil.example",
            "/a/..//evil.example",
            "/%2e//evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "\\\\evil.example",
            " //evil.example",
            "/api/v1/sign-in/oidc",
        ];
        for path in bad {
            assert_eq!(check_return_path(path), None, "{path}");
        }
        assert_eq!(check_return_path(&format!("/{}", "a".repeat(2000))), None);
    }
}
