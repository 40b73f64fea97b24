//! Dependencies point downward only: a module of `src` uses only modules of lower layers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::layout::sources;

/// The modules of `src` in layers, lowest first. A module uses only modules of lower layers, so modules of the same
/// layer do not use each other.
const LAYERS: [&[&str]; 23] = [
    &["kernel"],
    &["json_pointer", "secret_text"],
    &[
        "backoff",
        "clock",
        "fence",
        "http_client",
        "ip_networks",
        "node_id",
        "protocol",
        "spelling",
        "store_error",
        "toml_error",
    ],
    &["telemetry"],
    &["bus", "demo_model", "peer_messages", "supervise"],
    &["identity"],
    &["network", "redactions", "sign_in"],
    &["audit", "limits"],
    &["files"],
    &["knowledge"],
    &["agent", "openapi", "quotas"],
    &["store", "tool"],
    &["feed", "provisioning"],
    &["orchestrator"],
    &["dispatch", "redaction_worker"],
    &["access", "health"],
    &["peers", "socket"],
    &["config"],
    &["sweep"],
    &["node"],
    &["http"],
    &["doors"],
    &["cli"],
];

/// Returns the layer of each module.
fn layers() -> BTreeMap<&'static str, usize> {
    LAYERS.iter().enumerate().flat_map(|(layer, modules)| modules.iter().map(move |module| (*module, layer))).collect()
}

#[test]
fn a_module_uses_only_what_is_in_a_lower_layer() {
    let (layers, root) = (layers(), Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let mut found = vec![];
    for (path, text) in sources("src") {
        let file = path.strip_prefix(&root).expect("a file of src").to_string_lossy().into_owned();
        // The two crate roots are above all layers. The kernel is a separate crate, so the compiler prevents it from
        // using other modules. Test files may use anything.
        if matches!(&*file, "lib.rs" | "main.rs") || file.starts_with("kernel/") || file.ends_with("_tests.rs") {
            continue;
        }
        let module = file.split(['/', '.']).next().unwrap_or_default();
        let Some(own) = layers.get(module) else {
            found.push(format!("src/{file}: the module {module} has no layer; add it to LAYERS in tests/it/layers.rs"));
            continue;
        };
        for (line, used) in used_modules(&file, &text) {
            match layers.get(&*used) {
                Some(layer) if layer < own || used == module => {}
                Some(_) => found.push(format!(
                    "src/{file}:{line}: {module} uses {used}, which is not in a lower layer; move what it needs to a lower \
                     module, or pass it as an argument"
                )),
                None => found.push(format!("src/{file}:{line}: {used} is no module of LAYERS in tests/it/layers.rs")),
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_module_of_the_layers_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let modules: Vec<&str> = LAYERS.concat();
    assert_eq!(layers().len(), modules.len(), "a module has one layer: {modules:?}");
    for module in modules {
        assert!(root.join(module).is_dir() || root.join(format!("{module}.rs")).is_file(), "there is no {module}");
    }
}

#[test]
fn the_documents_show_the_layers() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md")).expect("text");
    let table = page.split("## Layers\n").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let documented: Vec<Vec<&str>> =
        rows.map(|row| row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2).collect()).collect();
    let own: Vec<Vec<&str>> = LAYERS.iter().rev().map(|modules| modules.to_vec()).collect();
    assert_eq!(documented, own, "docs/architecture.md shows LAYERS, highest first");
}

#[test]
fn module_uses_are_detected() {
    let text = "use crate::{\n    a::{B, c::D},\n    e,\n};\n// crate::comment\nuse super::f::G;\n\
                #[cfg(test)]\nuse crate::only_a_test;\nfn h() {\n    crate::i::j()\n}\n\
                #[cfg(test)]\nmod tests {\n    use crate::test;\n}\n";
    let used = |file| used_modules(file, text).into_iter().map(|(line, used)| format!("{used}:{line}"));
    assert_eq!(used("own/inner.rs").collect::<Vec<_>>(), ["a:2", "e:3", "i:10"]);
    assert_eq!(used("own/mod.rs").collect::<Vec<_>>(), ["a:2", "e:3", "f:6", "i:10"]);
    assert_eq!(used("own.rs").collect::<Vec<_>>(), ["a:2", "e:3", "f:6", "i:10"]);
}

/// Returns the top-level modules that a file refers to through `crate::`, or through `super::` up to the root, with the
/// line numbers.
fn used_modules(file: &str, text: &str) -> Vec<(usize, String)> {
    let code = without_tests(text);
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    // One `super::` per module in the path leads to the root.
    let up = "super::".repeat(path.split('/').count());
    let mut found = vec![];
    for root in ["crate::", &*up] {
        for (at, _) in code.match_indices(root) {
            let is_whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            if is_whole {
                found.extend(first_names(&code, at + root.len()));
            }
        }
    }
    found.sort_unstable();
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    found.into_iter().map(|(at, name)| (line(at), name)).collect()
}

/// Returns the first names of the path that starts at a position: one name, or those of a group `{a::B, c}`.
fn first_names(code: &str, from: usize) -> Vec<(usize, String)> {
    let name_at = |at: usize| {
        let name: String = code[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (at, name)
    };
    if !code[from..].starts_with('{') {
        return vec![name_at(from)];
    }
    let (mut depth, mut begins, mut found) = (0, false, vec![]);
    for (at, c) in code[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if begins && c.is_alphanumeric() {
            found.push(name_at(from + at));
        }
        begins = depth == 1 && (matches!(c, '{' | ',') || begins && c.is_whitespace());
        if depth == 0 {
            break;
        }
    }
    found
}

/// Returns the text with comments and test-only items replaced by empty lines. An item ends where rustfmt closes it: at
/// a line with the indentation of its first line.
fn without_tests(text: &str) -> String {
    let (mut code, mut skipped) = (String::new(), None);
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let ends = |from: usize| indent == from && (line.ends_with(['}', ';']) || line.ends_with("},"));
        match skipped {
            Some(from) if ends(from) => skipped = None,
            Some(_) => {}
            None if line.trim() == "#[cfg(test)]" => skipped = Some(indent),
            None if line.trim_start().starts_with("//") => {}
            None => code.push_str(line.split(" // ").next().unwrap_or_default()),
        }
        code.push('\n');
    }
    code
}
