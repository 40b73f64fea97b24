//! Reads a team from a TOML file and reports all of its errors at once.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::permissions::check_permissions;
use super::starters::{MAX_NAME_CHARS, check_starters, is_team_name};
use super::{toml_values, topology};
use crate::kernel::schema::json_error;
use crate::kernel::topology::Topology;
use crate::kernel::{Agent, AgentId, Skeleton, Team, flow, is_blank};
use crate::{json_pointer, toml_error};

/// Length and characters of an agent's id, for error messages.
const ID_CHARS: &str = "1 to 64 of A-Z a-z 0-9 _ . -";

/// Maximum number of structural errors in a file: one more than a report lists, so that it can say that there are more.
const MAX_FILE_ERRORS: usize = 101;
/// Maximum number of characters in an error message.
const MAX_ERROR_CHARS: usize = 300;

/// Reads the team of a file.
///
/// # Errors
/// Fails with one line per error, worded for the author of the file.
pub(super) fn parse_team(text: &str) -> Result<Team, Vec<String>> {
    let without_pointers = |errors: FileErrors| errors.into_iter().map(|(_, message)| message).collect::<Vec<_>>();
    let team = read_team(text).map_err(without_pointers)?;
    let mut error = find_errors(&team);
    error.extend(if team.flow.as_ref() == topology::FLOW { topology::check_team(&team) } else { vec![] });
    if error.is_empty() { Ok(team) } else { Err(error) }
}

/// A team file whose topology has not been checked.
pub(super) struct TeamFile {
    /// The file as JSON.
    pub(super) value: Value,
    /// Errors, each with a JSON Pointer into the file; the pointer is empty for an error in the whole file.
    pub(super) errors: FileErrors,
    /// The team; `None` if the file does not have the structure of a team.
    pub(super) team: Option<Team>,
}

/// Reads a file without checking its topology.
///
/// # Errors
/// Fails with one error if the text is not TOML.
pub(super) fn read_without_topology_check(text: &str) -> Result<TeamFile, FileErrors> {
    let (value, mut errors) = read_value(text)?;
    let team = errors.is_empty().then(|| deserialize(&value)).transpose();
    let team = team.unwrap_or_else(|found| {
        errors.extend(found);
        None
    });
    errors.extend(team.iter().flat_map(find_errors).map(|message| (String::new(), message)));
    Ok(TeamFile { value, errors, team })
}

/// Errors in a team file: pairs of a JSON Pointer, which is empty for an error in the whole file, and a message.
type FileErrors = Vec<(String, String)>;

/// Reads a team file; fails if it does not conform to the schema of a team.
fn read_team(text: &str) -> Result<Team, FileErrors> {
    let (value, errors) = read_value(text)?;
    if errors.is_empty() { deserialize(&value) } else { Err(errors) }
}

/// Reads a file as JSON. Returns the JSON and the errors in its structure.
///
/// # Errors
/// Fails with one error if the text is not TOML.
fn read_value(text: &str) -> Result<(Value, FileErrors), FileErrors> {
    let of_file = |message: String| vec![(String::new(), message)];
    let mut table: toml::Table =
        text.parse().map_err(|error| of_file(format!("invalid TOML: {}", toml_error::describe(text, &error))))?;
    let mut errors = toml_values::find_inexpressible(&table, MAX_FILE_ERRORS);
    if !errors.is_empty() {
        toml_values::replace_inexpressible(&mut table);
    }
    let value = serde_json::to_value(table).map_err(|error| of_file(error.to_string()))?;
    let faults = SCHEMA.validator.iter().flat_map(|validator| validator.iter_errors(&value));
    let faults = faults.take(MAX_FILE_ERRORS).map(|fault| {
        let pointer = fault.instance_path().as_str().to_owned();
        (pointer, SCHEMA.describe_fault(&fault, &value))
    });
    let known: BTreeSet<String> = errors.iter().map(|(pointer, _)| pointer.clone()).collect();
    errors.extend(faults.filter(|(pointer, _)| !known.contains(pointer)));
    Ok((value, errors))
}

fn deserialize(value: &Value) -> Result<Team, FileErrors> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let pointer = json_pointer::of_path(error.path());
        let message =
            format!("{pointer}: {}", json_error::plain(error.inner())).chars().take(MAX_ERROR_CHARS).collect();
        vec![(pointer, message)]
    })
}

/// Returns the errors in a team that the field types do not rule out, except errors in its topology.
fn find_errors(team: &Team) -> Vec<String> {
    // Most other errors would only be consequences of the unknown flow.
    if flow::flow_named(&team.flow).is_none() {
        return flow::check(team).err().into_iter().collect();
    }
    let mut errors = vec![];
    if !is_team_name(&team.name) {
        errors.push(format!("name: {:?} is invalid; use 1 to {MAX_NAME_CHARS} letters, digits, _, - or .", team.name));
    }
    if is_blank(&team.title) {
        errors.push("title: empty; describe in a few words what the team is for".into());
    } else {
        let error = topology::label_error("title", &team.title, topology::MAX_TEAM_NAME_CHARS);
        errors.extend(error.map(|(_, message)| format!("title: {message}")));
    }
    errors.extend(check_starters(&team.starters).err().map(|(_, message)| format!("starters: {message}")));
    errors.extend(find_agent_errors(team));
    if team.agents.is_empty() {
        errors.push("agents: none; add at least one agent".into());
    } else if team.flow.as_ref() != topology::FLOW {
        errors.extend(flow::check(team).err());
    }
    if team.topology.is_some() && team.flow.as_ref() != topology::FLOW {
        errors.push(format!("topology: flow {} has no topology; remove it, or use flow topology", team.flow));
    }
    match &*team.flow {
        _ if team.steps.is_empty() => {}
        // A router never chooses a workflow that cannot run, and the team's author would not learn why.
        "router" => errors.extend(flow::flow_named("workflow").and_then(|workflow| workflow.check(team).err())),
        "workflow" => {}
        other => errors.push(format!("steps: flow {other} has no steps; remove them, or use flow workflow or router")),
    }
    errors
}

/// Returns the errors in the team's agents that do not depend on the rules of its flow.
fn find_agent_errors(team: &Team) -> Vec<String> {
    let mut errors = vec![];
    let mut ids = BTreeSet::new();
    let known: Vec<_> =
        team.agents.iter().map(|agent| [Skeleton::of(&agent.name), Skeleton::of(agent.id.as_str())]).collect();
    // The checks of a topology cover the texts of its agents.
    let is_plain = team.flow.as_ref() != topology::FLOW;
    for (agent, own) in team.agents.iter().zip(&known) {
        let Agent { id, name, title, prompt, permissions, .. } = agent;
        // Mentions ignore case.
        if !ids.insert(id.as_str().to_lowercase()) {
            errors.push(format!("agent {id}: another agent has the same id; choose another id"));
        }
        if ["all", "people"].contains(&id.as_str().to_lowercase().as_str()) {
            errors.push(format!("agent {id}: the mention @{id} is reserved; choose another id"));
        }
        if is_plain {
            errors.extend(find_text_errors(id, name, title, prompt));
            errors.extend(find_unused_fields(agent));
        }
        // People mention agents by id or by name. In a topology, agents of different nodes can have the same name.
        let called = |(other, names): &(&Agent, &[Skeleton; 2])| {
            !is_same_name(other.id.as_str(), id.as_str()) && names.iter().any(|one| own[0].resembles(one))
        };
        let other = team.agents.iter().zip(&known).find(called).filter(|_| !is_blank(name) && is_plain);
        if let Some((other, _)) = other {
            errors.push(format!(
                "agent {id}: name: agent {} is also called {name}, or looks so, and mentions would be ambiguous; choose \
                 another name",
                other.id
            ));
        }
        errors.extend(check_permissions(permissions).into_iter().map(|text| format!("agent {id}: {text}")));
    }
    errors
}

/// Returns an error for each field that is set but used only in the `topology` flow: it would be silently ignored.
fn find_unused_fields(Agent { id, prompt_template, node, priority, .. }: &Agent) -> Vec<String> {
    let fields =
        [("prompt_template", prompt_template.is_some()), ("node", node.is_some()), ("priority", *priority != 0)];
    let set = fields.into_iter().filter(|(_, is_set)| *is_set);
    set.map(|(field, _)| format!("agent {id}: {field}: only the flow topology uses it; remove it")).collect()
}

/// Returns the errors in an agent's id, name, title and prompt in a team without a topology.
fn find_text_errors(id: &AgentId, name: &str, title: &str, prompt: &str) -> Vec<String> {
    let mut errors = vec![];
    if id.as_str().len() > Topology::MAX_ID_BYTES || id.as_str().contains(Topology::AGENT_SEPARATOR) {
        errors.push(format!("agent {id}: id: invalid; use {ID_CHARS}"));
    }
    let name_error = topology::agent_name_error(name);
    errors.extend(name_error.map(|(_, message)| format!("agent {id}: name: {message}")));
    if !title.is_empty() {
        let error = topology::label_error("title", title, topology::MAX_TEAM_NAME_CHARS);
        errors.extend(error.map(|(_, message)| format!("agent {id}: title: {message}")));
    }
    if is_blank(prompt) {
        errors.push(format!("agent {id}: prompt: empty; write what the agent does"));
    } else if prompt.contains('\0') {
        errors.push(format!("agent {id}: prompt: it contains a NUL character; remove it"));
    }
    errors
}

/// Returns whether two names are the same in a mention. Mentions ignore case.
fn is_same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Schema of team files.
struct TeamFileSchema {
    schema: Value,
    /// Always present, which a test checks. Without it, only the first error would be reported, by deserialization.
    validator: Option<Validator>,
}

static SCHEMA: LazyLock<TeamFileSchema> = LazyLock::new(|| {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<Team>().to_value();
    topology::inline_enum_values(&mut schema);
    // The server sets this field when it copies a stored team.
    schema.get_mut("properties").and_then(Value::as_object_mut).and_then(|fields| fields.remove("origin"));
    let validator = jsonschema::validator_for(&schema).ok();
    TeamFileSchema { schema, validator }
});

impl TeamFileSchema {
    /// Returns the message of a validation error, with its location.
    fn describe_fault(&self, fault: &ValidationError, file: &Value) -> String {
        let (mut place, mut schema, mut value) = (String::new(), &self.schema, file);
        for part in fault.instance_path().as_str().split('/').skip(1) {
            match part.parse::<usize>() {
                Ok(at) => {
                    (schema, value) = (&schema["items"], &value[at]);
                    let id = value["id"].as_str().map_or_else(|| (at + 1).to_string(), str::to_owned);
                    place = format!("{} {id}: ", place.trim_end_matches(": ").trim_end_matches('s'));
                }
                Err(_) => {
                    (schema, value) = (&schema["properties"][part], &value[part]);
                    place.push_str(&format!("{part}: "));
                }
            }
        }
        let fields = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        let description = match fault.kind() {
            Kind::AdditionalProperties { unexpected } => {
                let fields = fields.collect::<Vec<_>>().join(", ");
                format!("unknown field {}; known fields: {fields}", unexpected.join(", "))
            }
            Kind::Required { property } => format!("{} is missing", property.as_str().unwrap_or_default()),
            Kind::Enum { options } => {
                let options: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                format!("{value} is invalid; use one of {}", options.join(", "))
            }
            // Only agent ids have a pattern.
            Kind::Pattern { .. } => format!("{value} is invalid; use {ID_CHARS}"),
            _ => fault.to_string(),
        };
        format!("{place}{description}").chars().take(MAX_ERROR_CHARS).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::teams::builtin_teams;

    const GOOD: &str = r#"
name = "mine"
title = "Mine"
flow = "react"

[[agents]]
id = "Worker"
name = "Worker"
role = "worker"
prompt = "You are Worker."
tools = ["*"]
permissions = [{ tool = "push", arguments = '*"branch":"main"*', permission = "deny" }]
"#;

    #[test]
    fn a_whole_file_is_a_team() {
        let team = parse_team(GOOD).expect("is right");
        assert_eq!((&*team.name, &*team.agents[0].permissions[0].tool), ("mine", "push"));
        assert!(SCHEMA.validator.is_some());
        for name in builtin_teams::all().iter().map(|team| &team.name) {
            assert_eq!(parse_team(builtin_teams::text(name).expect("a text")).map(|team| team.name), Ok(name.clone()));
        }
    }

    #[test]
    fn a_field_that_the_flow_does_not_use_is_an_error() {
        let wrong =
            GOOD.replace("prompt = \"You are Worker.\"", "prompt = \"You are Worker.\"\nprompt_template = \"{task}\"");
        assert!(wrong != GOOD);
        let errors = parse_team(&wrong).expect_err("is wrong");
        assert_eq!(errors, ["agent Worker: prompt_template: only the flow topology uses it; remove it"]);
    }

    #[test]
    fn every_fault_is_said_with_its_place() {
        let wrong = GOOD
            .replace("flow", "flaw")
            .replace("tools", "tolls")
            .replace("\"worker\"", "\"work\"")
            .replace("prompt = \"You are Worker.\"", "prompt = 5")
            .replace("\"deny\"", "\"refuse\"");
        let errors = parse_team(&wrong).expect_err("is wrong").join("\n");
        for message in [
            "unknown field flaw; known fields: name, title, flow, language, starters, agents, steps, topology",
            "flow is missing",
            "agent Worker: unknown field tolls; known fields: id, name, role, title, prompt, prompt_template, node, priority, model, temperature, max_tokens, tools, tool_choice, permissions",
            "agent Worker: role: \"work\" is invalid; use one of generator, reviewer, optimizer, worker",
            "agent Worker: prompt: 5 is not of type \"string\"",
            "agent Worker: permission 1: permission: \"refuse\" is invalid; use one of allow, ask, deny",
        ] {
            assert!(errors.lines().any(|line| line.starts_with(message)), "{message}\n\n{errors}");
        }
        assert_eq!(errors.lines().count(), 6, "{errors}");
    }

    #[test]
    fn semantic_errors_are_reported() {
        let twice = format!("{GOOD}\n[[agents]]\nid = \"worker\"\nname = \"\"\nrole = \"worker\"\nprompt = \"\"\n");
        let steps = "\n[[steps]]\nagent = \"Worker\"\naction = \"x\"\n";
        let wrong = (twice + steps).replace("mine", "my team").replace("react", "brain").replace("Mine", " ");
        let found = parse_team(&wrong).expect_err("is wrong");
        for message in [
            "name: \"my team\" is invalid",
            "title: empty",
            "agent worker: another agent has the same id",
            "agent worker: name: the name is empty",
            "agent worker: prompt: empty",
            "flow brain requires agents in the roles planner, executor",
            "steps: flow brain has no steps",
        ] {
            assert!(found.iter().any(|line| line.starts_with(message)), "{message}: {found:#?}");
        }
        assert_eq!(found.len(), 7, "{found:#?}");
        let fits_nothing = parse_team(&GOOD.replace("*\"branch\":\"main\"*", "branch=main")).expect_err("is wrong");
        assert!(fits_nothing[0].starts_with("agent Worker: permission 1: arguments: \"branch=main\" matches no call"));
        let file = GOOD.replace("\"deny\" }]", "\"deny\" }, { tool = \"ask_people\", permission = \"ask\" }]");
        let errors = parse_team(&file).expect_err("is wrong");
        assert!(
            errors[0].starts_with("agent Worker: permission 2: ask_people can only be allowed or denied"),
            "{errors:?}"
        );
        let second = |id: &str, name: &str| {
            format!("{GOOD}\n[[agents]]\nid = \"{id}\"\nname = \"{name}\"\nrole = \"worker\"\nprompt = \"x\"\n")
        };
        for name in ["worker", "WORKER"] {
            let alike = parse_team(&second("Second", name)).expect_err("is wrong");
            assert!(
                alike[1].starts_with(&format!("agent Second: name: agent Worker is also called {name}")),
                "{alike:?}"
            );
        }
        assert!(parse_team(&second("Second", "Bob")).is_ok());
        let all = parse_team(&GOOD.replace("id = \"Worker\"", "id = \"All\"")).expect_err("is wrong");
        assert_eq!(all, ["agent All: the mention @All is reserved; choose another id"]);
        let step = "[[steps]]\nagent = \"Nobody\"\naction = \"x\"\n";
        let routed =
            parse_team(&format!("{}{step}", builtin_teams::text("router-en").expect("a text"))).expect_err("is wrong");
        assert_eq!(routed, ["steps name the agent Nobody, which the team does not have"]);
        for name in ["W0rker", "Wоrker", "Work er"] {
            let alike = parse_team(&second("Second", name)).expect_err("is wrong");
            assert!(alike[0].contains("is also called"), "{name}: {alike:?}");
        }
        let text = parse_team("name = \"x\"\ntitle = ").expect_err("is no TOML");
        assert!(text[0].starts_with("invalid TOML: line 2: "), "{text:?}");
    }

    #[test]
    fn texts_and_ids_that_mislead_are_reported() {
        for (from, to, message) in [
            ("\"Mine\"", "\"Mi\u{202e}ne\"", "title: the title has line breaks or invisible characters; remove them"),
            ("name = \"Worker\"", "name = \"W\u{200b}\"", "agent Worker: name: the name has line breaks or invisible"),
            ("name = \"Worker\"", "name = \"People\"", "agent Worker: name: the name is reserved"),
            ("name = \"Worker\"", "name = \"Roundtab1e\"", "agent Worker: name: the name is reserved"),
            ("\"You are Worker.\"", "\"\u{200b} \"", "agent Worker: prompt: empty"),
            ("id = \"Worker\"", "id = \"a/b\"", "agent a/b: id: invalid; use 1 to 64 of A-Z a-z 0-9 _ . -"),
            ("id = \"Worker\"", "id = \"a b\"", "agent a b: id: \"a b\" is invalid; use 1 to 64 of A-Z a-z 0-9 _ . -"),
            ("flow =", "starters = [\"a\u{202e}b\"]\nflow =", "starters: a starter has invisible characters"),
        ] {
            let errors = parse_team(&GOOD.replacen(from, to, 1)).expect_err("is wrong");
            assert!(errors[0].starts_with(message) && errors.len() == 1, "{message}: {errors:?}");
        }
        let long = "x".repeat(65);
        let errors =
            parse_team(&GOOD.replacen("id = \"Worker\"", &format!("id = \"{long}\""), 1)).expect_err("is wrong");
        assert!(errors[0].contains("id: invalid; use 1 to 64"), "{errors:?}");
        let rules = GOOD.replace("[{ tool", "[{ tool = \"a\", arguments = \"x\", permission = \"deny\" }, { tool");
        let errors = parse_team(&rules.replace("'*\"branch\":\"main\"*'", "\"x\"")).expect_err("is wrong");
        assert!(errors[0].contains("permission 1: ") && errors[1].contains("permission 2: "), "{errors:?}");
    }
}
