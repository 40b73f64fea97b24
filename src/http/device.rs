//! Device that sent a request, so that owners recognize their cookies in a list.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::{header, request::Parts};

use crate::network::ClientAddress;

/// Maximum number of characters of a label.
const MAX_LABEL_CHARS: usize = 200;

/// Client of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Device {
    /// Value of `User-Agent`.
    pub(super) label: Option<Arc<str>>,
    /// IP address of the client.
    pub(super) address: Option<IpAddr>,
}

impl<S: Send + Sync> FromRequestParts<S> for Device {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let label = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        let label =
            label.map(|text| text.chars().filter(|c| !c.is_control()).take(MAX_LABEL_CHARS).collect::<String>());
        let address = parts.extensions.get().map(|ClientAddress(address)| *address);
        Ok(Self { label: label.filter(|text| !text.is_empty()).map(Into::into), address })
    }
}
