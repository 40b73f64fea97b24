//! Prints the configuration in force as TOML: the meaning, value and source of each setting. Secrets are masked.

use serde_json::Value as Schema;
use toml::{Table, Value};

use super::mask::mask;
use super::{LoadedConfig, ValueSource, key};

impl LoadedConfig {
    /// Returns the whole configuration as a commented TOML file. It can be used as a configuration, except for its
    /// masked secrets.
    pub fn show(&self) -> String {
        let values = Table::try_from(&self.config).expect("a configuration serializes, because its keys are strings");
        let mut out = String::new();
        self.table(&key::schema(), &values, "", &mut out);
        out
    }

    fn table(&self, schema: &Schema, values: &Table, path: &str, out: &mut String) {
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let Some(table) = key::table_schema(schema) else { return };
        let known: Vec<String> =
            table["properties"].as_object().into_iter().flatten().map(|(k, _)| k.clone()).collect();
        let free = values.keys().filter(|name| !known.contains(name)).cloned();
        let names: Vec<String> = known.iter().cloned().chain(free).collect();
        // TOML requires a table's own values before the tables inside it.
        let (tables, values_first): (Vec<_>, Vec<_>) = names
            .into_iter()
            .filter_map(|name| key::schema_of(schema, &name).map(|schema| (name, schema)))
            .partition(|(_, schema)| key::table_schema(schema).is_some());
        for (name, schema) in values_first {
            // A table with names that the operator chooses marks either all of its values as secret or none.
            let secret = schema["x-secret"].as_str().or(table["x-secret"].as_str());
            self.value(&name, (schema, secret), values.get(&name), &below(&name), out);
        }
        for (name, schema) in tables {
            let empty = Table::new();
            let inner = values.get(&name).and_then(Value::as_table).unwrap_or(&empty);
            out.push('\n');
            comment(schema, out);
            // Printing the header of an optional table would set the table, but without values.
            if !values.contains_key(&name) {
                out.push_str(&format!("# [{}] is not set\n", below(&name)));
                continue;
            }
            let only_tables = !inner.is_empty() && inner.values().all(Value::is_table);
            if key::table_schema(schema).is_some_and(|table| table["properties"].is_object()) || !only_tables {
                out.push_str(&format!("[{}]\n", below(&name)));
            }
            self.table(schema, inner, &below(&name), out);
        }
    }

    fn value(
        &self,
        name: &str,
        (schema, secret): (&Schema, Option<&str>),
        value: Option<&Value>,
        path: &str,
        out: &mut String,
    ) {
        comment(schema, out);
        let source = self.sources.get(path).unwrap_or(&ValueSource::Default);
        match value {
            Some(value) => out.push_str(&format!("{name} = {}  # {source}\n", mask(secret, value))),
            None => out.push_str(&format!("# {name} is not set\n")),
        }
    }
}

fn comment(schema: &Schema, out: &mut String) {
    for line in schema["description"].as_str().unwrap_or_default().lines() {
        out.push_str(&format!("# {line}\n"));
    }
}
