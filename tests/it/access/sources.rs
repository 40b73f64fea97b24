//! The routes that the source code registers, so that none can be missing from the table in [`super::routes`].

use std::collections::BTreeSet;

use crate::layout::sources;

/// Functions that add a method to a route.
const METHODS: [&str; 10] = ["any", "connect", "delete", "get", "head", "options", "patch", "post", "put", "trace"];
/// Functions of a route that add no method.
const OTHERS: [&str; 3] = ["layer", "route_layer", "with_state"];
/// Ways to serve paths without declaring a route.
const HIDDEN: [&str; 3] = ["route_service(", "nest_service(", "fallback_service("];
/// Handlers of all other paths: the page's files, refusals, and the response of a busy server. None reads a session.
const FALLBACKS: [&str; 3] =
    ["fallback(client_assets::unrouted)", "fallback(busy)", "method_not_allowed_fallback(error::method_not_allowed)"];

/// Returns `METHOD path` of every route below `src`, except those of separate programs: the demo model and commands.
pub fn routes() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, text) in sources("src") {
        let of = |part: &str| path.to_string_lossy().contains(part);
        if of("/src/demo_model/") || of("/src/cli/") || of("/src/agent/") || of("_tests.rs") || !text.contains("axum") {
            continue;
        }
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let is_router = path.ends_with("http/router.rs");
        match routes_of(text, is_router) {
            Ok(routes) => found.extend(routes),
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
    assert!(found.len() > 30, "the sources are read: {found:?}");
    found
}

/// Returns the routes of one file. Code that cannot be parsed is an error; it does not count as having no routes.
fn routes_of(text: &str, is_router: bool) -> Result<BTreeSet<String>, String> {
    let whole: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join(" ");
    let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = whole.clone();
    for known in FALLBACKS {
        rest = rest.replace(known, "");
    }
    if let Some(hidden) = HIDDEN.iter().chain(&["fallback("]).find(|hidden| rest.contains(*hidden)) {
        return Err(format!("{hidden}…) answers paths that no table lists; register them with route"));
    }
    let is_known = |nested: &&str| is_router && nested.starts_with("\"/api/v1\", api)");
    if let Some(nested) = rest.split(".nest(").skip(1).find(|nested| !is_known(nested)) {
        return Err(format!("say in this test which prefix it gives: nest({nested}"));
    }
    let mut found = BTreeSet::new();
    for statement in whole.split(';') {
        let is_page = !is_router || statement.contains("let pages = Router::new()");
        for route in statement.split(".route(").skip(1) {
            let literal = route.trim_start().strip_prefix('"').and_then(|route| route.split_once('"'));
            let (path, handlers) = literal.ok_or_else(|| format!("a route's path is no literal: route({route}"))?;
            // The router nests all routes that it declares without a prefix, except pages, below `/api/v1`.
            let prefix = if is_page || path.starts_with("/api/") { "" } else { "/api/v1" };
            let methods = methods(handlers).map_err(|error| format!("{error}: route({route}"))?;
            found.extend(methods.into_iter().map(|method| format!("{} {prefix}{path}", method.to_uppercase())));
        }
    }
    Ok(found)
}

/// Returns the methods of `, get(one).post(two))…`, up to the end of the route.
fn methods(handlers: &str) -> Result<Vec<String>, String> {
    let (mut depth, mut name, mut found) = (0_usize, String::new(), vec![]);
    for letter in handlers.chars() {
        match letter {
            '(' if depth == 0 && METHODS.contains(&&*name) => found.push(std::mem::take(&mut name)),
            '(' if depth == 0 && !OTHERS.contains(&&*name) => return Err(format!("{name} is no method")),
            ')' if depth == 0 => break,
            _ => {}
        }
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if letter.is_alphanumeric() || letter == '_' {
            name.push(letter);
        } else {
            name.clear();
        }
    }
    if found.is_empty() { Err("a route has no method".to_owned()) } else { Ok(found) }
}

#[test]
fn a_route_that_cannot_be_parsed_is_an_error() {
    let read = |text: &str| routes_of(text, false);
    for (text, routes) in [
        (r#"r.route("/a", get(one).post(|x| two(x)).layer(three(4)))"#, &["GET /a", "POST /a"][..]),
        (r#"r.route( "/b", axum::routing::delete(one), ).route("/c", head(two))"#, &["DELETE /b", "HEAD /c"]),
        (r#"r.route("/d", any(up).with_state(s.t()))"#, &["ANY /d"]),
    ] {
        assert_eq!(read(text), Ok(routes.iter().map(|route| (*route).to_owned()).collect()), "{text}");
    }
    for text in [
        r#"r.route(PATH, get(one))"#,
        r#"r.route("/a", handlers)"#,
        r#"r.route("/a", on(MethodFilter::GET, one))"#,
        r#"r.route("/a", get_service(one))"#,
        r#"r.route_service("/a", one)"#,
        r#"r.nest_service("/a", one)"#,
        r#"r.nest("/a", one)"#,
        r#"r.fallback(one)"#,
        r#"r.fallback_service(one)"#,
    ] {
        assert!(read(text).is_err(), "{text}: {:?}", read(text));
    }
}
