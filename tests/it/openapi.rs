//! The OpenAPI document: exactly the routes of the router, a description of everything, and pages that load nothing
//! else.

use std::collections::BTreeSet;

use roundtable::doors::openapi_document;
use serde_json::Value;

use crate::access::sources;
use crate::docs::add_undescribed;
use crate::server::Server;

/// Views of the browser client, which are pages rather than operations.
const PAGES: [&str; 9] = [
    "GET /",
    "GET /admin",
    "GET /invite",
    "GET /knowledge",
    "GET /knowledge/{base}",
    "GET /s/{*session}",
    "GET /sign-in",
    "GET /teams",
    "GET /teams/{*team}",
];

/// Returns `METHOD path` of every operation, with the operation.
fn operations(document: &Value) -> Vec<(String, Value)> {
    let paths = document["paths"].as_object().expect("paths").iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().expect("operations").iter();
        methods.map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation.clone()))
    });
    operations.collect()
}

#[test]
fn the_operations_are_the_routes() {
    let document = openapi_document();
    let described: BTreeSet<String> = operations(&document).into_iter().map(|(name, _)| name).collect();
    let routes: BTreeSet<String> = sources::routes().into_iter().map(|route| route.replace("ANY ", "GET ")).collect();
    let pages = PAGES.map(str::to_owned).into();
    assert!(routes.is_superset(&pages), "these pages are no longer there: {:?}", pages.difference(&routes));
    let routes: BTreeSet<String> = routes.difference(&pages).cloned().collect();
    let missing: Vec<_> = routes.difference(&described).collect();
    assert!(missing.is_empty(), "describe these routes in src/http/openapi or at their door: {missing:#?}");
    let removed: Vec<_> = described.difference(&routes).collect();
    assert!(removed.is_empty(), "these operations have no route: {removed:#?}");
}

#[test]
fn everything_in_the_document_is_described() {
    let document = openapi_document();
    let mut bare = vec![];
    let says = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let mut ids = BTreeSet::new();
    for (name, operation) in operations(&document) {
        assert!(ids.insert(operation["operationId"].to_string()), "two operations are called as {name}");
        bare.extend((!says(&operation["summary"])).then(|| name.clone()));
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            bare.extend((!says(&parameter["description"])).then(|| format!("{name}: {}", parameter["name"])));
        }
    }
    add_undescribed(&document["components"]["schemas"], "", &mut bare);
    assert!(bare.is_empty(), "write a doc comment for these: {bare:#?}");
}

#[test]
fn every_reference_resolves() {
    let document = openapi_document();
    let mut open = vec![&document];
    let mut count = 0;
    while let Some(value) = open.pop() {
        if let Some(path) = value.get("$ref").and_then(Value::as_str) {
            count += 1;
            assert!(document.pointer(path.trim_start_matches('#')).is_some(), "{path}");
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    assert!(count > 200, "references are found: {count}");
}

#[test]
fn the_committed_document_is_the_current_one() {
    let path = format!("{}/docs/openapi.json", env!("CARGO_MANIFEST_DIR"));
    let committed: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("reads")).expect("JSON");
    assert!(committed == openapi_document(), "run `make docs` and commit what it changes");
}

#[tokio::test]
async fn the_document_and_its_pages_are_public() {
    let server = Server::start().await;
    let get = async |path: &str| {
        let answer = reqwest::get(format!("{}{path}", server.url)).await.expect("answers");
        assert_eq!(answer.status(), 200, "{path}");
        let header = |name: &str| answer.headers()[name].to_str().expect("text").to_owned();
        let (kind, policy) = (header("content-type"), header("content-security-policy"));
        assert!(policy.starts_with("default-src 'self'"), "{policy}");
        (kind, answer.text().await.expect("text"))
    };
    let (kind, text) = get("/api/openapi.json").await;
    assert_eq!(kind, "application/json");
    assert!(serde_json::from_str::<Value>(&text).expect("JSON") == openapi_document());
    let (kind, page) = get("/api/docs").await;
    assert_eq!(kind, "text/html; charset=utf-8");
    for (name, operation) in operations(&openapi_document()) {
        let id = operation["operationId"].as_str().expect("an id");
        assert!(page.contains(&format!("id=\"{id}\"")), "the page shows {name}");
    }
    for outside in ["<script", "<link", "src=", "url(", "http://", "@import"] {
        assert!(!page.contains(outside), "the page needs nothing else: {outside}");
    }
}
