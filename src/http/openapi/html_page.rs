//! OpenAPI document as an HTML page, without scripts or resources from other servers.

use std::fmt::Write;

use serde_json::Value;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1c1c1c;\
    background:#fff}code,pre{font:14px/1.5 ui-monospace,monospace;background:#f2f2f2;border-radius:3px;padding:0 .2em;\
    overflow-wrap:anywhere}summary{cursor:pointer;padding:.25rem 0}details>*:not(summary){margin-left:1.25rem}\
    table{border-collapse:collapse;display:block;overflow-x:auto}td,th{text-align:left;vertical-align:top;\
    padding:.25rem .75rem .25rem 0;border-bottom:1px solid #ccc}b.method{display:inline-block;min-width:4.5rem}\
    @media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}code,pre{background:#2a2a2a}\
    a{color:#8ab4ff}td,th{border-color:#444}}";

/// Returns the document as an HTML page.
pub(super) fn render(document: &Value) -> String {
    let mut page = String::new();
    let title = text(&document["info"]["title"]);
    page += &format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title} HTTP interface</title><style>{STYLE}</style><main><h1>{title} {}</h1><p>{}</p>\
         <p><a href=\"/api/openapi.json\">OpenAPI document</a></p>",
        text(&document["info"]["version"]),
        text(&document["info"]["description"]),
    );
    for tag in items(&document["tags"]) {
        page += &format!("<h2>{}</h2><p>{}</p>", text(&tag["name"]), text(&tag["description"]));
        for (path, item) in fields(&document["paths"]) {
            for (method, operation) in fields(item).filter(|(_, operation)| operation["tags"][0] == tag["name"]) {
                add_operation(&mut page, document, (method, path), operation);
            }
        }
    }
    page += "<h2>Types</h2>";
    // Browsers open a `details` element if a link points inside it, but not if the link points at the element itself.
    for (name, schema) in fields(&document["components"]["schemas"]) {
        page += &format!("<details><summary><code>{0}</code></summary><div id=\"{0}\">", escape(name));
        add_schema(&mut page, schema);
        page += "</div></details>";
    }
    page + "</main></html>\n"
}

fn add_operation(page: &mut String, document: &Value, (method, path): (&str, &str), operation: &Value) {
    let id = text(&operation["operationId"]);
    *page += &format!(
        "<details><summary><b class=method>{}</b> <code>{}</code> {}</summary><p id=\"{id}\">{}</p><p>{}</p>",
        method.to_ascii_uppercase(),
        escape(path),
        text(&operation["summary"]),
        text(&operation["description"]),
        credentials(&operation["security"]),
    );
    if !items(&operation["parameters"]).is_empty() {
        *page += "<h3>Parameters</h3><table><tr><th>Name<th>In<th>Type<th>Meaning</tr>";
        for parameter in items(&operation["parameters"]) {
            let required = if parameter["required"] == true { " (required)" } else { "" };
            *page += &format!(
                "<tr><td><code>{}</code>{required}<td>{}<td>{}<td>{}</tr>",
                text(&parameter["name"]),
                text(&parameter["in"]),
                type_of(&parameter["schema"]),
                text(&parameter["description"]),
            );
        }
        *page += "</table>";
    }
    if let Some((media_type, content)) = fields(&operation["requestBody"]["content"]).next() {
        *page += &format!("<h3>Body</h3><p><code>{}</code> {}</p>", escape(media_type), type_of(&content["schema"]));
    }
    *page += "<h3>Responses</h3><table><tr><th>Status<th>Content<th>Meaning</tr>";
    for (status, response) in fields(&operation["responses"]) {
        let response = resolve(document, response);
        let content = fields(&response["content"]).next().map_or_else(String::new, |(media_type, content)| {
            let events = &content["x-event-data"];
            let schema = if events.is_null() { &content["schema"] } else { events };
            format!("<code>{}</code> {}", escape(media_type), type_of(schema))
        });
        let about = text(&response["description"]).replace("\n\n", "<br>");
        *page += &format!("<tr><td>{}<td>{content}<td>{about}</tr>", escape(status));
    }
    *page += "</table></details>";
}

fn credentials(security: &Value) -> &'static str {
    match items(security).len() {
        0 => "Needs no credential.",
        3 => "Works without a credential.",
        _ => "Needs a token or a cookie.",
    }
}

/// Adds the fields and the variants of a type.
fn add_schema(page: &mut String, schema: &Value) {
    *page += &format!("<p>{} {}</p>", text(&schema["description"]), type_of(schema));
    let required = items(&schema["required"]);
    let mut rows = String::new();
    for (name, field) in fields(&schema["properties"]) {
        let optional = if required.iter().any(|required| *required == *name) { "" } else { " (optional)" };
        let about = text(&field["description"]);
        // Writing to a `String` cannot fail.
        let _ = write!(rows, "<tr><td><code>{}</code>{optional}<td>{}<td>{about}</tr>", escape(name), type_of(field));
    }
    if !rows.is_empty() {
        *page += &format!("<table><tr><th>Field<th>Type<th>Meaning</tr>{rows}</table>");
    }
    for form in ["oneOf", "anyOf", "allOf"].into_iter().flat_map(|form| items(&schema[form])) {
        if form["properties"].is_object() || !form["const"].is_null() {
            *page += "<details open><summary>One form</summary>";
            add_schema(page, form);
            *page += "</details>";
        }
    }
}

/// Returns a short description of a schema as HTML, with links to types.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("<a href=\"#{0}\">{0}</a>", escape(name));
    }
    for (keyword, between) in [("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")] {
        let forms: Vec<String> = items(&schema[keyword]).iter().map(type_of).filter(|form| !form.is_empty()).collect();
        if !forms.is_empty() && forms.len() < 6 {
            return forms.join(between);
        }
    }
    if !schema["const"].is_null() {
        return format!("<code>{}</code>", escape(&schema["const"].to_string()));
    }
    let values: Vec<String> = items(&schema["enum"]).iter().map(|value| escape(&value.to_string())).collect();
    if !values.is_empty() {
        return format!("<code>{}</code>", values.join("</code>, <code>"));
    }
    let names: Vec<&str> = match &schema["type"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    };
    let items = if names.contains(&"array") { format!(" of {}", type_of(&schema["items"])) } else { String::new() };
    format!("{}{items}", names.join(" or "))
}

/// Returns the shared part of the document that `value` refers to, or `value` itself if it is not a reference.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let path = value["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
    path.and_then(|path| document.pointer(path)).unwrap_or(value)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, field)| (name.as_str(), field))
}

/// Returns a string from the document as HTML, with text in backquotes as `code` elements.
fn text(value: &Value) -> String {
    let escaped = escape(value.as_str().unwrap_or_default());
    let parts = escaped.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part.to_owned() } else { format!("<code>{part}</code>") }).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
