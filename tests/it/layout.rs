//! The structure of the program, as described in docs/architecture.md.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = vec![];
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has sources");
    found
}

/// Reports files with too many lines. Doc comments and attributes do not count, because they are reference material
/// that grows with the number of fields and not with complexity.
fn too_long(folder: &str, most: usize) -> Vec<String> {
    let counts = |line: &&str| !["///", "#["].iter().any(|start| line.trim_start().starts_with(start));
    let lines = |text: &str| text.lines().filter(counts).count();
    let long = sources(folder).into_iter().filter(|(_, text)| lines(text) > most);
    long.map(|(path, text)| format!("{}: {} lines, at most {most}", path.display(), lines(&text))).collect()
}

#[test]
fn files_are_short() {
    let long =
        [too_long("src", 400), too_long("loadtest", 400), too_long("chaos", 400), too_long("tests", 600)].concat();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn the_kernel_uses_only_pure_code() {
    // Parts of the language, the standard library and the kernel's dependencies that are not pure.
    const FORBIDDEN: [&str; 16] = [
        "async fn",
        "std::fs",
        "std::net",
        "std::io",
        "std::env",
        "std::process",
        "std::sync::Mutex",
        "std::sync::RwLock",
        "RandomState",
        "std::thread",
        "Instant",
        "SystemTime",
        "now_v",
        "new_v",
        "OffsetDateTime::now",
        "unsafe",
    ];
    let mut found = vec![];
    for (path, text) in sources("src/kernel").into_iter().filter(|(path, _)| !path.ends_with("src/kernel/build.rs")) {
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            // Read `use std::{fmt, fs};` as `use std::fmt, std::fs;`.
            let code = match code.split_once("std::{") {
                Some((before, group)) => format!("{before}std::{}", group.replace(", ", ", std::")),
                None => code.to_owned(),
            };
            let words = FORBIDDEN.iter().filter(|word| code.contains(*word));
            found.extend(words.map(|word| format!("{}:{}: {word}", path.display(), at + 1)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The compiler prevents the kernel from using any crate but these, so the kernel cannot use the rest of the program.
#[test]
fn the_kernel_depends_only_on_pure_crates() {
    const PURE: [&str; 12] = [
        "blake3",
        "jsonschema",
        "percent-encoding",
        "schemars",
        "serde",
        "serde_json",
        "strsim",
        "thiserror",
        "time",
        "unicode-normalization",
        "unicode-security",
        "uuid",
    ];
    let manifest = fs::read_to_string(root().join("src/kernel/Cargo.toml")).expect("text");
    let manifest: toml::Table = toml::from_str(&manifest).expect("TOML");
    let tables: Vec<&String> = manifest.keys().collect();
    assert_eq!(tables, ["dependencies", "lib", "lints", "package"], "no other table adds dependencies");
    let names: Vec<&String> = manifest["dependencies"].as_table().expect("a table").keys().collect();
    assert_eq!(names, PURE);
}

/// Returns the names of the types that a file defines, except in its tests.
fn types(text: &str) -> Vec<String> {
    const KEYWORDS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];
    let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let name = |line: &str| {
        let item = match line.strip_prefix("pub(").and_then(|rest| rest.split_once(") ")) {
            Some((_, item)) => item,
            None => line.strip_prefix("pub ").unwrap_or(line),
        };
        let rest = KEYWORDS.iter().find_map(|keyword| item.strip_prefix(keyword))?;
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    };
    own.lines().filter_map(name).collect()
}

#[test]
fn type_names_are_unique() {
    for (folder, least) in [("src", 500), ("tests/it", 100), ("chaos/src", 30), ("loadtest/src", 20)] {
        let mut found = std::collections::BTreeMap::<String, Vec<String>>::new();
        let own = |path: &Path| folder != "src" || !path.to_string_lossy().ends_with("_tests.rs");
        for (path, text) in sources(folder).into_iter().filter(|(path, _)| own(path)) {
            for name in types(&text) {
                found.entry(name).or_default().push(path.display().to_string());
            }
        }
        assert!(found.len() > least, "the types of {folder} are found: {}", found.len());
        found.retain(|_, files| files.len() > 1);
        assert!(found.is_empty(), "one name, one type: {found:#?}");
    }
}

#[test]
fn one_file_names_the_client_library_of_models() {
    let named = sources("src").into_iter().filter(|(_, text)| text.contains("async_openai"));
    let files: Vec<_> = named.map(|(path, _)| path.strip_prefix(root()).expect("a path in here").to_owned()).collect();
    assert_eq!(files, [Path::new("src/agent/providers/openai.rs")]);
}

#[test]
fn the_core_loop_is_the_one_that_the_documents_show() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("text");
    let documented =
        page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the loop is shown");
    let code = fs::read_to_string(root().join("src/orchestrator/apply.rs")).expect("text");
    let body = code.split("async fn apply(").nth(1).and_then(|rest| rest.split("\n    }\n").next()).expect("apply");
    let lines: Vec<&str> = documented.lines().map(|line| line.split(" //").next().unwrap_or_default().trim()).collect();
    assert_eq!(lines.len(), 5, "five lines: {lines:?}");
    let mut rest = body;
    for line in lines {
        let at = rest.find(line).unwrap_or_else(|| panic!("apply has no such line, or not in this order: {line}"));
        rest = &rest[at + line.len()..];
    }
}

#[test]
fn no_unfinished_markers_are_left() {
    let marks =
        [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["unimplemented", "!"].concat(), ["to", "do!"].concat()];
    let sleeps = [["time::", "sleep("].concat(), ["thread::", "sleep("].concat(), ["#[ig", "nore"].concat()];
    let mut found = vec![];
    for (folder, words) in [("src", &marks[..]), ("loadtest", &marks), ("tests", &marks), ("tests", &sleeps)] {
        for (path, text) in sources(folder) {
            let lines = text.lines().enumerate().filter(|(_, line)| words.iter().any(|word| line.contains(word)));
            found.extend(lines.map(|(at, line)| format!("{}:{}: {}", path.display(), at + 1, line.trim())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// rustfmt wraps code at this width, but not comments.
#[test]
fn comments_have_at_most_120_characters_in_a_line() {
    let mut found = vec![];
    for (path, text) in ["src", "tests", "chaos", "loadtest"].into_iter().flat_map(sources) {
        let long = |line: &&str| line.trim_start().starts_with("//") && line.chars().count() > 120;
        let lines = text.lines().enumerate().filter(|(_, line)| long(line));
        found.extend(lines.map(|(at, line)| format!("{}:{}: {line}", path.display(), at + 1)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_tests_that_the_laws_name_exist() {
    let map = fs::read_to_string(root().join("src/lib.rs")).expect("text");
    let tests: String = sources("tests/it").into_iter().map(|(_, text)| text).collect();
    let named: Vec<&str> = map
        .lines()
        .filter(|line| line.starts_with("//!"))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter_map(|path| path.rsplit_once("::").map(|(_, name)| name))
        .filter(|name| name.matches('_').count() > 2)
        .collect();
    assert!(named.len() >= 10, "{named:?}");
    for name in named {
        assert!(tests.contains(&format!("fn {name}(")), "src/lib.rs names {name}, which is no test");
    }
}

/// Returns the text without doc comment markers and with one space between words.
fn flat(text: &str) -> String {
    text.lines().flat_map(|line| line.trim_start_matches("//!").split_whitespace()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_laws_have_the_same_words_in_the_docs_and_in_the_crate() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("text");
    let map = flat(&fs::read_to_string(root().join("src/lib.rs")).expect("text"));
    let section = page.split("\n## Laws\n").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the laws");
    let list = section.split("\n\n").find(|part| part.starts_with("1. ")).expect("a list");
    let mut laws = 0;
    for number in 1.. {
        let Some(start) = list.find(&format!("{number}. ")) else { break };
        let end = list.find(&format!("\n{}. ", number + 1)).unwrap_or(list.len());
        let law = flat(&list[start..end]);
        assert!(map.contains(&law), "src/lib.rs does not contain this law: {law}");
        laws += 1;
    }
    assert!(laws >= 20, "{laws} laws");
}

#[test]
fn the_files_that_the_architecture_names_exist() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("text");
    let prose = page.split("```").step_by(2).collect::<String>();
    let known: Vec<PathBuf> =
        ["src", "tests", "chaos", "loadtest"].into_iter().flat_map(sources).map(|(path, _)| path).collect();
    let is_file = |name: &&str| name.ends_with(".rs") && !name.contains([' ', '<', '*']);
    let named: Vec<&str> = prose.split('`').skip(1).step_by(2).filter(is_file).collect();
    assert!(named.len() > 20, "{named:?}");
    for name in named {
        assert!(known.iter().any(|path| path.ends_with(name)), "docs/architecture.md names {name}, which is no file");
    }
}

/// Otherwise, an empty frame could be stored, or the digest of an empty text computed: docs/errors.md, rule 6.
#[test]
fn values_that_cannot_be_serialized_are_not_replaced_by_nothing() {
    let mut found = vec![];
    for (path, text) in sources("src") {
        let serializing = text.match_indices("serde_json::to_").filter(|(at, _)| {
            let statement = text[*at..].split([';', '{']).next().unwrap_or_default();
            ["unwrap_or_default()", "unwrap_or(", ".ok()", "is_ok_and("].iter().any(|way| statement.contains(way))
        });
        found.extend(serializing.map(|(at, _)| format!("{}:{}", path.display(), text[..at].matches('\n').count() + 1)));
    }
    assert!(found.is_empty(), "use `expect` with the invariant: {found:?}");
}
