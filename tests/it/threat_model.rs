//! docs/threat-model.md names a test for each claim: that test must be there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::layout::sources;

/// The name of every test function below `folder`, as its test program prints it.
fn tests(folder: &str, prefix: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut names = BTreeSet::new();
    for (path, text) in sources(folder) {
        let path = path.strip_prefix(&root).expect("is below").with_extension("");
        let file: Vec<_> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let module: Vec<_> = file.into_iter().filter(|part| part != "mod").collect();
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            if line == "#[test]" || line.starts_with("#[tokio::test") {
                is_test = true;
            } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test && !line.starts_with("//")) {
                let name = rest.split('(').next().unwrap_or_default();
                names.insert(format!("{prefix}{}::{name}", module.join("::")));
                // Unit tests stand in a module of their file or in a file beside it: their part of the program and their name
                // must be right.
                names.insert(format!("{prefix}{}::…::{name}", module[0]));
                is_test = false;
            }
        }
    }
    names
}

#[test]
fn every_claim_names_a_test_that_exists() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/threat-model.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let claims = page.split("## Claims and their tests").nth(1).expect("has claims");
    let claims = claims.split("## Not defended against").next().expect("has an end");
    let mut known = tests("tests/it", "");
    known.extend(tests("src", "roundtable::"));
    let rows: Vec<&str> = claims.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    assert!(rows.len() >= 10, "the tables are read: {rows:?}");
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').rsplitn(2, " | ").collect();
        let named: Vec<&str> = cells[0].split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test is named in: {row}");
        for name in named {
            let parts: Vec<&str> = name.split("::").collect();
            let is_unit = || known.contains(&format!("roundtable::{}::…::{}", parts[1], parts[parts.len() - 1]));
            let is_there = known.contains(name) || parts[0] == "roundtable" && is_unit();
            assert!(is_there, "there is no test {name}, named in: {row}");
        }
    }
}
