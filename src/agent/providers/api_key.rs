//! API keys of providers.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// API key of a provider. It is never printed, not even with the configuration.
#[derive(Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("x-secret" = "key"))]
pub struct ApiKey(String);

impl ApiKey {
    /// Returns the key itself. Use it only for the request header.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether no key is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn mask(&self) -> &'static str {
        if self.is_empty() { "" } else { "***" }
    }
}

impl From<String> for ApiKey {
    fn from(key: String) -> Self {
        Self(key)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mask())
    }
}

impl Serialize for ApiKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.mask())
    }
}
