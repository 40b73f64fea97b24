//! Detection of form fields that ask for a secret. Answers in a form are stored in the session's log and read by
//! models.

use serde_json::Value;

/// Words, and sequences of words, that name a secret.
const SECRET_WORDS: [&[&str]; 24] = [
    &["password"],
    &["passwords"],
    &["passwd"],
    &["pwd"],
    &["passphrase"],
    &["passcode"],
    &["secret"],
    &["secrets"],
    &["token"],
    &["apikey"],
    &["api", "key"],
    &["access", "key"],
    &["private", "key"],
    &["secret", "key"],
    &["ssh", "key"],
    &["encryption", "key"],
    &["credential"],
    &["credentials"],
    &["otp"],
    &["pin"],
    &["cvv"],
    &["cvc"],
    &["ssn"],
    &["card", "number"],
];

/// Chinese words that name a secret. Chinese does not separate words.
const SECRET_WORDS_ZH: [&str; 7] = ["密码", "口令", "密钥", "私钥", "令牌", "验证码", "卡号"];

/// Returns the first field that asks for a secret: its `format` is `password`, it is `writeOnly`, or it takes text or a
/// number and its name, title or the beginning of its description names a secret.
pub(super) fn secret_field(form: &Value) -> Option<&str> {
    let fields = form["properties"].as_object()?;
    fields.iter().find(|(name, field)| is_secret(name, field)).map(|(name, _)| &**name)
}

fn is_secret(name: &str, field: &Value) -> bool {
    let choice = field.get("enum").is_some() || field.get("oneOf").is_some();
    let text = matches!(field["type"].as_str(), Some("string" | "integer" | "number")) && !choice;
    let marked = field["format"] == "password" || field["writeOnly"] == true;
    let title = field["title"].as_str().unwrap_or_default();
    // The beginning of a description says what to enter. The rest can say what not to enter: "(never your PIN)".
    let description = field["description"].as_str().unwrap_or_default();
    let subject = description.split(['(', '（', ',', '，', '.', '。', ';', '；', ':', '：']).next().unwrap_or_default();
    let named = [name, title, subject].into_iter().any(names_secret);
    marked || (text && named)
}

fn names_secret(text: &str) -> bool {
    let words = split_words(text);
    SECRET_WORDS.iter().any(|secret| words.windows(secret.len()).any(|window| window == *secret))
        || SECRET_WORDS_ZH.iter().any(|secret| text.contains(secret))
}

/// Splits a name into words, regardless of how they are joined: `apiKey`, `api_key`, `API key`.
fn split_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let begins = c.is_uppercase() && before.is_lowercase();
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(name: &str, field: Value) -> Value {
        json!({ "type": "object", "properties": { "colour": { "type": "string" }, name: field } })
    }

    #[test]
    fn forms_that_ask_for_a_secret_are_detected() {
        let text = json!({ "type": "string" });
        for name in [
            "password",
            "dbPassword",
            "API key",
            "apiKey",
            "api_key",
            "access-token",
            "PIN",
            "clientSecret",
            "数据库密码",
        ] {
            assert_eq!(secret_field(&form(name, text.clone())), Some(name), "{name}");
        }
        for field in [
            json!({ "type": "string", "format": "password" }),
            json!({ "type": "string", "writeOnly": true }),
            json!({ "type": "string", "title": "Your passphrase" }),
            json!({ "type": "string", "description": "Your API key, from the settings page" }),
            json!({ "type": "string", "title": "值", "description": "请输入登录密码" }),
        ] {
            assert_eq!(secret_field(&form("a", field.clone())), Some("a"), "{field}");
        }
    }

    #[test]
    fn other_forms_are_accepted() {
        for name in ["name", "key", "shipping", "max_tokens", "secretary", "opinion", "keyboard", "passenger"] {
            assert_eq!(secret_field(&form(name, json!({ "type": "string" }))), None, "{name}");
        }
        let described = json!({ "type": "string", "description": "Key of the song, such as C sharp minor" });
        assert_eq!(secret_field(&form("value", described)), None);
        let warned = json!({ "type": "integer", "description": "Your favourite number (never your PIN)" });
        assert_eq!(secret_field(&form("value", warned)), None);
        assert_eq!(secret_field(&form("password", json!({ "type": "boolean" }))), None);
        assert_eq!(secret_field(&form("token", json!({ "type": "string", "enum": ["a", "b"] }))), None);
        assert_eq!(secret_field(&json!(true)), None);
    }
}
