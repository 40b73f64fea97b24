//! One operation of the HTTP interface, as data.

use axum::response::{IntoResponse, Response};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use utoipa::openapi::HttpMethod;

use crate::protocol::{Code, ErrorBody, Problem};

/// Function that returns the schema of a type.
pub(super) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// Format of error responses that the specification of a door defines.
pub(crate) trait ErrorFormat: From<Problem> + IntoResponse {
    /// Body of the responses.
    type Body: JsonSchema;
}

/// Credentials of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndpointAccess {
    /// Credentials are ignored.
    Ignored,
    /// A credential is optional, but an invalid one is rejected.
    Optional,
    /// A credential is required.
    Required,
}

/// Content of a request or response.
#[derive(Debug, Clone, Copy)]
pub(super) enum EndpointContent {
    /// JSON of a type.
    Json(SchemaFn),
    /// Server-sent events, each with the JSON of a type in its `data`.
    Events(SchemaFn),
    /// Text of this media type.
    Text(&'static str),
    /// Bytes of any media type.
    Bytes,
}

/// Response that is not an error from the table of error codes.
#[derive(Debug)]
pub(super) struct EndpointResponse {
    pub(super) status: u16,
    pub(super) description: &'static str,
    /// Possible contents of the response; empty if it has no body.
    pub(super) contents: Vec<EndpointContent>,
    /// Names and descriptions of the response's own headers.
    pub(super) headers: Vec<(&'static str, &'static str)>,
}

/// Operation: its method, path, parameters, content and errors.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(super) method: HttpMethodName,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) access: EndpointAccess,
    pub(super) query: Option<SchemaFn>,
    /// Names and descriptions of optional request headers.
    pub(super) headers: Vec<(&'static str, &'static str)>,
    /// Possible contents of the request; empty if it has no body.
    pub(super) bodies: Vec<EndpointContent>,
    pub(super) responses: Vec<EndpointResponse>,
    pub(super) codes: Vec<Code>,
    pub(super) error: SchemaFn,
    /// Conversion of an error to a response. `None` if errors have the standard format.
    error_response: Option<fn(Problem) -> Response>,
    /// True if no rate limit applies.
    pub(super) is_unlimited: bool,
}

/// HTTP method of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HttpMethodName {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl From<HttpMethodName> for HttpMethod {
    fn from(name: HttpMethodName) -> Self {
        match name {
            HttpMethodName::Get => Self::Get,
            HttpMethodName::Post => Self::Post,
            HttpMethodName::Put => Self::Put,
            HttpMethodName::Patch => Self::Patch,
            HttpMethodName::Delete => Self::Delete,
        }
    }
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Endpoint {
    fn new(method: HttpMethodName, path: &'static str, summary: &'static str) -> Self {
        Self {
            method,
            path,
            summary,
            description: "",
            access: EndpointAccess::Required,
            query: None,
            headers: vec![],
            bodies: vec![],
            responses: vec![],
            codes: vec![],
            error: schema_of::<ErrorBody>,
            error_response: None,
            is_unlimited: false,
        }
    }

    /// Returns the function that converts an error to a response in the format of this operation, or `None` if that is
    /// the standard format.
    pub(crate) fn error_response(&self) -> Option<fn(Problem) -> Response> {
        self.error_response
    }

    /// Returns the HTTP method.
    pub(crate) fn method(&self) -> &'static str {
        match self.method {
            HttpMethodName::Get => "GET",
            HttpMethodName::Post => "POST",
            HttpMethodName::Put => "PUT",
            HttpMethodName::Patch => "PATCH",
            HttpMethodName::Delete => "DELETE",
        }
    }

    /// Returns the path with its parameters in braces.
    pub(crate) fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the names of the query parameters, or `None` if the operation accepts any: the redirect from an identity
    /// provider can have parameters of its own, and a health check must not fail because of its parameters.
    pub(crate) fn query_names(&self) -> Option<Vec<String>> {
        if self.is_unlimited {
            return None;
        }
        let Some(schema) = self.query else { return Some(vec![]) };
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let schema = schema(&mut settings.for_deserialize().into_generator()).to_value();
        let names = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        // A schema has this keyword only if its type has `deny_unknown_fields`.
        (schema["additionalProperties"] == false).then_some(names)
    }

    /// Creates a `GET` operation. The summary also names the operation.
    pub(crate) fn get(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethodName::Get, path, summary)
    }

    /// Creates a `POST` operation.
    pub(crate) fn post(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethodName::Post, path, summary)
    }

    /// Creates a `PUT` operation.
    pub(crate) fn put(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethodName::Put, path, summary)
    }

    /// Creates a `PATCH` operation.
    pub(crate) fn patch(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethodName::Patch, path, summary)
    }

    /// Creates a `DELETE` operation.
    pub(crate) fn delete(path: &'static str, summary: &'static str) -> Self {
        Self::new(HttpMethodName::Delete, path, summary)
    }

    /// Sets the description.
    pub(crate) fn about(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// States that credentials are ignored.
    pub(crate) fn public(mut self) -> Self {
        self.access = EndpointAccess::Ignored;
        self
    }

    /// States that the operation works without a credential.
    pub(crate) fn optional_credential(mut self) -> Self {
        self.access = EndpointAccess::Optional;
        self
    }

    /// States that no rate limit applies.
    pub(crate) fn unlimited(mut self) -> Self {
        self.is_unlimited = true;
        self
    }

    /// Sets the query parameters: the fields of the type.
    pub(crate) fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(schema_of::<T>);
        self
    }

    /// Adds an optional request header.
    pub(crate) fn request_header(mut self, name: &'static str, description: &'static str) -> Self {
        self.headers.push((name, description));
        self
    }

    /// Adds a JSON body of this type.
    pub(crate) fn body<T: JsonSchema>(mut self) -> Self {
        self.bodies.push(EndpointContent::Json(schema_of::<T>));
        self
    }

    /// Adds a body with text of this media type.
    pub(crate) fn text_body(mut self, media_type: &'static str) -> Self {
        self.bodies.push(EndpointContent::Text(media_type));
        self
    }

    /// States that the body is the content of a file.
    pub(crate) fn upload(mut self) -> Self {
        self.bodies.push(EndpointContent::Bytes);
        self
    }

    /// Adds a response, or another kind of content to the response with the same status.
    fn response(mut self, status: u16, description: &'static str, content: Option<EndpointContent>) -> Self {
        let contents = content.into_iter();
        match self.responses.iter_mut().find(|response| response.status == status) {
            Some(response) => response.contents.extend(contents),
            None => {
                let contents = contents.collect();
                self.responses.push(EndpointResponse { status, description, contents, headers: vec![] });
            }
        }
        self
    }

    /// Adds a response with JSON of this type.
    pub(crate) fn json<T: JsonSchema>(self, status: u16, description: &'static str) -> Self {
        self.response(status, description, Some(EndpointContent::Json(schema_of::<T>)))
    }

    /// Adds a response without content.
    pub(crate) fn empty(self, status: u16, description: &'static str) -> Self {
        self.response(status, description, None)
    }

    /// Adds a response with text of this media type.
    pub(crate) fn text(self, media_type: &'static str, description: &'static str) -> Self {
        self.response(200, description, Some(EndpointContent::Text(media_type)))
    }

    /// Adds a response with the content of a file.
    pub(crate) fn download(self, description: &'static str) -> Self {
        self.response(200, description, Some(EndpointContent::Bytes)).file()
    }

    /// States that the last response is a file. A client can request it on the condition that it has changed.
    pub(crate) fn file(self) -> Self {
        self.header("etag", "Version of the content, for `If-None-Match`.")
            .header("content-disposition", "Name of the file.")
            .empty(304, "The content is the one that `If-None-Match` names.")
            .request_header("if-none-match", "`ETag` of the content that the client has.")
    }

    /// Adds a response with server-sent events of this type.
    pub(crate) fn events<T: JsonSchema>(self, description: &'static str) -> Self {
        self.response(200, description, Some(EndpointContent::Events(schema_of::<T>)))
    }

    /// Adds a header to the last response.
    pub(crate) fn header(mut self, name: &'static str, description: &'static str) -> Self {
        if let Some(response) = self.responses.last_mut() {
            response.headers.push((name, description));
        }
        self
    }

    /// Adds error codes, in addition to those that all operations with such access, parameters and content have.
    pub(crate) fn fails(mut self, codes: &[Code]) -> Self {
        self.codes.extend_from_slice(codes);
        self
    }

    /// Sets the format of error responses. Errors that occur before the request reaches its handler have this format
    /// too.
    pub(crate) fn error<E: ErrorFormat>(mut self) -> Self {
        self.error = schema_of::<E::Body>;
        self.error_response = Some(|problem| E::from(problem).into_response());
        self
    }
}
