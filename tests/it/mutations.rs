//! The planted bugs of `make mutants`, as described in docs/architecture.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::layout::sources;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn patches() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("tests/mutations")).expect("a folder");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "patch")).collect()
}

fn name(patch: &Path) -> &str {
    patch.file_stem().and_then(|name| name.to_str()).expect("text")
}

#[test]
fn every_law_has_a_planted_bug() {
    let laws = fs::read_to_string(root().join("docs/architecture.md")).expect("text");
    let patches = patches();
    let laws = laws.lines().skip_while(|line| !line.starts_with("1. Persist")).take_while(|line| !line.is_empty());
    let numbers: Vec<u32> = laws.filter_map(|line| line.split_once(". ")?.0.parse().ok()).collect();
    assert!(numbers.len() >= 20, "{numbers:?}");
    for law in numbers {
        let named = patches.iter().any(|patch| name(patch).starts_with(&format!("{law:02}-")));
        assert!(named, "no bug is planted for law {law}");
    }
}

/// Returns whether a file of the test's module contains its function.
fn is_test(sources: &[(PathBuf, String)], test: &str) -> bool {
    let (module, function) = test.rsplit_once("::").unwrap_or_default();
    let mut module = module.split("::");
    let first = module.next().filter(|first| *first != "roundtable").or(module.next()).unwrap_or_default();
    let of_module =
        |path: &Path| path.components().any(|part| Path::new(part.as_os_str()).file_stem() == Some(first.as_ref()));
    sources.iter().any(|(path, text)| of_module(path) && text.contains(&format!("fn {function}(")))
}

/// A patch that no longer applies tests nothing, which would go unnoticed until the next `make mutants`.
#[test]
fn every_planted_bug_applies_to_the_sources_and_names_tests() {
    let sources = [sources("tests/it"), sources("src")].concat();
    let mut wrong = vec![];
    for patch in patches() {
        let text = fs::read_to_string(&patch).expect("text");
        let named = text.lines().find_map(|line| line.strip_prefix("Fails: ")).unwrap_or_default();
        if named.is_empty() {
            wrong.push(format!("{}: has no line `Fails:`", name(&patch)));
        }
        for test in named.split_whitespace() {
            if !is_test(&sources, test) {
                wrong.push(format!("{}: there is no test {test}", name(&patch)));
            }
        }
        let applied = Command::new("git").args(["apply", "--check"]).arg(&patch).current_dir(root()).output();
        let applied = applied.expect("git is installed");
        if !applied.status.success() {
            wrong.push(format!("{}: {}", name(&patch), String::from_utf8_lossy(&applied.stderr)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
