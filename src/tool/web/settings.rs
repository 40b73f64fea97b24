//! Settings of the tools that search the web.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The web for agents; without a `url` they have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebSearchSettings {
    /// Where a SearXNG is, whose `search.formats` has `json`: `https://search.example.org`; absent: the tool is off.
    pub url: Option<String>,
    /// Language to prefer, as `en` or `zh`; empty: what the SearXNG is set to.
    pub language: String,
    /// Results that an agent gets.
    #[schemars(range(min = 1, max = 50))]
    pub results: usize,
    /// Seconds for an answer.
    #[schemars(range(min = 1, max = 120))]
    pub seconds: u64,
    /// Bytes of an answer, and of a page.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub answer_bytes: usize,
    /// Pages that one call of `deep_search` opens; 0: there is no such tool.
    #[schemars(range(max = 20))]
    pub pages: usize,
    /// Whether pages are opened that stand on addresses of private networks or of this machine: a search service could lead an
    /// agent to what only the server can reach. For a search over an intranet.
    pub private_addresses: bool,
}

impl Default for WebSearchSettings {
    fn default() -> Self {
        Self {
            url: None,
            language: String::new(),
            results: 8,
            seconds: 10,
            answer_bytes: 2 * 1024 * 1024,
            pages: 6,
            private_addresses: false,
        }
    }
}
