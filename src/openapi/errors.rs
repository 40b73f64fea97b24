//! Error responses of operations, built from the table of error codes.

use std::collections::BTreeMap;

use schemars::schema_for;
use utoipa::openapi::{ContentBuilder, RefOr, Response, ResponseBuilder};

use super::components::Components;
use super::endpoint::{Endpoint, EndpointAccess};
use crate::protocol::Code;

/// Maximum number of codes in the name of a shared response.
const MAX_NAMED_CODES: usize = 4;

/// Returns the codes that an operation can fail with, in the order of the table.
pub(super) fn codes(endpoint: &Endpoint) -> Vec<Code> {
    let mut found = endpoint.codes.clone();
    found.push(Code::Internal);
    if !endpoint.is_unlimited {
        // Nearly every operation rejects unknown query parameters.
        found.extend([Code::InvalidArgument, Code::WrongOrigin, Code::RateLimited]);
    }
    if endpoint.access != EndpointAccess::Ignored {
        found.extend([Code::Unauthenticated, Code::Busy, Code::StoreUnavailable, Code::ShuttingDown, Code::TimedOut]);
        found.push(Code::TokenScope);
    }
    if !endpoint.bodies.is_empty() {
        found.extend([Code::BadFrame, Code::TooLarge]);
    }
    Code::ALL.iter().copied().filter(|code| found.contains(code)).collect()
}

/// Descriptions of all codes, from their doc comments.
pub(super) struct CodeDescriptions(BTreeMap<String, String>);

impl CodeDescriptions {
    pub(super) fn new() -> Self {
        let schema = schema_for!(Code).to_value();
        let entries = schema["oneOf"].as_array().into_iter().flatten();
        let entry = |entry: &serde_json::Value| {
            Some((entry["const"].as_str()?.to_owned(), entry["description"].as_str()?.replace('\n', " ")))
        };
        Self(entries.filter_map(entry).collect())
    }

    fn text(&self, code: Code) -> String {
        let about = self.0.get(code.as_str()).map_or("", String::as_str);
        format!("`{}`: {about}", code.as_str())
    }
}

/// Returns the error responses of an operation, by status. Responses with few codes are shared components.
pub(super) fn responses(
    endpoint: &Endpoint,
    descriptions: &CodeDescriptions,
    components: &mut Components,
) -> Vec<(u16, RefOr<Response>)> {
    let mut by_status = BTreeMap::<u16, Vec<Code>>::new();
    for code in codes(endpoint) {
        by_status.entry(code.status()).or_default().push(code);
    }
    let content = ContentBuilder::new().schema(Some(components.response_schema(endpoint.error))).build();
    let kind = components.name_of(endpoint.error);
    by_status
        .into_iter()
        .map(|(status, codes)| {
            let texts: Vec<String> = codes.iter().map(|code| descriptions.text(*code)).collect();
            let mut response = ResponseBuilder::new().description(texts.join("\n\n"));
            response = response.content("application/json", content.clone());
            for (name, header) in Components::headers(!endpoint.is_unlimited, status) {
                response = response.header_ref(name, header);
            }
            let response = response.build();
            if codes.len() > MAX_NAMED_CODES {
                return (status, RefOr::T(response));
            }
            let names: Vec<String> = codes.iter().map(|code| format!("{code:?}")).collect();
            let limited = if endpoint.is_unlimited { "Unlimited" } else { "" };
            (status, RefOr::Ref(components.share_response(format!("{kind}{limited}{}", names.join("Or")), response)))
        })
        .collect()
}
