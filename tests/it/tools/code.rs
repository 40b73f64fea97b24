//! Code bases: what searches find, and that they never reach anything outside.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use roundtable::tool::{ToolSettings, code::CodeSettings};
use serde_json::{Value, json};

use roundtable::kernel::CallGuard;
use roundtable::kernel::call::Permission;
use roundtable::kernel::call_rule::CallRule;
use roundtable::tool::CallContext;

use super::{ToolSet, call_context};

/// A folder with the code base `app`, and a secret next to it.
struct CodeHarness {
    folder: tempfile::TempDir,
    tools: ToolSet,
}

impl CodeHarness {
    async fn with_settings(change: impl FnOnce(&mut CodeSettings), files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("makes a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("has one")).expect("makes folders");
            fs::write(path, text).expect("writes");
        };
        write("secret/key", "SECRET");
        for (path, text) in files {
            write(&format!("app/{path}"), text);
        }
        let mut code =
            CodeSettings { bases: [("app".into(), folder.path().join("app").into())].into(), ..Default::default() };
        change(&mut code);
        let tools = ToolSet::of(&ToolSettings { code, ..Default::default() }).await;
        Self { folder, tools }
    }

    async fn with_files(files: &[(&str, &str)]) -> Self {
        Self::with_settings(|_| {}, files).await
    }

    fn app(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    async fn call(&self, tool: &str, arguments: Value) -> String {
        self.tools.call(&call_context(&["app"]), tool, arguments).await.expect("is answered")
    }

    /// Returns the code and the message of the error.
    async fn call_err(&self, tool: &str, arguments: Value) -> (&'static str, String) {
        let error = self.tools.call(&call_context(&["app"]), tool, arguments).await.expect_err("is refused");
        (error.code, error.message)
    }
}

const SMALL: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\n"),
    ("src/main.rs", "fn main() {\n    run();\n}\n"),
    ("src/deep/er/run.rs", "pub fn run() {}\n// 运行\n"),
];

#[tokio::test]
async fn a_listing_shows_folders_and_files_below_the_code_base() {
    let harness = CodeHarness::with_files(SMALL).await;
    let top = harness.call("code_list", json!({})).await;
    assert_eq!(top, "app/\napp/Cargo.toml\napp/src/\n[3 entries]");
    let inner = harness.call("code_list", json!({ "path": "app/src", "depth": 9 })).await;
    assert_eq!(inner, "app/src/deep/\napp/src/deep/er/\napp/src/deep/er/run.rs\napp/src/main.rs\n[4 entries]");
    let named = harness.call("code_list", json!({ "glob": "*.rs" })).await;
    assert_eq!(named, "app/src/deep/er/run.rs\napp/src/main.rs\n[2 entries]");
    let by_path = harness.call("code_list", json!({ "path": "app", "glob": "src/*.rs" })).await;
    assert_eq!(by_path, "app/src/main.rs\n[1 entry]");
}

#[tokio::test]
async fn a_file_is_read_in_parts_with_the_offset_to_continue() {
    let harness = CodeHarness::with_settings(|code| code.max_lines = 2, SMALL).await;
    let first = harness.call("code_read", json!({ "path": "app/src/main.rs" })).await;
    assert_eq!(first, "1\tfn main() {\n2\t    run();\n[lines 1 to 2 of 3; continue with offset 3]");
    let rest = harness.call("code_read", json!({ "path": "app/src/main.rs", "offset": 3 })).await;
    assert_eq!(rest, "3\t}\n[lines 3 to 3 of 3, the end]");
    let one = harness.call("code_read", json!({ "path": "./app//src/main.rs", "offset": 2, "limit": 1 })).await;
    assert_eq!(one, "2\t    run();\n[lines 2 to 2 of 3; continue with offset 3]");
    let beyond = harness.call("code_read", json!({ "path": "app/src/main.rs", "offset": 7 })).await;
    assert_eq!(beyond, "[`app/src/main.rs` has 3 lines; there is no line 7]");
}

#[tokio::test]
async fn a_search_returns_path_line_and_text() {
    let harness = CodeHarness::with_files(SMALL).await;
    let found = harness.call("code_search", json!({ "pattern": r"\brun\(\)" })).await;
    assert_eq!(
        found,
        "app/src/deep/er/run.rs:1: pub fn run() {}\napp/src/main.rs:2:     run();\n[2 matches in 2 files, 3 searched]"
    );
    let around =
        harness.call("code_search", json!({ "pattern": "run", "path": "app/src/main.rs", "context": 1 })).await;
    assert_eq!(
        around,
        "app/src/main.rs-1- fn main() {\napp/src/main.rs:2:     run();\napp/src/main.rs-3- }\n[1 match in 1 file, 1 searched]"
    );
    let literal =
        harness.call("code_search", json!({ "pattern": "RUN()", "literal": true, "ignore_case": true })).await;
    assert!(literal.contains("[2 matches"), "{literal}");
    let chinese = harness.call("code_search", json!({ "pattern": "运行", "glob": "*.rs" })).await;
    assert!(chinese.starts_with("app/src/deep/er/run.rs:2: // 运行\n"), "{chinese}");
    let none = harness.call("code_search", json!({ "pattern": "nowhere" })).await;
    assert_eq!(none, "[0 matches in 0 files, 3 searched]");
    let (code, text) = harness.call_err("code_search", json!({ "pattern": "run(" })).await;
    assert!(code == "arguments_invalid" && text.contains("literal"), "{text}");
}

#[tokio::test]
async fn a_costly_pattern_is_refused_and_long_lines_are_searched_in_part() {
    let harness = CodeHarness::with_files(&[
        ("long", &format!("{}needle1\nneedle2\n", "x".repeat(20_000))),
        ("short", "needle3\n"),
    ])
    .await;
    let (code, text) = harness.call_err("code_search", json!({ "pattern": r"(?-u)(?:.{0,900}[a-h]){90}\d" })).await;
    assert!(code == "arguments_invalid" && text.contains("exceeds size limit"), "{text}");
    let heavy = harness.call("code_search", json!({ "pattern": r"(?-u)(?:needle|(?:.{0,100}[a-h]){20})\d" })).await;
    assert_eq!(
        heavy,
        "app/long:2: needle2\napp/short:1: needle3\n[2 matches in 2 files, 2 searched]\n[1 line was too long for this \
         pattern and not searched to the end, as in `app/long`; a simpler pattern reaches further]"
    );
    let light = harness.call("code_search", json!({ "pattern": r"needle\d" })).await;
    assert!(light.contains("[3 matches in 2 files, 2 searched]"), "{light}");
}

#[tokio::test]
async fn files_under_an_ask_rule_are_in_no_search_and_no_listing() {
    let files =
        [("main.rs", "key one"), ("keys/own.pem", "key two"), ("keys/public/a.pem", "key three"), ("old/b", "key")];
    let harness = CodeHarness::with_files(&files).await;
    let rule = |tool: &str, path: &str, permission| CallRule {
        tool: tool.into(),
        arguments: Some(format!("*\"path\":\"{path}*").into()),
        permission,
        risk: None,
    };
    let rules = [
        rule("code_*", "app/keys/public", Permission::Allow),
        rule("code_read", "app/keys/", Permission::Ask),
        rule("code_*", "app/old", Permission::Deny),
    ];
    let call = async |tool: &str, arguments: Value| {
        let at = CallContext { guard: CallGuard::of(&rules, tool, &arguments), ..call_context(&["app"]) };
        harness.tools.call(&at, tool, arguments).await.map_err(|error| (error.code, error.message))
    };
    let found = call("code_search", json!({ "pattern": "key" })).await.expect("is answered");
    assert_eq!(
        found,
        "app/keys/public/a.pem:1: key three\napp/main.rs:1: key one\n[2 matches in 2 files, 2 searched]\n\
         [2 files left out: the rules ask before they are read, or do not allow it]"
    );
    for path in ["app/keys", "app//keys/", "app/keys/own.pem"] {
        let found = call("code_search", json!({ "pattern": "two", "path": path })).await.expect("is answered");
        assert!(!found.contains("key two"), "{path}: {found}");
    }
    let listed = call("code_list", json!({ "depth": 9 })).await.expect("is answered");
    assert!(listed.starts_with("app/\napp/keys/\napp/keys/public/\napp/keys/public/a.pem\napp/main.rs\n"), "{listed}");
    assert!(listed.ends_with("\n[2 left out: the rules ask before these paths, or do not allow them]"), "{listed}");
    assert!(call("code_read", json!({ "path": "app/keys/own.pem" })).await.is_ok(), "people were asked");
    for path in ["app//keys/own.pem", "./app/keys/own.pem", "app/./keys/own.pem", "app//old/b"] {
        let (code, text) = call("code_read", json!({ "path": path })).await.expect_err("goes around the rule");
        assert_eq!(code, "denied", "{path}: {text}");
    }
    assert!(call("code_read", json!({ "path": "./app//main.rs" })).await.is_ok());
}

#[tokio::test]
async fn ignored_and_hidden_files_are_absent() {
    let files = [
        (".gitignore", "target/\n*.log\n!keep.log\n/only-top\n"),
        (".env", "TOKEN=x\n"),
        (".git/config", "TOKEN=x\n"),
        ("target/out.rs", "TOKEN\n"),
        ("a.log", "TOKEN\n"),
        ("keep.log", "TOKEN\n"),
        ("only-top", "TOKEN\n"),
        ("inner/only-top", "TOKEN\n"),
        ("inner/.gitignore", "mine\n!b.log\n"),
        ("inner/mine", "TOKEN\n"),
        ("inner/b.log", "TOKEN\n"),
    ];
    let harness = CodeHarness::with_files(&files).await;
    let listed = harness.call("code_list", json!({ "path": "app" })).await;
    assert_eq!(listed, "app/inner/\napp/inner/b.log\napp/inner/only-top\napp/keep.log\n[4 entries]");
    let found = harness.call("code_search", json!({ "pattern": "TOKEN" })).await;
    assert!(found.ends_with("[3 matches in 3 files, 3 searched]"), "{found}");
    for path in ["app/.env", "app/.git/config", "app/target/out.rs", "app/a.log", "app/inner/mine"] {
        assert_eq!(harness.call_err("code_read", json!({ "path": path })).await.0, "not_found", "{path}");
    }

    let all = |code: &mut CodeSettings| (code.hidden, code.ignored) = (true, true);
    let harness = CodeHarness::with_settings(all, &files).await;
    let found = harness.call("code_search", json!({ "pattern": "TOKEN" })).await;
    assert!(found.ends_with("[8 matches in 8 files, 10 searched]"), "{found}");
    assert_eq!(harness.call_err("code_read", json!({ "path": "app/.git/config" })).await.0, "not_found");
}

#[tokio::test]
async fn no_path_escapes_the_code_base() {
    let harness = CodeHarness::with_files(SMALL).await;
    let secret = harness.folder.path().join("secret/key");
    symlink(&secret, harness.app().join("to-file")).expect("links");
    symlink("../secret", harness.app().join("to-folder")).expect("links");
    symlink("/", harness.app().join("src/to-all")).expect("links");
    symlink("/dev/zero", harness.app().join(".gitignore")).expect("links");
    let absolute = secret.to_str().expect("text");
    for path in [
        "app/../secret/key",
        "../secret/key",
        "app/src/../../secret/key",
        "app/..",
        absolute,
        "/etc/passwd",
        "app/to-file",
        "app/to-folder/key",
        "app/src/to-all/etc/passwd",
    ] {
        for tool in ["code_read", "code_list", "code_search"] {
            let mut arguments = json!({ "path": path });
            if tool == "code_search" {
                arguments["pattern"] = json!(".");
            }
            let (code, text) = harness.call_err(tool, arguments).await;
            assert_eq!(code, "outside", "{tool} {path}: {text}");
            assert!(path == absolute || !text.contains(absolute), "{text}");
        }
    }
    let other = harness.call_err("code_read", json!({ "path": "secret/key" })).await;
    assert_eq!(other.1, "`secret` is not a code base of this session; start the path with one of `app`");
    let listed = harness.call("code_list", json!({ "path": "app", "depth": 9 })).await;
    assert!(listed.contains("app/to-folder (symbolic link, not followed)\n") && !listed.contains("key"), "{listed}");
    let found = harness.call("code_search", json!({ "pattern": "SECRET" })).await;
    assert_eq!(found, "[0 matches in 0 files, 3 searched]");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_symbolic_link_swapped_in_during_a_read_does_not_escape() {
    let harness = CodeHarness::with_files(&[("file", "mine"), ("folder/key", "mine")]).await;
    let (app, secret) = (harness.app(), harness.folder.path().join("secret"));
    // Each is replaced by a rename, so at any moment, it is either the original or a link to the outside.
    let swap = |name: &str, to: &Path, back: bool| {
        let (new, old) = (app.join(".new"), app.join(name));
        match (name, back) {
            ("file", true) => fs::write(&new, "mine").expect("writes"),
            _ => symlink(to, &new).expect("links"),
        }
        fs::rename(new, old).expect("swaps");
    };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                swap("file", &secret.join("key"), false);
                swap("file", &secret, true);
                fs::rename(app.join("folder"), app.join("away")).expect("moves");
                symlink(&secret, app.join("folder")).expect("links");
                fs::remove_file(app.join("folder")).expect("removes");
                fs::rename(app.join("away"), app.join("folder")).expect("moves");
            }
        });
        let calls = async {
            let (mut read, mut refused) = (0, 0);
            while read < 200 || refused < 200 {
                for path in ["app/file", "app/folder/key"] {
                    match harness.tools.call(&call_context(&["app"]), "code_read", json!({ "path": path })).await {
                        Ok(text) => {
                            assert!(text.starts_with("1\tmine\n"), "{text}");
                            read += 1;
                        }
                        Err(_) => refused += 1,
                    }
                }
                let found = harness.call("code_search", json!({ "pattern": "SECRET" })).await;
                assert!(found.starts_with("[0 matches"), "{found}");
            }
        };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(calls));
        done.store(true, Ordering::Relaxed);
    });
}

#[tokio::test]
async fn a_session_sees_only_its_code_bases() {
    let harness = CodeHarness::with_settings(
        |code| {
            let lib = code.bases["app"].path.with_file_name("secret");
            code.bases.extend([("lib".to_owned(), lib.into()), ("gone".to_owned(), "/nowhere/at/all".into())]);
        },
        SMALL,
    )
    .await;
    let list = async |code: &[&str], path: &str| {
        harness
            .tools
            .call(&call_context(code), "code_list", json!({ "path": path }))
            .await
            .map_err(|error| error.message)
    };
    assert_eq!(list(&["lib"], "").await.expect("is there"), "lib/\nlib/key\n[2 entries]");
    assert!(list(&["lib"], "app").await.expect_err("is not its own").contains("start the path with one of `lib`"));
    assert_eq!(list(&[], "").await.expect_err("has none"), "this session has no code base");
    let problem = list(&["gone"], "gone").await.expect_err("is gone");
    assert!(problem.starts_with("the code base `gone` cannot be opened"), "{problem}");
    assert_eq!(list(&["gone", "lib"], "").await.expect("one is there"), "lib/\nlib/key\n[2 entries]");
}

#[tokio::test]
async fn binary_oversized_and_special_files_get_a_clear_error() {
    let harness = CodeHarness::with_settings(|code| code.max_file_bytes = 4096, SMALL).await;
    let app = harness.app();
    fs::write(app.join("picture"), b"run\0run\n").expect("writes");
    fs::write(app.join("giant"), "run\n".repeat(2000)).expect("writes");
    fs::write(app.join("empty"), "").expect("writes");
    let pipe = std::process::Command::new("mkfifo").arg(app.join("pipe")).status().expect("runs");
    assert!(pipe.success());
    let read = async |name: &str| harness.call("code_read", json!({ "path": format!("app/{name}") })).await;
    assert_eq!(read("picture").await, "[`app/picture` is a binary file and is not shown]");
    assert_eq!(read("empty").await, "[`app/empty` is empty]");
    let giant = harness.call_err("code_read", json!({ "path": "app/giant" })).await;
    assert_eq!(giant, ("too_large", "`app/giant` has 8000 bytes; no file of more than 4096 is read".into()));
    let pipe = harness.call_err("code_read", json!({ "path": "app/pipe" })).await;
    assert_eq!(pipe, ("outside", "`app/pipe` is neither a file nor a folder, or too deep".into()));
    let folder = harness.call_err("code_read", json!({ "path": "app/src" })).await;
    assert!(folder.1.contains("code_list"), "{}", folder.1);
    let absent = harness.call_err("code_read", json!({ "path": "app/src/absent" })).await;
    assert_eq!(absent, ("not_found", "there is no `app/src/absent`".into()));
    let found = harness.call("code_search", json!({ "pattern": "run" })).await;
    assert!(found.contains("[1 binary file left out]"), "{found}");
    assert!(found.ends_with("[1 file of more than 4096 bytes left out, as `app/giant`]"), "{found}");
}

#[tokio::test]
async fn all_outputs_are_limited() {
    let files: Vec<(String, String)> = (0..500).map(|n| (format!("f{n:03}"), "match me\n".repeat(10))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tight = |code: &mut CodeSettings| {
        (code.max_entries, code.max_matches, code.max_line_bytes, code.max_output_bytes) = (100, 50, 40, 2048);
    };
    let harness = CodeHarness::with_settings(tight, &files).await;
    let listed = harness.call("code_list", json!({ "path": "app" })).await;
    assert!(listed.contains("[the first 100 entries; use a deeper folder"), "{listed}");
    let found = harness.call("code_search", json!({ "pattern": "match" })).await;
    assert!(found.contains("[50 matches in ") && found.contains("there are more"), "{found}");
    fs::write(harness.app().join("long"), format!("{}needle{}", "x".repeat(9000), "y".repeat(9000))).expect("writes");
    let found = harness.call("code_search", json!({ "pattern": "needle" })).await;
    assert!(found.contains("xneedley") && found.len() < 200, "{found}");
    let read = harness.call("code_read", json!({ "path": "app/long" })).await;
    assert!(read.starts_with("1\txxx") && read.len() < 200, "{read}");
    fs::write(harness.app().join("many"), "0123456789 0123456789\n".repeat(900)).expect("writes");
    let read = harness.call("code_read", json!({ "path": "app/many" })).await;
    assert!(read.len() < 2200 && read.contains("of 900; continue with offset"), "{read}");
}

#[tokio::test]
async fn folders_are_searched_to_a_limited_depth() {
    let harness = CodeHarness::with_files(&[]).await;
    fs::create_dir(harness.app()).expect("makes it");
    // No path can be that long, so each new level is created around the previous ones.
    let mut inner = PathBuf::from("level");
    let outer = harness.app().join("outer");
    for _ in 0..600 {
        fs::create_dir_all(&outer).expect("makes it");
        fs::write(outer.join(".gitignore"), "x\n").expect("writes");
        let around = harness.app().join("around");
        fs::create_dir(&around).expect("makes it");
        fs::rename(&outer, around.join(&inner)).expect("moves");
        fs::rename(&around, &outer).expect("moves");
        inner = PathBuf::from("l");
    }
    let listed = harness.call("code_list", json!({ "glob": "*.rs" })).await;
    assert_eq!(listed, "[0 entries]\n[folders that could not be read: 1]");
    let found = harness.call("code_search", json!({ "pattern": "x" })).await;
    assert_eq!(found, "[0 matches in 0 files, 0 searched]\n[1 file or folder could not be read]");
}

#[tokio::test]
async fn arguments_against_the_schema_are_refused_with_a_reason() {
    let harness = CodeHarness::with_files(SMALL).await;
    for (tool, arguments) in [
        ("code_read", json!({})),
        ("code_read", json!({ "path": 7 })),
        ("code_list", json!({ "path": "app", "colour": "red" })),
        ("code_list", json!({ "glob": "[" })),
        ("code_search", json!({ "pattern": "" })),
        ("code_search", json!({ "pattern": "x".repeat(2000) })),
        ("code_search", json!({ "pattern": r"(\w{1000}){1000}" })),
    ] {
        assert_eq!(harness.call_err(tool, arguments.clone()).await.0, "arguments_invalid", "{tool} {arguments}");
    }
    let nul = harness.call_err("code_read", json!({ "path": "app/a\0b" })).await;
    assert_eq!(nul.0, "outside");
    let schema = &harness.tools.named("code_read").spec().schema;
    assert_eq!(schema["required"], json!(["path"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert!(schema.get("$schema").is_none() && schema["properties"]["offset"].get("format").is_none(), "{schema}");
}
