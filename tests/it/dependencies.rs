//! What is linked into the program: licences and crates, by the same deny.toml that cargo-deny reads.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

fn rules() -> toml::Table {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml")).expect("reads");
    text.parse().expect("is TOML")
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("a list").clone()
}

/// Whether a licence expression can be satisfied: one of each `OR`, all of each `AND`.
fn satisfied(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.trim();
    let either = split(expression, " OR ");
    if either.len() > 1 {
        return either.into_iter().any(|one| satisfied(one, allowed));
    }
    let every = split(expression, " AND ");
    if every.len() > 1 {
        return every.into_iter().all(|one| satisfied(one, allowed));
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => satisfied(inner, allowed),
        // Older packages write a slash for OR.
        None => expression.split('/').any(|one| allowed.contains(one.trim())),
    }
}

/// The parts between these words, where they are not in parentheses.
fn split<'a>(expression: &'a str, word: &str) -> Vec<&'a str> {
    let (mut parts, mut from, mut depth) = (vec![], 0, 0);
    for (at, letter) in expression.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= from && expression[at..].starts_with(word) => {
                parts.push(&expression[from..at]);
                from = at + word.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[from..]);
    parts
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = ["MIT", "ISC"].map(str::to_owned).into();
    for yes in ["MIT", "MIT/GPL-2.0", "GPL-2.0 OR ISC", "(GPL-2.0 OR MIT) AND ISC"] {
        assert!(satisfied(yes, &allowed), "{yes}");
    }
    for no in ["GPL-2.0", "MIT AND GPL-2.0", "(MIT OR ISC) AND GPL-2.0", "none"] {
        assert!(!satisfied(no, &allowed), "{no}");
    }
}

#[test]
fn licences_are_those_that_we_accept() {
    let rules = rules();
    let allowed = rules["licenses"]["allow"].as_array().expect("a list").iter();
    let allowed: BTreeSet<String> = allowed.map(|licence| licence.as_str().expect("text").to_owned()).collect();
    let refused: Vec<String> = packages()
        .iter()
        .filter(|package| !satisfied(package["license"].as_str().unwrap_or("none"), &allowed))
        .map(|package| format!("{}: {}", package["name"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn crates_that_we_do_not_want_are_absent() {
    let rules = rules();
    let banned = rules["bans"]["deny"].as_array().expect("a list").iter();
    let banned: Vec<&str> = banned.map(|entry| entry["crate"].as_str().expect("text")).collect();
    let packages = packages();
    let names: BTreeSet<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let present: Vec<_> = banned.iter().filter(|name| names.contains(*name)).collect();
    assert!(!banned.is_empty() && present.is_empty(), "{present:?}");
}
