//! The routes that the sources register, so that none can be forgotten in the table of [`super::routes`].

use std::collections::BTreeSet;

use crate::layout::sources;

/// `METHOD path` of every route below `src/http` and `src/doors`.
pub fn routes() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, text) in sources("src/http").into_iter().chain(sources("src/doors")) {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let whole: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for statement in whole.split(';') {
            let is_page = !path.ends_with("router.rs") || statement.contains("let pages = Router::new()");
            for route in statement.split(".route(").skip(1) {
                let mut quoted = route.split('"');
                let (Some(_), Some(route_path)) = (quoted.next(), quoted.next()) else { continue };
                // All that the router builds without a prefix, but for pages, it nests below one.
                let prefix = if is_page || route_path.starts_with("/api/") { "" } else { "/api/v1" };
                let handlers = quoted.next().unwrap_or_default();
                let names = ["get", "post", "put", "patch", "delete", "any"];
                let methods = names
                    .iter()
                    .filter(|name| handlers.contains(&format!(" {name}(")) || handlers.contains(&format!(".{name}(")));
                found.extend(methods.map(|method| format!("{} {prefix}{route_path}", method.to_uppercase())));
            }
        }
    }
    assert!(found.len() > 30, "the sources are read: {found:?}");
    found
}
