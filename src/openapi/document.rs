//! Builds the whole document from the operations.

use serde_json::Value;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Operation, OperationBuilder, PathsBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Content, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApiBuilder, PathItem, Ref, RefOr, Required, Response,
    ResponseBuilder, ResponsesBuilder, Server,
};

use super::components::Components;
use super::endpoint::{Endpoint, EndpointAccess, EndpointContent, EndpointResponse, SchemaFn};
use super::errors::{self, CodeDescriptions};
use super::parameters::parameters;

const ABOUT: &str = "A session is a shared place in which people, bots and AI agents work. This document describes all \
    HTTP operations; the WebSocket at `/api/v1/ws` and the frames of server-sent events are described in \
    `docs/protocol.md`. Bodies of requests are JSON, whatever their content type says. Unknown fields and parameters are \
    rejected. Every error of the server has a code to match on; clients must accept codes and fields that this document \
    does not list.";

/// Operations of one area.
pub(crate) struct EndpointGroup {
    /// Name of the area.
    pub(crate) name: &'static str,
    /// Description of the area.
    pub(crate) about: &'static str,
    /// Operations of the area.
    pub(crate) endpoints: Vec<Endpoint>,
}

/// Returns the document with these operations.
pub(crate) fn document(groups: &[EndpointGroup]) -> Value {
    let mut components = Components::new();
    let descriptions = CodeDescriptions::new();
    let mut paths = PathsBuilder::new();
    for group in groups {
        for endpoint in &group.endpoints {
            let operation = operation(endpoint, group.name, &descriptions, &mut components);
            paths = paths.path(endpoint.path, PathItem::new(endpoint.method.into(), operation));
        }
    }
    let license = LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build();
    let info = InfoBuilder::new().title("Roundtable").version(env!("CARGO_PKG_VERSION"));
    let info = info.description(Some(ABOUT)).license(Some(license)).build();
    let tags = groups.iter().map(|group| TagBuilder::new().name(group.name).description(Some(group.about)).build());
    let document = OpenApiBuilder::new()
        .info(info)
        .servers(Some([Server::new("/")]))
        .paths(paths.build())
        .tags(Some(tags))
        .components(Some(components.parts()))
        .build();
    let document = serde_json::to_value(document).expect("a document serializes: its keys are strings");
    components.resolve(document)
}

fn operation(
    endpoint: &Endpoint,
    tag: &str,
    descriptions: &CodeDescriptions,
    components: &mut Components,
) -> Operation {
    let mut responses = ResponsesBuilder::new();
    for (status, response) in errors::responses(endpoint, descriptions, components) {
        responses = responses.response(status.to_string(), response);
    }
    for answer in &endpoint.responses {
        let response = response(answer, !endpoint.is_unlimited, components);
        responses = responses.response(answer.status.to_string(), response);
    }
    let description = Some(endpoint.description).filter(|text| !text.is_empty());
    let operation = OperationBuilder::new()
        .operation_id(Some(operation_id(endpoint.summary)))
        .tag(tag)
        .summary(Some(endpoint.summary))
        .description(description)
        .parameters(Some(parameters(endpoint, components)))
        .responses(responses.build());
    let body = endpoint.bodies.iter().fold(RequestBodyBuilder::new(), |body, wanted| {
        let (media_type, content) = content(*wanted, |schema| components.request_schema(schema));
        body.content(media_type, content)
    });
    let body = (!endpoint.bodies.is_empty()).then(|| body.required(Some(Required::True)).build());
    let operation = operation.request_body(body);
    let scheme = |name: &str| SecurityRequirement::new(name, Vec::<String>::new());
    let security = match endpoint.access {
        EndpointAccess::Ignored => vec![],
        EndpointAccess::Optional => vec![SecurityRequirement::default(), scheme("bearer"), scheme("cookie")],
        EndpointAccess::Required => vec![scheme("bearer"), scheme("cookie")],
    };
    operation.securities(Some(security)).build()
}

fn response(answer: &EndpointResponse, is_limited: bool, components: &mut Components) -> RefOr<Response> {
    let mut response = ResponseBuilder::new().description(answer.description);
    for wanted in answer.contents.iter().copied() {
        let (media_type, content) = content(wanted, |schema| components.response_schema(schema));
        response = response.content(media_type, content);
    }
    for (name, about) in &answer.headers {
        response = response.header(*name, Components::header(about));
    }
    for (name, header) in Components::headers(is_limited, answer.status) {
        response = response.header_ref(name, header);
    }
    RefOr::T(response.build())
}

fn content(content: EndpointContent, mut schema: impl FnMut(SchemaFn) -> Ref) -> (&'static str, Content) {
    match content {
        EndpointContent::Json(of) => ("application/json", ContentBuilder::new().schema(Some(schema(of))).build()),
        EndpointContent::Text(media_type) => (media_type, Content::default()),
        EndpointContent::Bytes => ("*/*", Content::default()),
        EndpointContent::Events(of) => {
            // OpenAPI 3.1 has no keyword for the items of a stream, so an extension describes them.
            let data = serde_json::to_value(schema(of)).expect("a reference serializes: it is a string");
            let extensions = ExtensionsBuilder::new().add("x-event-data", data).build();
            ("text/event-stream", ContentBuilder::new().extensions(Some(extensions)).build())
        }
    }
}

/// Returns the name of an operation from its summary: `List your sessions` becomes `listYourSessions`.
fn operation_id(summary: &str) -> String {
    let words = summary.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut id = String::new();
    for (at, word) in words.enumerate() {
        let (first, rest) = word.split_at(1);
        id += &if at == 0 { first.to_ascii_lowercase() } else { first.to_ascii_uppercase() };
        id += rest;
    }
    id
}
