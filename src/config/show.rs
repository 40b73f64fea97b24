//! The configuration in force as TOML: what each setting means, its value, where that came from. Secrets are masked.

use serde_json::Value as Schema;
use toml::{Table, Value};

use super::{Loaded, Source, key};

impl Loaded {
    /// The whole configuration as a commented TOML file that could be used again, but for its secrets.
    pub fn show(&self) -> String {
        let values = Table::try_from(&self.config).unwrap_or_default();
        let mut out = String::new();
        self.table(&key::schema(), &values, "", &mut out);
        out
    }

    fn table(&self, schema: &Schema, values: &Table, path: &str, out: &mut String) {
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let Some(table) = key::table(schema) else { return };
        let known: Vec<String> =
            table["properties"].as_object().into_iter().flatten().map(|(k, _)| k.clone()).collect();
        let free = values.keys().filter(|name| !known.contains(name)).cloned();
        let names: Vec<String> = known.iter().cloned().chain(free).collect();
        // TOML wants a table's own values before the tables inside it.
        let (tables, values_first): (Vec<_>, Vec<_>) = names
            .into_iter()
            .filter_map(|name| key::inside(schema, &name).map(|schema| (name, schema)))
            .partition(|(_, schema)| key::table(schema).is_some());
        for (name, schema) in values_first {
            self.value(&name, schema, values.get(&name), &below(&name), out);
        }
        for (name, schema) in tables {
            let empty = Table::new();
            let inner = values.get(&name).and_then(Value::as_table).unwrap_or(&empty);
            out.push('\n');
            comment(schema, out);
            let only_tables = !inner.is_empty() && inner.values().all(Value::is_table);
            if key::table(schema).is_some_and(|table| table["properties"].is_object()) || !only_tables {
                out.push_str(&format!("[{}]\n", below(&name)));
            }
            self.table(schema, inner, &below(&name), out);
        }
    }

    fn value(&self, name: &str, schema: &Schema, value: Option<&Value>, path: &str, out: &mut String) {
        comment(schema, out);
        let source = self.sources.get(path).unwrap_or(&Source::Default);
        match value {
            Some(value) => out.push_str(&format!("{name} = {}  # {source}\n", mask(schema, value))),
            None => out.push_str(&format!("# {name} is not set\n")),
        }
    }
}

fn comment(schema: &Schema, out: &mut String) {
    for line in schema["description"].as_str().unwrap_or_default().lines() {
        out.push_str(&format!("# {line}\n"));
    }
}

/// The value as TOML, without what is secret in it.
fn mask(schema: &Schema, value: &Value) -> String {
    match (schema["x-secret"].as_str(), value) {
        (Some("url"), Value::String(url)) => Value::String(mask_url(url)).to_string(),
        (Some(_), _) => "\"********\"".into(),
        (None, value) => value.to_string(),
    }
}

/// A URL without the password in it.
fn mask_url(url: &str) -> String {
    let url = &mask_query(url);
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // A password may hold an `@` that nobody escaped; the last one ends it.
    let Some(at) = rest[..end].rfind('@').or_else(|| rest.rfind('@')) else { return url.to_owned() };
    let Some(colon) = rest[..at].find(':') else { return url.to_owned() };
    format!("{scheme}://{}:********{}", &rest[..colon], &rest[at..])
}

/// The URL of a socket in the file system has its password in the query.
fn mask_query(url: &str) -> String {
    let Some((before, query)) = url.split_once('?') else { return url.to_owned() };
    let masked = query.split('&').map(|field| match field.split_once('=') {
        Some((name @ ("pass" | "password"), _)) => format!("{name}=********"),
        _ => field.to_owned(),
    });
    format!("{before}?{}", masked.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::mask_url;

    #[test]
    fn a_password_in_a_url_is_masked() {
        assert_eq!(mask_url("postgres://ann:s3/cr@et@db/x"), "postgres://ann:********@db/x");
        assert_eq!(mask_url("postgres://ann@db/x"), "postgres://ann@db/x");
        assert_eq!(mask_url("sqlite:data/x.db"), "sqlite:data/x.db");
        assert_eq!(mask_url("unix:///r.sock?user=ann&pass=s3cret&db=1"), "unix:///r.sock?user=ann&pass=********&db=1");
        assert_eq!(mask_url("redis://:s3?cret@host"), "redis://:********@host");
    }
}
