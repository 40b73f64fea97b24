//! The pages that describe the wire protocol match the types.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use roundtable::config::{ConfigInput, load};
use roundtable::kernel::{Right, Role};
use roundtable::protocol::{CloseCode, Code, CommandData};
use roundtable::telemetry;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

fn page(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect("the page is there")
}

/// Checks that the part of a page between two markers is this text. If the variable that `make docs` sets is present,
/// writes the text instead.
fn check_generated(name: &str, mark: &str, table: &str) {
    static ONE_WRITER: Mutex<()> = Mutex::new(());
    let _alone = ONE_WRITER.lock();
    let (open, close) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->"));
    let page = page(name);
    let start = page.find(&open).expect("the opening mark") + open.len();
    let end = page.find(&close).expect("the closing mark");
    if std::env::var_os("WRITE_DOCS").is_some() {
        let whole = format!("{}{table}{}", &page[..start], &page[end..]);
        std::fs::write(path(name), whole).expect("writes");
        return;
    }
    assert_eq!(&page[start..end], table, "run `make docs` and commit what it changes");
}

#[test]
fn the_table_of_errors_is_the_table_of_codes() {
    let mut table = String::from("| code | family | HTTP status |\n| --- | --- | --- |\n");
    for code in Code::ALL {
        let family = format!("{:?}", code.family()).to_lowercase();
        writeln!(table, "| `{}` | {family} | {} |", code.as_str(), code.status()).expect("writes");
    }
    check_generated("protocol.md", "errors", &table);
}

#[test]
fn the_table_of_close_codes_is_complete() {
    let mut table = String::from("| code | words |\n| --- | --- |\n");
    for code in CloseCode::ALL {
        writeln!(table, "| {} | {} |", code.number(), code.reason()).expect("writes");
    }
    check_generated("protocol.md", "close codes", &table);
}

#[test]
fn the_table_of_a_sessions_settings_is_complete() {
    let schema = roundtable::protocol::schema();
    let usual = serde_json::to_value(roundtable::kernel::Settings::default()).expect("JSON");
    let mut table = String::from("| setting | default | what it is |\n| --- | --- | --- |\n");
    for (name, setting) in schema["$defs"]["Settings"]["properties"].as_object().expect("settings") {
        let meaning = setting["description"].as_str().expect("a description").replace('\n', " ");
        let usual = usual.get(name).map_or_else(|| "none".to_owned(), |usual| format!("`{usual}`"));
        writeln!(table, "| `{name}` | {usual} | {meaning} |").expect("writes");
    }
    check_generated("protocol.md", "session settings", &table);
}

#[test]
fn the_table_of_default_rights_is_the_one_in_the_kernel() {
    let page = page("people.md");
    let part =
        page.split("<!-- default rights -->").nth(1).and_then(|rest| rest.split("<!-- /").next()).expect("marks");
    let mut rows = part.trim().lines().map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    let roles: Vec<Role> = rows.next().expect("a head")[2..].iter().filter_map(|name| Role::parse(name)).collect();
    assert_eq!(roles.len(), Role::ALL.len());
    let rows: Vec<_> = rows.skip(1).collect();
    assert_eq!(rows.len(), Right::ALL.len());
    for (row, right) in rows.iter().zip(Right::ALL) {
        assert_eq!(serde_json::json!(row[0].trim_matches('`')), serde_json::json!(right));
        for (cell, role) in row[2..].iter().zip(&roles) {
            assert_eq!(*cell == "yes", role.may_by_default(right), "{role:?} {right:?}");
        }
    }
}

#[test]
fn the_table_of_metrics_is_the_table_in_the_program() {
    let mut table = String::from("| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n");
    for row in telemetry::rows() {
        let labels = row.labels.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ");
        writeln!(table, "| `{}` | {} | {labels} | {} |", row.full_name(), row.kind(), row.help).expect("writes");
    }
    check_generated("operations.md", "metrics", &table);
}

#[test]
fn every_setting_on_the_page_exists() {
    const TABLES: [&str; 11] =
        ["log", "http", "store", "feed", "socket", "rate_limits", "orchestrator", "cluster", "sessions", "bus", "oidc"];
    let page = page("operations.md") + &page("people.md");
    let spans = page.split('`').skip(1).step_by(2).map(|span| span.split('=').next().unwrap_or_default());
    let named = |span: &&str| {
        let (table, rest) = span.split_once('.').unwrap_or_default();
        TABLES.contains(&table) && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let settings: Vec<&str> = spans.filter(named).collect();
    assert!(settings.len() > 10, "{settings:?}");
    for setting in settings {
        let flags = vec![(setting.to_owned(), "x".to_owned(), "--set".to_owned())];
        let wrong = load(&ConfigInput { flags, ..ConfigInput::default() })
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(!wrong.contains("no such setting"), "{wrong}");
    }
}

#[test]
fn every_configuration_on_a_page_is_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("roundtable.toml");
    let mut count = 0;
    for name in ["mcp.md", "models.md", "operations.md", "people.md", "teams.md", "tools.md"] {
        let page = page(name);
        let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next());
        // Blocks with agents are team files, not settings.
        for block in blocks.filter(|block| !block.contains("[[agents]]")) {
            std::fs::write(&file, block).expect("writes");
            let loaded = load(&ConfigInput { file: Some(file.clone()), ..ConfigInput::default() });
            assert!(loaded.is_ok(), "{name}: {}", loaded.expect_err("is wrong"));
            count += 1;
        }
    }
    assert!(count >= 7, "{count} blocks");
}

#[test]
fn every_metric_on_the_page_is_in_the_table() {
    let names: Vec<String> = telemetry::rows().map(telemetry::MetricRow::full_name).collect();
    let page = page("operations.md");
    let words = page.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    for word in words.filter(|word| word.starts_with("roundtable_")) {
        let bare = ["_bucket", "_sum", "_count"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        assert!(names.iter().any(|name| name == bare), "there is no metric {word}");
    }
}

#[test]
fn every_event_and_command_is_on_the_page() {
    let page = page("protocol.md");
    for name in CommandData::NAMES {
        assert!(page.contains(&format!("| `{name}` |")), "no row for the command {name}");
    }
    let schema = roundtable::protocol::schema().to_string();
    let events: Vec<&str> = schema
        .split("\"const\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|name| name.contains('.'))
        .collect();
    assert!(events.len() > 25, "{events:?}");
    for event in events {
        assert!(page.contains(&format!("`{event}`")), "the event {event} is not on the page");
    }
}

#[test]
fn the_schema_in_docs_is_the_schema_of_the_types() {
    let written: serde_json::Value = serde_json::from_str(&page("protocol.schema.json")).expect("JSON");
    assert!(written == roundtable::protocol::schema(), "run `make docs` and commit what it changes");
}

/// Adds the paths of properties without a description. Constants need none, because they name the variant.
pub fn add_undescribed(schema: &serde_json::Value, place: &str, found: &mut Vec<String>) {
    if let Some(parts) = schema.as_array() {
        parts.iter().enumerate().for_each(|(at, part)| add_undescribed(part, &format!("{place}/{at}"), found));
    }
    let Some(fields) = schema.as_object() else { return };
    for (name, part) in fields {
        let place = format!("{place}/{name}");
        add_undescribed(part, &place, found);
        let properties = part.as_object().filter(|_| name == "properties").into_iter().flatten();
        let bare = properties.filter(|(_, part)| part.get("description").is_none() && part.get("const").is_none());
        found.extend(bare.map(|(name, _)| format!("{place}/{name}")));
    }
}

#[test]
fn every_property_of_the_protocol_has_a_description() {
    let mut found = vec![];
    add_undescribed(&roundtable::protocol::schema(), "", &mut found);
    assert!(found.is_empty(), "write a doc comment for: {found:#?}");
    add_undescribed(&serde_json::json!({ "properties": { "x": { "type": "string" } } }), "", &mut found);
    assert_eq!(found, ["/properties/x"]);
}

#[test]
fn names_of_commands_are_the_names_of_the_type() {
    for name in CommandData::NAMES {
        let error = serde_json::from_str::<CommandData>(&format!("{{\"do\":\"{name}\",\"data\":0}}"));
        let text = error.expect_err("0 are no arguments").to_string();
        assert!(!text.contains("unknown variant"), "{name}: {text}");
    }
}
