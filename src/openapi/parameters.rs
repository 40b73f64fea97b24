//! Parameters of operations: names in the path, fields of the query, and headers.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Object, Required, Type};

use super::components::Components;
use super::endpoint::{Endpoint, SchemaFn};
use super::schemas::remove_null;
use crate::kernel::{ParticipantId, SessionId};
use crate::knowledge::BaseId;

/// Parameters in paths: name, description, schema.
const PATH_PARAMETERS: [(&str, &str, SchemaFn); 11] = [
    ("session", "Id of the session, for example `s_0190f3c07a1b7c3d8e5f60718293a4b5`.", of::<SessionId>),
    ("id", "Id of the task, which is the id of its session.", of::<SessionId>),
    ("participant", "Id of the participant, for example `u_0190f3c07a1b7c3d8e5f60718293a4b5`.", of::<ParticipantId>),
    ("base", "Id of the knowledge base, for example 7.", of::<BaseId>),
    ("team", "Id of the team, for example `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.", uuid),
    ("execution", "Id of the execution, for example `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.", uuid),
    ("name", "Name of the file, for example `report.md`, percent-encoded.", text),
    ("credential", "Id of the credential, 12 hexadecimal digits.", secret_id),
    ("invite", "Id of the invitation, 12 hexadecimal digits.", secret_id),
    ("suggestion", "Id of the suggested rule: the BLAKE3 hash of its pattern, in hexadecimal.", text),
    ("conversation", "Id of the conversation, `team_session_…`.", text),
];

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1 })
}

fn uuid(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" })
}

fn secret_id(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^[0-9a-f]{12}$" })
}

/// Returns the parameters of an operation.
pub(super) fn parameters(endpoint: &Endpoint, components: &mut Components) -> Vec<Parameter> {
    let mut found = vec![];
    let names = endpoint.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    for name in names {
        let known = PATH_PARAMETERS.iter().find(|(known, ..)| *known == name);
        let (_, about, schema) = known.unwrap_or_else(|| panic!("the path parameter {name} has a description"));
        let schema = components.request_schema(*schema);
        let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True);
        found.push(parameter.description(Some(*about)).schema(Some(schema)).build());
    }
    for (name, mut schema, is_required) in endpoint.query.map(|query| components.fields(query)).unwrap_or_default() {
        let about = schema.as_object_mut().and_then(|fields| fields.remove("description"));
        let about = about.as_ref().and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
        // A query string cannot contain null: a parameter without a value is absent.
        remove_null(&mut schema);
        let schema = components.reference(schema);
        let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query);
        let parameter = parameter.required(if is_required { Required::True } else { Required::False });
        found.push(parameter.description(Some(about)).schema(Some(schema)).build());
    }
    for (name, about) in &endpoint.headers {
        let parameter = ParameterBuilder::new().name(*name).parameter_in(ParameterIn::Header);
        let parameter = parameter.required(Required::False).description(Some(*about));
        found.push(parameter.schema(Some(Object::with_type(Type::String))).build());
    }
    found
}
