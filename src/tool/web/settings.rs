//! Settings of the tools that search the web.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Web search for agents through SearXNG. Without a `url`, the tools are off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebSearchSettings {
    /// URL of a SearXNG service with `json` in its `search.formats`, such as `https://search.example.org`. If absent,
    /// the tools are off.
    pub url: Option<String>,
    /// Preferred language, such as `en` or `zh`. If empty, the default of the SearXNG service. Default empty.
    pub language: String,
    /// Maximum number of results that an agent receives. Default 8, at most 50.
    #[schemars(range(min = 1, max = 50))]
    pub max_results: usize,
    /// Timeout of a request to the search service or to a page, in seconds. Default 10, at most 120.
    #[schemars(range(min = 1, max = 120))]
    pub timeout_seconds: u64,
    /// Maximum number of bytes in a response from the search service. The same limit applies to each page. Default
    /// 2097152 (2 MiB), 1024 to 67108864 (64 MiB).
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub max_response_bytes: usize,
    /// Maximum number of pages that one call of `deep_search` opens. If 0, `deep_search` is off. Default 6, at most 20.
    #[schemars(range(max = 20))]
    pub max_pages: usize,
    /// Also opens pages at addresses of private networks and of this machine, for search in an intranet. A search
    /// service could then lead an agent to pages that only the server can reach. Default false.
    pub private_addresses: bool,
}

impl Default for WebSearchSettings {
    fn default() -> Self {
        Self {
            url: None,
            language: String::new(),
            max_results: 8,
            timeout_seconds: 10,
            max_response_bytes: 2 * 1024 * 1024,
            max_pages: 6,
            private_addresses: false,
        }
    }
}
