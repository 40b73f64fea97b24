//! Masks secrets in a value before `roundtable config` prints it.
//!
//! The schema of a setting marks secrets with `x-secret`: `key` for the whole value, or each value of a table;
//! `arguments` for a program's arguments, some of which can be secret. Credentials inside URLs are masked in every
//! setting, because a URL in any setting can contain them.

use toml::Value;

/// Text that replaces a secret. Its constant length does not reveal the secret's length.
const MASK: &str = "********";

/// Parts of a name that mark its value as a secret.
const SECRET_NAMES: [&str; 8] = ["pass", "token", "secret", "key", "auth", "credential", "signature", "cookie"];

/// Minimum number of characters in a word of letters and digits that is masked as a key. Shorter words count as names
/// and numbers.
const KEY_LENGTH: usize = 20;

/// Returns the value as TOML with its secrets masked; `secret` is the setting's `x-secret`.
pub(super) fn mask(secret: Option<&str>, value: &Value) -> String {
    masked(secret, value).to_string()
}

fn masked(secret: Option<&str>, value: &Value) -> Value {
    match (secret, value) {
        (Some("key"), _) => Value::String(MASK.into()),
        (Some("arguments"), Value::Array(list)) => Value::Array(mask_arguments(list)),
        (_, Value::String(text)) => Value::String(mask_url(text)),
        (_, Value::Array(list)) => Value::Array(list.iter().map(|item| masked(secret, item)).collect()),
        (_, Value::Table(table)) => {
            Value::Table(table.iter().map(|(name, item)| (name.clone(), masked(secret, item))).collect())
        }
        (_, other) => other.clone(),
    }
}

/// Masks a program's arguments: values of options with a secret name, words that look like keys, and credentials in
/// URLs.
fn mask_arguments(list: &[Value]) -> Vec<Value> {
    let mut is_next_secret = false;
    let mut shown = vec![];
    for item in list {
        let text = item.as_str().unwrap_or_default();
        let is_option = text.starts_with('-');
        shown.push(Value::String(match text.split_once(['=', ':']) {
            _ if is_next_secret && !is_option => MASK.into(),
            Some((name, _)) if is_secret_name(name) && !text.contains("://") => {
                format!("{}{MASK}", &text[..=name.len()])
            }
            _ if looks_like_a_key(text) => MASK.into(),
            _ => mask_url(text),
        }));
        is_next_secret = is_option && !text.contains('=') && is_secret_name(text);
    }
    shown
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// Returns whether an argument looks like a key: a long word of letters and digits, without the characters of paths and
/// sentences.
fn looks_like_a_key(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '=');
    text.len() >= KEY_LENGTH
        && !text.starts_with("--")
        && text.chars().all(plain)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// Masks the credentials in a URL. Returns any other text unchanged.
pub(super) fn mask_url(url: &str) -> String {
    let url = &mask_query(url);
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // A password can contain an unescaped `@`; the last `@` ends it.
    let Some(at) = rest[..end].rfind('@').or_else(|| rest.rfind('@')) else { return url.to_owned() };
    let (user, host) = (&rest[..at], &rest[at..]);
    match user.split_once(':') {
        Some((name, _)) => format!("{scheme}://{name}:{MASK}{host}"),
        // A single word before the host is a token in an HTTP URL, and a user name in a database URL.
        None if scheme.starts_with("http") && !user.contains('/') => format!("{scheme}://{MASK}{host}"),
        None => url.to_owned(),
    }
}

/// Masks secrets in the query of a URL, such as the key in an HTTP URL or the password for a Unix socket.
fn mask_query(url: &str) -> String {
    let Some((before, query)) = url.split_once('?').filter(|(before, _)| before.contains(':')) else {
        return url.to_owned();
    };
    let masked = query.split('&').map(|field| match field.split_once('=') {
        Some((name, _)) if is_secret_name(name) => format!("{name}={MASK}"),
        _ => field.to_owned(),
    });
    format!("{before}?{}", masked.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_a_url_is_masked() {
        assert_eq!(mask_url("postgres://ann:s3/cr@et@db/x"), "postgres://ann:********@db/x");
        assert_eq!(mask_url("postgres://ann@db/x"), "postgres://ann@db/x");
        assert_eq!(mask_url("sqlite:data/x.db"), "sqlite:data/x.db");
        assert_eq!(mask_url("unix:///r.sock?user=ann&pass=s3cret&db=1"), "unix:///r.sock?user=ann&pass=********&db=1");
        assert_eq!(mask_url("redis://:s3?cret@host"), "redis://:********@host");
    }

    #[test]
    fn a_token_in_a_web_address_is_masked() {
        assert_eq!(mask_url("https://ghp_s3cret@host/mcp"), "https://********@host/mcp");
        assert_eq!(mask_url("https://host/mcp?api_key=s3cret&x=1"), "https://host/mcp?api_key=********&x=1");
        assert_eq!(mask_url("https://host/@scope/name"), "https://host/@scope/name");
        assert_eq!(mask_url("What is new? a=b"), "What is new? a=b");
    }

    #[test]
    fn secret_arguments_are_masked_and_others_are_shown() {
        let list = ["serve", "--root", "/srv/code", "--token", "abc", "--api-key=abc", "API_KEY=abc", "--verbose"];
        let list: Vec<Value> = list.into_iter().map(|text| Value::String(text.into())).collect();
        let shown = Value::Array(mask_arguments(&list)).to_string();
        let expected = r#"["serve", "--root", "/srv/code", "--token", "********", "--api-key=********", "API_KEY=********", "--verbose"]"#;
        assert_eq!(shown, expected);
        let key = [Value::String("sk-proj-0123456789abcdef".into()), Value::String("postgres://a:b@c/d".into())];
        assert_eq!(Value::Array(mask_arguments(&key)).to_string(), r#"["********", "postgres://a:********@c/d"]"#);
    }
}
