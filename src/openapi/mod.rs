//! OpenAPI 3.1 description of the HTTP interface. Operations are data ([`Endpoint`]); their schemas come from the types
//! of the handlers.

mod any_json;
mod components;
mod document;
mod endpoint;
mod errors;
mod parameters;
mod schemas;

pub(crate) use any_json::any_json;
pub(crate) use document::{EndpointGroup, document};
pub(crate) use endpoint::{Endpoint, ErrorFormat};
