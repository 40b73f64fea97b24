//! The document of a team file that has errors, as far as the file can be read. The checks find further errors in this
//! document, so that the author of the file learns about all errors at once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::catalog::ReferenceCatalog;
use crate::kernel::AgentRole;
use crate::kernel::topology::Topology;

/// Fields of an agent that have the same name in a document, for a supervisor in its `options`.
const OPTIONS: [&str; 6] = ["title", "tools", "tool_choice", "permissions", "temperature", "max_tokens"];

/// Returns the document of a team file. Parts that cannot be read are null, and the checks ignore them.
pub(super) fn partial_document(file: &Value, catalog: &ReferenceCatalog) -> Value {
    let topology = &file["topology"];
    let places = AgentPlaces::of(file);
    let mut seen = BTreeSet::new();
    let nodes = topology["nodes"].as_array().map(|nodes| {
        // Take one node more than allowed, so that the checks see that there are too many.
        let nodes = nodes.iter().take(Topology::MAX_NODES + 1);
        nodes.map(|node| node_document(node, &places, &mut seen, catalog)).collect::<Vec<Value>>()
    });
    let edge = |edge: &Value| {
        json!({
            "source_node_id": edge["source"], "target_node_id": edge["target"], "relation_type": edge["relation"],
            "attributes": edge["attributes"],
        })
    };
    let edges = topology["edges"].as_array().map(|edges| edges.iter().map(edge).collect::<Vec<Value>>());
    let mut global = places.global.map_or(Value::Null, |agent| supervisor_document(agent, catalog));
    if global.is_object() {
        global["coordination_strategy"] = topology["strategy"].clone();
    }
    json!({
        "team_name": file["title"], "description": topology["description"], "slug": file["name"],
        "starters": file["starters"], "timeout_seconds": topology["timeout_seconds"],
        "max_iterations": topology["max_iterations"],
        "topology": {
            "nodes": nodes, "edges": edges, "allow_isolated_nodes": topology["allow_isolated_nodes"],
            "global_supervisor": global,
        },
    })
}

/// Removes the values that the checks of every team file cover, so that no error is reported twice.
pub(super) fn remove_checked(document: &mut Value) {
    for field in ["team_name", "slug", "starters"] {
        document[field] = Value::Null;
    }
    let topology = &mut document["topology"];
    let global = topology.get_mut("global_supervisor");
    remove_permissions(global.and_then(|supervisor| supervisor.get_mut("options")));
    for node in topology.get_mut("nodes").and_then(Value::as_array_mut).into_iter().flatten() {
        let supervisor = node.get_mut("supervisor_config");
        remove_permissions(supervisor.and_then(|supervisor| supervisor.get_mut("options")));
        let agents = node.get_mut("agents").and_then(Value::as_array_mut);
        agents.into_iter().flatten().for_each(|agent| remove_permissions(Some(agent)));
    }
}

fn remove_permissions(agent: Option<&mut Value>) {
    if let Some(fields) = agent.and_then(Value::as_object_mut) {
        fields.remove("permissions");
    }
}

/// Agents of a file, grouped by their places in the topology, as far as the places can be read.
struct AgentPlaces<'a> {
    /// Agents of each node, with their ids in the node.
    of_nodes: BTreeMap<&'a str, Vec<(&'a str, &'a Value)>>,
    supervisors: BTreeMap<&'a str, &'a Value>,
    global: Option<&'a Value>,
    /// True if every agent has a readable place. If false, a node that seems to have no agents might have some.
    is_complete: bool,
}

impl<'a> AgentPlaces<'a> {
    fn of(file: &'a Value) -> Self {
        let agents = file["agents"].as_array();
        let (of_nodes, supervisors) = (BTreeMap::new(), BTreeMap::new());
        let mut places = Self { of_nodes, supervisors, global: None, is_complete: agents.is_some() };
        for agent in agents.into_iter().flatten() {
            let is_placed = places.place(agent).is_some();
            places.is_complete &= is_placed;
        }
        places
    }

    fn place(&mut self, agent: &'a Value) -> Option<()> {
        let (id, node) = (agent["id"].as_str()?, agent["node"].as_str());
        let role: AgentRole = serde_json::from_value(agent["role"].clone()).ok()?;
        match (role, node) {
            (AgentRole::Supervisor, None) => self.global = Some(agent),
            (AgentRole::Supervisor, Some(node)) => _ = self.supervisors.insert(node, agent),
            (_, None) => return None,
            (_, Some(node)) => {
                let id = id.strip_prefix(node)?.strip_prefix(Topology::AGENT_SEPARATOR)?;
                self.of_nodes.entry(node).or_default().push((id, agent));
            }
        }
        Some(())
    }
}

fn node_document<'a>(
    node: &'a Value,
    places: &AgentPlaces<'a>,
    seen: &mut BTreeSet<&'a str>,
    catalog: &ReferenceCatalog,
) -> Value {
    let id = node["id"].as_str();
    // A second node with the same id is a separate error.
    let is_first = id.is_some_and(|id| seen.insert(id));
    let placed = id.filter(|_| is_first).and_then(|id| places.of_nodes.get(id));
    let agents = match placed {
        Some(agents) => {
            let agents = agents.iter().take(Topology::MAX_AGENTS + 1);
            json!(agents.map(|(id, agent)| agent_document(id, agent, catalog)).collect::<Vec<Value>>())
        }
        None if is_first && places.is_complete => json!([]),
        None => Value::Null,
    };
    let supervisor = id.filter(|_| is_first).and_then(|id| places.supervisors.get(id));
    let mut supervisor = supervisor.map_or(Value::Null, |agent| supervisor_document(agent, catalog));
    if supervisor.is_object() {
        supervisor["coordination_strategy"] = node["strategy"].clone();
    }
    json!({
        "node_id": node["id"], "node_name": node["name"], "node_type": node["type"], "attributes": node["attributes"],
        "agents": agents, "supervisor_config": supervisor,
    })
}

fn agent_document(id: &str, agent: &Value, catalog: &ReferenceCatalog) -> Value {
    let mut document = common_fields(agent, catalog);
    document.insert("agent_id".into(), id.into());
    document.insert("agent_name".into(), agent["name"].clone());
    document.insert("user_prompt_template".into(), agent["prompt_template"].clone());
    document.insert("priority".into(), agent["priority"].clone());
    document.extend(options(agent));
    Value::Object(document)
}

fn supervisor_document(agent: &Value, catalog: &ReferenceCatalog) -> Value {
    let mut document = common_fields(agent, catalog);
    let mut options: Map<String, Value> = options(agent).collect();
    options.insert("name".into(), agent["name"].clone());
    document.insert("options".into(), Value::Object(options));
    Value::Object(document)
}

fn common_fields(agent: &Value, catalog: &ReferenceCatalog) -> Map<String, Value> {
    let model = &agent["model"];
    let (provider, model) = match model.is_null() || model.is_string() {
        true => {
            let (provider, model) = catalog.split_model(model.as_str());
            (Value::from(&*provider), Value::from(&*model))
        }
        false => (Value::Null, Value::Null),
    };
    let fields = [("model_provider", provider), ("model_id", model), ("system_prompt", agent["prompt"].clone())];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn options(agent: &Value) -> impl Iterator<Item = (String, Value)> {
    OPTIONS.iter().map(|name| ((*name).to_owned(), agent[*name].clone()))
}
