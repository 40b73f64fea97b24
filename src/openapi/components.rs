//! Shared parts of the document: schemas of types, headers, error responses and security schemes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components as UtoipaComponents, ComponentsBuilder, Header, Object, Ref, Response, Type};

use super::endpoint::SchemaFn;
use super::schemas::{REQUESTS, SCHEMAS, remove_absent_nulls, request_names, rewrite};
use crate::protocol::describe_contents;

/// Location of a schema without a name, until [`Components::resolve`] inserts it.
const INLINE: &str = "#/inline/";

/// Headers of responses. The first two report the rate limit.
const HEADERS: [(&str, &str); 5] = [
    ("ratelimit", "Remaining allowance, for example `\"request\";r=99;t=1`: `r` requests, full again in `t` seconds."),
    ("ratelimit-policy", "Rate limit, for example `\"request\";q=100;w=5`: `q` requests in `w` seconds."),
    ("x-request-id", "Id of the request in the server's log. Tell it to the operator."),
    ("retry-after", "Seconds to wait before a retry. Absent if it can be immediate."),
    ("www-authenticate", "Always `Bearer`."),
];

/// Shared parts of the document.
pub(super) struct Components {
    /// Schemas of requests: fields with a default can be absent.
    requests: SchemaGenerator,
    /// Schemas of responses: fields with a default are present.
    responses: SchemaGenerator,
    /// Names of types whose fields are parameters. The document has no references to the types themselves.
    parameters: BTreeSet<String>,
    inline: Vec<Value>,
    shared: BTreeMap<String, Response>,
}

impl Components {
    pub(super) fn new() -> Self {
        let settings = |path: &'static str| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = path.trim_start_matches('#').into();
                settings.meta_schema = None;
            })
        };
        Self {
            requests: settings(REQUESTS).for_deserialize().into_generator(),
            responses: settings(SCHEMAS).for_serialize().into_generator(),
            parameters: BTreeSet::new(),
            inline: vec![],
            shared: BTreeMap::new(),
        }
    }

    /// Returns the schema of a type in responses.
    pub(super) fn response_schema(&mut self, schema: SchemaFn) -> Ref {
        let schema = schema(&mut self.responses).to_value();
        self.reference(schema)
    }

    /// Returns the schema of a type in requests.
    pub(super) fn request_schema(&mut self, schema: SchemaFn) -> Ref {
        let schema = schema(&mut self.requests).to_value();
        self.reference(schema)
    }

    /// Returns the fields of a type in requests, each with its schema and whether it is required.
    pub(super) fn fields(&mut self, schema: SchemaFn) -> Vec<(String, Value, bool)> {
        let reference = schema(&mut self.requests).to_value();
        let name = name_in(&reference);
        let schema = self.requests.definitions().get(name).cloned().unwrap_or_default();
        self.parameters.insert(name.to_owned());
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let fields = schema["properties"].as_object().into_iter().flatten();
        fields.map(|(name, field)| (name.clone(), field.clone(), required.contains(&**name))).collect()
    }

    /// Returns a reference to the schema, which can have any keyword.
    pub(super) fn reference(&mut self, schema: Value) -> Ref {
        if let (Some(path), Some(1)) = (schema["$ref"].as_str(), schema.as_object().map(Map::len)) {
            return Ref::new(path);
        }
        self.inline.push(schema);
        Ref::new(format!("{INLINE}{}", self.inline.len() - 1))
    }

    /// Returns the name of a type.
    pub(super) fn name_of(&mut self, schema: SchemaFn) -> String {
        name_in(&schema(&mut self.responses).to_value()).to_owned()
    }

    /// Adds a response that several operations share, and returns a reference to it.
    pub(super) fn share_response(&mut self, name: String, response: Response) -> Ref {
        let reference = Ref::new(format!("#/components/responses/{name}"));
        self.shared.entry(name).or_insert(response);
        reference
    }

    /// Returns the common headers of a response with this status.
    pub(super) fn headers(is_limited: bool, status: u16) -> impl Iterator<Item = (&'static str, Ref)> {
        let applies = move |name: &str| match name {
            "ratelimit" | "ratelimit-policy" => is_limited,
            "retry-after" => matches!(status, 429 | 503),
            "www-authenticate" => status == 401,
            _ => true,
        };
        let names = HEADERS.into_iter().map(|(name, _)| name).filter(move |name| applies(name));
        names.map(|name| (name, Ref::new(format!("#/components/headers/{name}"))))
    }

    /// Returns a response header with a description.
    pub(super) fn header(description: &str) -> Header {
        HeaderBuilder::new().schema(Some(Object::with_type(Type::String))).description(Some(description)).build()
    }

    /// Returns the parts of the document other than schemas.
    pub(super) fn parts(&self) -> UtoipaComponents {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
        let bearer = bearer.description(Some("Token of a participant, `rt_token_…`.")).build();
        let cookie = ApiKeyValue::with_description(
            "__Host-roundtable",
            "Cookie of a signed-in browser. Without TLS its name is `roundtable`, or `roundtable_` and the port of the \
             public URL. Requests that change something must come from a page of the server.",
        );
        let parts = ComponentsBuilder::new()
            .security_scheme("bearer", SecurityScheme::Http(bearer))
            .security_scheme("cookie", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)))
            .responses_from_iter(self.shared.clone());
        HEADERS.into_iter().fold(parts, |parts, (name, about)| parts.header(name, Self::header(about))).build()
    }

    /// Inserts all schemas into the document.
    pub(super) fn resolve(mut self, mut document: Value) -> Value {
        let mut schemas = self.responses.take_definitions(true);
        schemas.values_mut().for_each(remove_absent_nulls);
        let mut requests = self.requests.take_definitions(true);
        requests.retain(|name, _| !self.parameters.contains(name));
        let names = request_names(&requests, &schemas);
        schemas.extend(requests.into_iter().map(|(name, schema)| (names[&name].clone(), schema)));
        schemas.sort_keys();
        document["components"]["schemas"] = Value::Object(schemas);
        rewrite(&mut document, &|path| {
            let inline = path.strip_prefix(INLINE).and_then(|at| self.inline.get(at.parse::<usize>().ok()?));
            inline.cloned()
        });
        rewrite(&mut document, &|path| {
            let name = names.get(path.strip_prefix(REQUESTS)?)?;
            Some(json!({ "$ref": format!("{SCHEMAS}{name}") }))
        });
        describe_contents(&mut document["components"]["schemas"]);
        document
    }
}

/// Returns the name of the type that a schema refers to, or an empty string if it refers to none.
fn name_in(schema: &Value) -> &str {
    schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default()
}
