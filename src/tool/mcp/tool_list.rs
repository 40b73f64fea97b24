//! Listing of a server's tools, with filters and limits.

use std::collections::BTreeSet;

use rmcp::model::{ClientRequest, CustomResult, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool};
use rmcp::{Peer, RoleClient, ServiceError};
use serde::Deserialize;
use serde_json::{Map, Value};
use tracing::warn;

use super::super::{SideEffect, ToolSpec};
use super::{McpServerSettings, tool_name::tool_name};
use crate::kernel::call::CallSourceKind;
use crate::kernel::schema::size::Recursion;
use crate::kernel::{first_bytes, schema};

/// Maximum number of pages of a list. A faulty server could return an endless number of pages.
const MAX_PAGES: usize = 100;

/// Maximum number of bytes in a tool's schema.
const MAX_SCHEMA_BYTES: usize = 64 * 1024;
/// Maximum number of bytes in a tool's description.
const MAX_DESCRIPTION_BYTES: usize = 1024;

/// A tool that a server has listed: its name on the server, and its spec for agents.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListedTool {
    pub(super) tool: String,
    pub(super) spec: ToolSpec,
}

/// Reads the pages of a server's list of tools. Returns the tools that pass the filters, up to the maximum number.
pub(super) async fn list(
    server: &str,
    settings: &McpServerSettings,
    peer: &Peer<RoleClient>,
) -> Result<Vec<ListedTool>, ServiceError> {
    let (mut tools, mut cursor) = (vec![], None);
    for _ in 0..MAX_PAGES {
        let (listed, next) = list_page(server, peer, cursor).await?;
        tools.extend(listed.into_iter().filter(|tool| is_enabled(settings, tool)));
        cursor = next;
        if cursor.is_none() || tools.len() > settings.max_tools {
            break;
        }
    }
    if tools.len() > settings.max_tools {
        warn!(server, limit = settings.max_tools, "MCP server has too many tools; some are left out");
        tools.truncate(settings.max_tools);
    } else if cursor.is_some() {
        warn!(server, limit = MAX_PAGES, "MCP server lists its tools on too many pages; the rest is left out");
    }
    Ok(accept_tools(server, settings, tools))
}

/// Reads one page. Returns its tools and the cursor of the next page.
async fn list_page(
    server: &str,
    peer: &Peer<RoleClient>,
    cursor: Option<String>,
) -> Result<(Vec<Tool>, Option<String>), ServiceError> {
    let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
    match peer.list_tools(params.clone()).await {
        // A single invalid tool makes the whole page unreadable to the library, so read the tools one by one.
        Err(ServiceError::UnexpectedResponse) => {}
        page => return page.map(|page| (page.tools, page.next_cursor)),
    }
    let method = Default::default();
    let request = ClientRequest::ListToolsRequest(ListToolsRequest { method, params, extensions: Default::default() });
    let ServerResult::CustomResult(CustomResult(page)) = peer.send_request(request).await? else {
        return Err(ServiceError::UnexpectedResponse);
    };
    let listed = page["tools"].as_array().ok_or(ServiceError::UnexpectedResponse)?;
    let read = |tool: &Value| match Tool::deserialize(tool) {
        Ok(tool) => Some(tool),
        Err(error) => {
            let name = first_bytes(tool["name"].as_str().unwrap_or_default(), 128);
            warn!(server, tool = name, %error, "a tool of an MCP server is left out");
            None
        }
    };
    Ok((listed.iter().filter_map(read).collect(), page["nextCursor"].as_str().map(Into::into)))
}

fn is_enabled(settings: &McpServerSettings, tool: &Tool) -> bool {
    settings.only.is_empty() || settings.only.iter().any(|name| *name == tool.name)
}

fn accept_tools(server: &str, settings: &McpServerSettings, tools: Vec<Tool>) -> Vec<ListedTool> {
    let mut names = BTreeSet::new();
    let mut listed = vec![];
    for tool in tools {
        let mut schema = Value::Object((*tool.input_schema).clone());
        if let Value::Object(schema) = &mut schema {
            // Some providers require `properties` even if there are no arguments.
            schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        }
        let error = match schema_error(&schema) {
            None if !names.insert(tool_name(server, &tool.name)) => Some("it is listed twice".into()),
            error => error,
        };
        match error {
            None => {
                listed.push(ListedTool { spec: spec(server, settings, &tool, schema), tool: tool.name.into_owned() })
            }
            Some(error) => {
                warn!(server, tool = first_bytes(&tool.name, 128), error, "a tool of an MCP server is left out")
            }
        }
    }
    listed
}

/// Returns the reason why a tool with this schema cannot be offered, or `None` if it can be. A provider might reject
/// every request that contains an invalid schema.
fn schema_error(schema: &Value) -> Option<String> {
    if schema["type"] != "object" {
        return Some("its arguments are not an object".into());
    }
    if schema.to_string().len() > MAX_SCHEMA_BYTES {
        return Some("its schema is too long".into());
    }
    // The check also rejects external references, because following one would fetch any URL of the server's choice.
    schema::check_schema(schema, Recursion::Inward)
        .err()
        .map(|message| first_bytes(&message, MAX_DESCRIPTION_BYTES).to_owned())
}

fn spec(server: &str, settings: &McpServerSettings, tool: &Tool, schema: Value) -> ToolSpec {
    let described = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let hints = tool.annotations.as_ref().filter(|_| settings.trust_hints);
    let reads = hints.is_some_and(|hints| hints.read_only_hint == Some(true));
    let again = reads || hints.is_some_and(|hints| hints.idempotent_hint == Some(true));
    ToolSpec {
        name: tool_name(server, &tool.name).into(),
        description: first_bytes(described, MAX_DESCRIPTION_BYTES).into(),
        schema,
        effect: match hints.and_then(|hints| hints.open_world_hint) {
            _ if !reads => SideEffect::World,
            // The tool does not reach other systems, so the arguments stay with it.
            Some(false) => SideEffect::None,
            _ => SideEffect::Outbound,
        },
        idempotent: again,
        // A server that does not reach other systems returns only its own data.
        result_sources: match hints.and_then(|hints| hints.open_world_hint) {
            Some(false) => BTreeSet::new(),
            _ => CallSourceKind::unknown(),
        },
        can_undo: hints.is_some_and(|hints| hints.destructive_hint == Some(false)),
        time: settings.call(),
        output_bytes: settings.max_output_bytes,
        needs_code: false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(value: Value) -> Tool {
        serde_json::from_value(value).expect("a valid tool")
    }

    fn one(settings: &McpServerSettings, value: Value) -> ToolSpec {
        accept_tools("s", settings, vec![tool(value)]).remove(0).spec
    }

    #[test]
    fn hints_count_only_where_they_are_trusted() {
        let reader =
            json!({ "name": "t", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } });
        let spec = one(&McpServerSettings::default(), reader.clone());
        assert_eq!((spec.effect, spec.idempotent), (SideEffect::World, false));
        let trusting = McpServerSettings { trust_hints: true, ..McpServerSettings::default() };
        let spec = one(&trusting, reader);
        assert_eq!((spec.effect, spec.idempotent), (SideEffect::Outbound, true), "the arguments can go anywhere");
        let hints = json!({ "readOnlyHint": true, "openWorldHint": false });
        let closed = json!({ "name": "t", "inputSchema": { "type": "object" }, "annotations": hints });
        assert_eq!(one(&trusting, closed).effect, SideEffect::None);
        let writer =
            json!({ "name": "t", "inputSchema": { "type": "object" }, "annotations": { "idempotentHint": true } });
        let spec = one(&trusting, writer);
        assert_eq!((spec.effect, spec.idempotent), (SideEffect::World, true));
        let silent = json!({ "name": "t", "inputSchema": { "type": "object" } });
        assert_eq!(one(&trusting, silent).effect, SideEffect::World);
    }

    #[test]
    fn unusable_tools_are_omitted() {
        let far = json!({ "type": "object", "properties": { "a": { "$ref": "https://example.org/schema" } } });
        let near = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": {} } });
        let listed = vec![
            tool(json!({ "name": "good", "inputSchema": near })),
            tool(json!({ "name": "good", "inputSchema": near, "description": "again" })),
            tool(json!({ "name": "text", "inputSchema": { "type": "string" } })),
            tool(json!({ "name": "none", "inputSchema": {} })),
            tool(json!({ "name": "far", "inputSchema": far })),
            tool(
                json!({ "name": "lies", "inputSchema": { "type": "object", "properties": { "a": { "type": "nosuch" } } } }),
            ),
            tool(json!({ "name": "odd", "inputSchema": { "type": "object", "properties": [] } })),
            tool(json!({ "name": "long", "inputSchema": { "type": "object", "title": "x".repeat(MAX_SCHEMA_BYTES) } })),
        ];
        let taken = accept_tools("s", &McpServerSettings::default(), listed);
        assert_eq!(taken.iter().map(|listed| &*listed.tool).collect::<Vec<_>>(), ["good"]);
        assert_eq!(&*taken[0].spec.description, "");
        let bare = one(&McpServerSettings::default(), json!({ "name": "t", "inputSchema": { "type": "object" } }));
        assert_eq!(bare.schema, json!({ "type": "object", "properties": {} }));
        let error = schema_error(&json!({ "type": "object", "properties": { "a": { "type": "nosuch" } } }))
            .expect("the schema is invalid");
        assert!(error.contains("nosuch"), "{error}");
    }

    #[test]
    fn only_what_the_operator_names() {
        let settings = McpServerSettings { only: vec!["a".into()], ..McpServerSettings::default() };
        let of =
            |name: &str| is_enabled(&settings, &tool(json!({ "name": name, "inputSchema": { "type": "object" } })));
        assert!(of("a") && !of("b"));
    }
}
