//! Merges flags, environment, file and defaults into one configuration.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value as Schema;
use toml::{Table, Value};

use super::{Config, check, key};
use crate::toml_error;

/// Source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueSource {
    /// No source sets the value.
    Default,
    /// The configuration file at this path.
    File(PathBuf),
    /// The environment variable with this name.
    Environment(String),
    /// The flag with this name.
    Flag(String),
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// Inputs of the configuration: the file to read, the environment, and flags as `(setting, value, flag)`.
#[derive(Debug, Clone, Default)]
pub struct ConfigInput {
    /// File that a flag or `ROUNDTABLE_CONFIG` names. If absent, `roundtable.toml` is read if it exists.
    pub file: Option<PathBuf>,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Values from flags, as `(setting, value, flag)`.
    pub flags: Vec<(String, String, String)>,
}

/// A checked configuration with the source of each value.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    /// The values in force.
    pub config: Config,
    pub(super) sources: BTreeMap<String, ValueSource>,
}

/// Errors in a configuration, one line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid configuration; fix these settings:\n{}", .0.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError(pub Vec<String>);

impl ConfigInput {
    /// Collects the environment of this process. The file is the given one, otherwise the one that `ROUNDTABLE_CONFIG`
    /// names.
    pub fn from_process(file: Option<PathBuf>, flags: Vec<(String, String, String)>) -> Self {
        let environment: Vec<_> = std::env::vars().filter(|(name, _)| name.starts_with("ROUNDTABLE_")).collect();
        let named = environment.iter().find(|(name, value)| name == "ROUNDTABLE_CONFIG" && !value.is_empty());
        let file = file.or_else(|| named.map(|(_, value)| value.into()));
        Self { file, environment, flags }
    }
}

/// Returns the configuration in force.
///
/// # Errors
/// Fails with the errors in the configuration. Constraints between settings are checked only if each value is valid.
pub fn load(given: &ConfigInput) -> Result<LoadedConfig, ConfigError> {
    let schema = key::schema();
    let mut layers = ConfigLayers { schema: &schema, values: Table::new(), sources: BTreeMap::new(), errors: vec![] };
    let usual = || Some(PathBuf::from("roundtable.toml")).filter(|path| path.exists());
    let file = given.file.clone().or_else(usual);
    if let Some(path) = &file {
        layers.file(path);
    }
    for (variable, text) in &given.environment {
        layers.variable(variable, text);
    }
    for (name, text, flag) in &given.flags {
        layers.text(name, text, &ValueSource::Flag(flag.clone()));
    }
    let ConfigLayers { values, sources, mut errors, .. } = layers;
    if !errors.is_empty() {
        return Err(ConfigError(errors));
    }
    let mut config: Config = Value::Table(values)
        .try_into()
        .map_err(|error: toml::de::Error| ConfigError(vec![error.to_string().trim().replace('\n', " ")]))?;
    config.file = file;
    check::check(&config, &mut errors);
    if errors.is_empty() { Ok(LoadedConfig { config, sources }) } else { Err(ConfigError(errors)) }
}

struct ConfigLayers<'a> {
    schema: &'a Schema,
    values: Table,
    sources: BTreeMap<String, ValueSource>,
    errors: Vec<String>,
}

impl ConfigLayers<'_> {
    fn file(&mut self, path: &Path) {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                self.errors.push(format!("the file {} cannot be read: {error}", path.display()));
                return;
            }
        };
        match text.parse::<Table>() {
            Ok(table) => self.lay(&mut vec![], Value::Table(table), &ValueSource::File(path.to_owned())),
            Err(error) => {
                let (path, why) = (path.display(), toml_error::describe(&text, &error));
                self.errors.push(format!("the file {path} is not TOML: {why}"));
            }
        }
    }

    fn variable(&mut self, variable: &str, text: &str) {
        let Some(rest) = variable.strip_prefix("ROUNDTABLE_").filter(|rest| *rest != "CONFIG") else { return };
        // Shells and compose files express "not set" as an empty value.
        if text.is_empty() {
            return;
        }
        let name = rest.to_lowercase().replace("__", ".");
        if self.find(&name).is_none() {
            let nearest = key::nearest_name(self.schema, &name).map(|name| key::environment_variable(&name));
            self.errors.push(format!("{variable}: {}", no_such_setting(nearest)));
            return;
        }
        self.text(&name, text, &ValueSource::Environment(variable.to_owned()));
    }

    fn text(&mut self, name: &str, text: &str, source: &ValueSource) {
        let Some(schema) = self.find(name) else {
            self.unknown(name, source);
            return;
        };
        match parse_value(schema, text) {
            Ok(value) => self.lay(&mut name.split('.').map(str::to_owned).collect(), value, source),
            Err(expected) => self.errors.push(format!("{name} ({source}): {expected}")),
        }
    }

    fn find(&self, name: &str) -> Option<&Schema> {
        name.split('.').try_fold(self.schema, key::schema_of)
    }

    fn unknown(&mut self, name: &str, source: &ValueSource) {
        let nearest = key::nearest_name(self.schema, name);
        self.errors.push(format!("{name} ({source}): {}", no_such_setting(nearest)));
    }

    /// Sets a value, or every value of a table, and replaces the values from earlier sources.
    fn lay(&mut self, path: &mut Vec<String>, value: Value, source: &ValueSource) {
        let name = path.join(".");
        let schema = if path.is_empty() { Some(self.schema) } else { self.find(&name) };
        let Some(schema) = schema else {
            self.unknown(&name, source);
            return;
        };
        match value {
            Value::Table(table) if key::table_schema(schema).is_some() => {
                // Insert empty tables too, so that, for example, an MCP server without settings fails its check.
                table_at(&mut self.values, path);
                for (key, value) in table {
                    path.push(key);
                    self.lay(path, value, source);
                    path.pop();
                }
            }
            value => {
                if let Err(expected) = check::check_value(schema, &value) {
                    self.errors.push(format!("{name} ({source}): {expected}"));
                    return;
                }
                let Some((last, tables)) = path.split_last() else { return };
                let Some(place) = table_at(&mut self.values, tables) else { return };
                place.insert(last.clone(), value);
                self.sources.insert(name, source.clone());
            }
        }
    }
}

/// Returns the table at this path, creating it if it is missing. Returns `None` if the path leads to or through a value
/// that is not a table.
fn table_at<'a>(values: &'a mut Table, path: &[String]) -> Option<&'a mut Table> {
    path.iter().try_fold(values, |place, table| {
        place.entry(table.clone()).or_insert_with(|| Value::Table(Table::new())).as_table_mut()
    })
}

/// Parses a value from the environment or a flag according to the schema of its setting.
fn parse_value(schema: &Schema, text: &str) -> Result<Value, String> {
    if key::accepts_kind(schema, "boolean") {
        return match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(Value::Boolean(true)),
            "false" | "0" | "no" | "off" => Ok(Value::Boolean(false)),
            _ => Err("expected true or false".into()),
        };
    }
    if key::accepts_kind(schema, "integer") {
        return text.parse().map(Value::Integer).map_err(|_| check::describe_accepted(schema));
    }
    if key::accepts_kind(schema, "number") {
        return text.parse().map(Value::Float).map_err(|_| check::describe_accepted(schema));
    }
    if key::accepts_kind(schema, "array") && !text.starts_with('[') {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        return Ok(Value::Array(items.map(|item| Value::String(item.to_owned())).collect()));
    }
    if key::accepts_kind(schema, "array") || key::accepts_kind(schema, "object") {
        let table = format!("value = {text}").parse::<Table>().map_err(|_| "expected a value in TOML syntax")?;
        return table.get("value").cloned().ok_or_else(|| "expected a value in TOML syntax".to_owned());
    }
    Ok(Value::String(text.to_owned()))
}

fn no_such_setting(nearest: Option<String>) -> String {
    match nearest {
        Some(nearest) => format!("there is no such setting; did you mean {nearest}?"),
        None => "there is no such setting; `roundtable config` lists them".into(),
    }
}
