//! The shape of the program, as docs/architecture.md promises it.

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

fn too_long(folder: &str, most: usize) -> Vec<String> {
    let lines = |text: &str| text.lines().count();
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
fn the_kernel_can_do_nothing_but_think() {
    // What it may use: the standard library without the outside world, serde, and pure helpers.
    const FORBIDDEN: [&str; 22] = [
        "tokio",
        "async fn",
        ".await",
        "std::fs",
        "std::net",
        "std::io",
        "std::env",
        "std::process",
        "std::thread",
        "Instant",
        "SystemTime",
        "getrandom",
        "rand::",
        "now_v",
        "new_v",
        "OffsetDateTime::now",
        "sqlx",
        "reqwest",
        "axum",
        "tracing",
        "parking_lot",
        "unsafe",
    ];
    let mut found = vec![];
    for (path, text) in sources("src/kernel") {
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let words = FORBIDDEN.iter().filter(|word| code.contains(*word));
            found.extend(words.map(|word| format!("{}:{}: {word}", path.display(), at + 1)));
            let outside = code.split("crate::").skip(1).any(|rest| !rest.starts_with("kernel"));
            found.extend(outside.then(|| format!("{}:{}: reaches out of the kernel", path.display(), at + 1)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn nothing_is_left_for_later() {
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

#[test]
fn every_law_has_a_planted_bug() {
    let folder = fs::read_dir(root().join("tests/mutations")).expect("a folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let names: Vec<String> = names.filter(|name| name.ends_with(".patch")).collect();
    for law in 1..=12 {
        assert!(names.iter().any(|name| name.starts_with(&format!("{law:02}-"))), "none for law {law}");
    }
}

#[test]
fn the_tests_that_the_laws_name_are_there() {
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
