//! Configuration of model providers, under `providers`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::{ApiKey, BackoffSettings, Currency, Prices, Tokenizer};
use crate::kernel::TurnBound;

/// Model providers. Without any, the server uses OpenAI or Claude if their environment variables are set, then a local
/// Ollama, then the demo model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProvidersSettings {
    /// Model of agents that do not name one, as `provider/model`, such as `openai/gpt-4o-mini`. Default empty: the only
    /// listed model.
    pub default: String,
    /// Currency of all prices, as an ISO 4217 code such as `EUR`. Clients show costs in it. Default `USD`.
    pub currency: Currency,
    /// Providers, keyed by name. The `[providers.named.openai]` table defines the `openai` provider.
    pub named: BTreeMap<String, ProviderSettings>,
    /// Automatic titles: the default model writes the title of a session without one, with one short request per
    /// session. If false, the title is the beginning of the first message. Default true.
    pub titles: bool,
    /// Backoff between attempts at a turn.
    pub backoff: BackoffSettings,
}

impl Default for ProvidersSettings {
    fn default() -> Self {
        Self {
            default: String::new(),
            currency: Currency::default(),
            named: BTreeMap::new(),
            titles: true,
            backoff: BackoffSettings::default(),
        }
    }
}

/// A model provider: one server with its API key, models and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderSettings {
    /// API of the provider: `openai` (chat completions, which most servers offer) or `claude` (Claude's Messages API).
    /// Default
    /// `openai`.
    pub kind: ProviderKind,
    /// URL of the API, including `/v1`, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// API key. Empty for servers that need none.
    pub api_key: ApiKey,
    /// Name of the environment variable with the API key, such as `OPENAI_API_KEY`; read if `api_key` is empty.
    pub api_key_env: String,
    /// Properties of the provider's models. Models that are not listed can be used too, with default properties and the
    /// `context_window` of the provider.
    pub models: Vec<ModelSettings>,
    /// Context window of models that are not listed, in tokens, for request and response together. Default 32768.
    #[schemars(range(min = 256, max = 100_000_000))]
    pub context_window: u32,
    /// Name of the request field that limits the response. Default `max_tokens`; OpenAI's reasoning models require
    /// `max_completion_tokens`.
    pub max_tokens_name: String,
    /// Maximum number of concurrent turns; further turns wait. Default 256.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_concurrent_requests: u32,
    /// Maximum time that a turn waits for one of the `max_concurrent_requests` slots, in milliseconds. Default 60000,
    /// at most 3600000.
    #[schemars(range(min = 0, max = 3_600_000))]
    pub max_queue_ms: u64,
    /// Connection timeout, in milliseconds. Default 10000.
    #[schemars(range(min = 1, max = 600_000))]
    pub connect_ms: u64,
    /// Timeout from the request to the first fragment of the response, in milliseconds. Default 120000.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub first_byte_ms: u64,
    /// Timeout between two fragments of a response, in milliseconds. Default 60000.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub idle_ms: u64,
    /// Timeout of a whole turn, in milliseconds. Default 900000.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub turn_ms: u64,
    /// Timeout for the end of the stream after the model has finished, in milliseconds. Default 5000.
    #[schemars(range(min = 1, max = 600_000))]
    pub trailer_ms: u64,
    /// Maximum size of one response stream, in bytes. Default 16777216 (16 MiB).
    #[schemars(range(min = 1_024, max = 1_073_741_824))]
    pub max_response_bytes: u64,
}

impl Default for ProviderSettings {
    fn default() -> Self {
        Self {
            kind: ProviderKind::Openai,
            base_url: String::new(),
            api_key: ApiKey::default(),
            api_key_env: String::new(),
            models: vec![],
            context_window: 32_768,
            max_tokens_name: "max_tokens".into(),
            max_concurrent_requests: 256,
            max_queue_ms: 60_000,
            connect_ms: 10_000,
            first_byte_ms: 120_000,
            idle_ms: 60_000,
            turn_ms: 900_000,
            trailer_ms: 5_000,
            max_response_bytes: 16 * 1024 * 1024,
        }
    }
}

/// API of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI's chat completions API.
    #[default]
    Openai,
    /// Claude's Messages API.
    Claude,
}

impl ProviderKind {
    /// Returns a description of a valid `base_url`, for error messages.
    pub(super) fn base_url(self) -> &'static str {
        match self {
            Self::Openai => "an OpenAI-compatible URL that ends in /v1",
            Self::Claude => "the URL of Claude's Messages API, such as https://api.anthropic.com",
        }
    }
}

/// Properties of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    /// Name of the model at the provider, such as `gpt-4o-mini`.
    pub name: String,
    /// Context window of the model, in tokens, for request and response together. Default 128000.
    #[schemars(range(min = 256, max = 100_000_000))]
    pub context_window: u32,
    /// Maximum length of a response, in tokens, reserved in the context window. Absent: the provider's limit; with
    /// Claude, 16384, but at most a quarter of the context window.
    pub max_output_tokens: Option<u32>,
    /// Tokenizer: `o200k` and `cl100k` count exactly, `estimate` and `claude` approximately. Absent: chosen based on
    /// the model's name.
    pub tokenizer: Option<Tokenizer>,
    /// Support for responses that follow a JSON Schema; without it, the prompt asks for the required format. Absent:
    /// false with Claude, otherwise true.
    pub structured_output: Option<bool>,
    /// Support for forced tool calls; without it, the prompt asks for a call. Default true. Claude's newest models
    /// do not support it.
    pub forced_tools: bool,
    /// Support for `temperature`; without it, the agent's temperature is not sent. Default true. Reasoning models
    /// reject it.
    pub temperature: bool,
    /// Support for images; without it, the model reads only the names of image files. Default true.
    pub images: bool,
    /// Prices of the model. If absent, using the model costs nothing, as with a self-hosted model.
    pub prices: Option<Prices>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            context_window: 128_000,
            max_output_tokens: None,
            tokenizer: None,
            structured_output: None,
            images: true,
            forced_tools: true,
            temperature: true,
            prices: None,
        }
    }
}

impl ModelSettings {
    /// Returns the tokenizer of the model.
    pub(super) fn tokenizer(&self) -> Tokenizer {
        self.tokenizer.unwrap_or_else(|| Tokenizer::of_model(&self.name))
    }

    /// Reduces the context so that the request and its response together stay within the bound.
    pub(super) fn limit_to(&mut self, bound: TurnBound) {
        let price = self.prices.map_or(0.0, |prices| prices.input.max(prices.output));
        let affordable = bound.cost_micros.filter(|_| price > 0.0).map(|micros| (micros as f64 / price) as u64);
        let tokens = affordable.map_or(bound.tokens, |affordable| affordable.min(bound.tokens));
        self.context_window = self.context_window.min(u32::try_from(tokens).unwrap_or(u32::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_reads_and_never_shows_its_key() {
        let providers: ProvidersSettings = toml::from_str(
            r#"
            default = "openai/gpt-4o-mini"
            [named.openai]
            base_url = "https://api.openai.com/v1"
            api_key = "sk-secret"
            [[named.openai.models]]
            name = "gpt-4o-mini"
            prices = { input = 0.15, output = 0.6 }
            "#,
        )
        .expect("reads");
        let provider = &providers.named["openai"];
        assert_eq!(provider.api_key.expose(), "sk-secret");
        assert_eq!(provider.max_concurrent_requests, 256);
        assert!(!format!("{providers:?}").contains("sk-secret"));
        assert!(!toml::to_string(&providers).expect("writes").contains("sk-secret"));
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        assert!(toml::from_str::<ProvidersSettings>("defualt = \"x\"").is_err());
        assert!(toml::from_str::<ProviderSettings>("base = \"x\"").is_err());
    }
}
