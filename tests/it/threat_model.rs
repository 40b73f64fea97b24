//! docs/security.md names a test for each claim: these tests must exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::layout::sources;

/// Returns the files below a folder with their modules: `tool::call_queue::tests` for a file that `call_queue.rs`
/// declares as its tests.
fn modules(folder: &str) -> BTreeMap<PathBuf, (Vec<String>, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let texts: BTreeMap<PathBuf, String> = sources(folder).into_iter().collect();
    // A file that a `#[path]` attribute refers to belongs to the file with that attribute.
    let mut named = BTreeMap::new();
    for (path, text) in &texts {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(file) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) else {
                continue;
            };
            let module = lines.find_map(|line| line.split_once("mod ")?.1.strip_suffix(';')).expect("names a module");
            named.insert(path.with_file_name(file), (path.clone(), module.to_owned()));
        }
    }
    let module = |path: &Path| {
        let (mut path, mut inner) = (path, vec![]);
        while let Some((parent, name)) = named.get(path) {
            inner.insert(0, name.clone());
            path = parent;
        }
        let file = path.strip_prefix(&root).expect("is below").with_extension("");
        let file = file.iter().map(|part| part.to_string_lossy().into_owned());
        file.filter(|part| part != "mod" && part != "main" && part != "lib").chain(inner).collect()
    };
    texts.iter().map(|(path, text)| (path.clone(), (module(path), text.clone()))).collect()
}

/// Returns the name of every test function below `folder`, as its test program prints it, without the database engine
/// of a law.
fn tests(folder: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (file, text) in modules(folder).into_values() {
        // Open modules within the file, with their indentation: rustfmt closes each at the indentation at which it
        // began.
        let mut open: Vec<(usize, &str)> = vec![];
        let (mut is_test, mut is_law) = (false, false);
        for line in text.lines() {
            let code = line.trim_start();
            let indent = line.len() - code.len();
            if code == "}" && (open.last().is_some_and(|(at, _)| *at == indent) || is_law) {
                if !std::mem::take(&mut is_law) {
                    open.pop();
                }
            } else if let Some(name) = code.split_once("mod ").and_then(|(_, rest)| rest.strip_suffix(" {")) {
                open.push((indent, name));
            } else if code == "#[test]" || code.starts_with("#[tokio::test") {
                is_test = true;
            } else if code == "laws! {" {
                is_law = true;
            } else {
                let law = code.strip_suffix(',').filter(|_| is_law);
                let function = code.split_once("fn ").filter(|_| is_test && !code.starts_with("//"));
                let Some(name) = law.or(function.and_then(|(_, rest)| rest.split('(').next())) else { continue };
                let inner = open.iter().map(|(_, name)| *name);
                let path: Vec<&str> = file.iter().map(String::as_str).chain(inner).chain([name]).collect();
                names.insert(format!("{prefix}{}", path.join("::")));
                is_test = false;
            }
        }
    }
    names
}

#[test]
fn tests_of_every_kind_are_found_by_their_full_path() {
    let unit = tests("src", "roundtable::");
    for name in [
        "http::detached::tests::a_write_continues_when_its_caller_disconnects",
        "agent::prompts::prompt::tests::authors::words_change_nothing_but_themselves",
        "tool::call_queue::tests::no_session_holds_more_than_its_share",
    ] {
        assert!(unit.contains(&format!("roundtable::{name}")), "{name}");
    }
    let whole = tests("tests/it", "");
    for name in [
        "threat_model::every_claim_names_a_test_that_exists",
        "audit_laws::an_entry_is_never_changed",
        "kernel::gates::a_vote_names_the_revision_it_saw",
    ] {
        assert!(whole.contains(name), "{name}");
    }
}

/// Returns every claim of the page with the tests that it names.
fn claims() -> Vec<(String, Vec<String>)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/security.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let claims = page.split("## Claims and their tests").nth(1).expect("has claims");
    let claims = claims.split("## Not defended against").next().expect("has an end");
    let is_row = |line: &&str| line.starts_with('|') && !["| claim | test |", "| --- | --- |"].contains(line);
    let row = |row: &str| {
        let (claim, tests) = row.trim_matches('|').rsplit_once(" | ").unwrap_or((row, ""));
        (claim.to_owned(), tests.split('`').skip(1).step_by(2).map(str::to_owned).collect())
    };
    claims.lines().filter(is_row).map(row).collect()
}

#[test]
fn every_claim_names_a_test_that_exists() {
    let claims = claims();
    assert!(claims.len() >= 10, "the tables are read: {claims:?}");
    let mut known = tests("tests/it", "");
    // The kernel is a separate crate.
    let units = tests("src", "roundtable::");
    known.extend(units.into_iter().map(|name| name.replacen("roundtable::kernel::", "roundtable_kernel::", 1)));
    let mut wrong = vec![];
    for (claim, named) in claims {
        if named.is_empty() {
            wrong.push(format!("no test is named for: {claim}"));
        }
        let missing = named.iter().filter(|name| !known.contains(*name));
        wrong.extend(missing.map(|name| format!("there is no test {name}, named for: {claim}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_abuse_is_a_test_of_a_claim() {
    let named: BTreeSet<String> = claims().into_iter().flat_map(|(_, tests)| tests).collect();
    // The test without abuse is only the baseline for the others.
    let abuses = tests("tests/it/abuse", "abuse::").into_iter().filter(|name| !name.starts_with("abuse::baseline::"));
    let missing: Vec<String> = abuses.filter(|name| !named.contains(name)).collect();
    assert!(missing.is_empty(), "give each a row in docs/security.md: {missing:#?}");
}
