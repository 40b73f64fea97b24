//! Which models there are and where they are to be had: the part of the configuration under `providers`.

use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::{Backoff, Currency, Tokenizer};

/// Providers by name, and which model is used where a team names none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Providers {
    /// `provider/model` for agents that name no model. May stay empty where exactly one model is listed.
    pub default: String,
    /// The currency of all prices, as ISO 4217 names it, default `USD`: clients show costs in it.
    pub currency: Currency,
    /// The providers: `[providers.named.openai]`.
    pub named: BTreeMap<String, Provider>,
    /// Whether the default model is asked, once and briefly, for the title of a session that nobody named. Default true;
    /// without it the title is the beginning of the first words.
    pub titles: bool,
    /// How long to wait before a failed turn is tried again.
    pub backoff: Backoff,
}

impl Default for Providers {
    fn default() -> Self {
        Self {
            default: String::new(),
            currency: Currency::default(),
            named: BTreeMap::new(),
            titles: true,
            backoff: Backoff::default(),
        }
    }
}

/// One server with models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Provider {
    /// What it speaks: `openai` (chat completions, as most servers do) or `claude` (Claude's Messages API).
    pub kind: ProviderKind,
    /// Where it is, up to and with `/v1`: `https://api.openai.com/v1`.
    pub base_url: String,
    /// Its key; stays empty for servers that want none.
    pub api_key: ApiKey,
    /// The environment variable that holds the key, where `api_key` is empty.
    pub api_key_env: String,
    /// What is known about its models. A model that is not listed can be used as well, with the figures below.
    pub models: Vec<Model>,
    /// Tokens that a model which is not listed takes, question and answer together.
    #[schemars(range(min = 256, max = 100_000_000))]
    pub context_window: u32,
    /// The name under which the server takes the length of an answer: `max_tokens`, or `max_completion_tokens`, which
    /// OpenAI's reasoning models insist on.
    pub max_tokens_name: String,
    /// Turns at once; further ones wait.
    #[schemars(range(min = 1, max = 100_000))]
    pub concurrency: u32,
    /// Milliseconds that a turn waits for its place among `concurrency`.
    #[schemars(range(min = 0, max = 3_600_000))]
    pub queue_ms: u64,
    /// Milliseconds for a connection to come about.
    #[schemars(range(min = 1, max = 600_000))]
    pub connect_ms: u64,
    /// Milliseconds from the request to the first fragment of the answer.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub first_byte_ms: u64,
    /// Milliseconds without anything in the midst of an answer.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub idle_ms: u64,
    /// Milliseconds for a whole turn.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub turn_ms: u64,
    /// Milliseconds that the end of the stream may take after the model has said that it is done.
    #[schemars(range(min = 1, max = 600_000))]
    pub trailer_ms: u64,
    /// Bytes that the stream of one answer may have.
    #[schemars(range(min = 1_024, max = 1_073_741_824))]
    pub max_answer_bytes: u64,
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            kind: ProviderKind::Openai,
            base_url: String::new(),
            api_key: ApiKey::default(),
            api_key_env: String::new(),
            models: vec![],
            context_window: 32_768,
            max_tokens_name: "max_tokens".into(),
            concurrency: 256,
            queue_ms: 60_000,
            connect_ms: 10_000,
            first_byte_ms: 120_000,
            idle_ms: 60_000,
            turn_ms: 900_000,
            trailer_ms: 5_000,
            max_answer_bytes: 16 * 1024 * 1024,
        }
    }
}

/// What a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI's chat completions.
    #[default]
    Openai,
    /// Claude's Messages API.
    Claude,
}

impl ProviderKind {
    /// What its `base_url` has to be.
    pub(super) fn base_url(self) -> &'static str {
        match self {
            Self::Openai => "an OpenAI-compatible one, up to and with /v1",
            Self::Claude => "one of Claude's Messages API, such as https://api.anthropic.com",
        }
    }
}

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Model {
    /// Its name at the provider.
    pub name: String,
    /// Tokens that it takes, question and answer together.
    #[schemars(range(min = 256, max = 100_000_000))]
    pub context_window: u32,
    /// Tokens that an answer may have; absent: what the provider allows, and 16384 at Claude. Set aside in the context
    /// window.
    pub max_output_tokens: Option<u32>,
    /// How its tokens are counted: `o200k`, `cl100k`, or about, as `estimate` or `claude`; absent: by its
    /// name.
    pub tokenizer: Option<Tokenizer>,
    /// Whether it takes a JSON Schema that its answer must be valid against; otherwise it is asked in words. Absent: yes,
    /// and no at Claude.
    pub structured_output: Option<bool>,
    /// Whether it can be made to call a tool; otherwise it is asked in words. Claude's newest models cannot.
    pub forced_tools: bool,
    /// Whether it takes the `temperature` of an agent; otherwise it is left out. Models that reason refuse one.
    pub temperature: bool,
    /// Whether it takes pictures; otherwise it reads only what files there are.
    pub images: bool,
    /// What it costs; absent: nothing, as a model of one's own.
    pub prices: Option<Prices>,
}

impl Default for Model {
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

impl Model {
    /// How its tokens are counted.
    pub(super) fn tokenizer(&self) -> Tokenizer {
        self.tokenizer.unwrap_or_else(|| Tokenizer::of_model(&self.name))
    }
}

/// Prices per million tokens, in `providers.currency`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Tokens sent.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
}

impl Prices {
    /// Millionths of the currency: a price per million tokens is as many millionths a token.
    pub fn micros(&self, input_tokens: u64, output_tokens: u64) -> u64 {
        (input_tokens as f64 * self.input + output_tokens as f64 * self.output).round().max(0.0) as u64
    }
}

/// A provider's key; shown to nobody, also not where the configuration is printed.
#[derive(Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("x-secret" = "key"))]
pub struct ApiKey(String);

impl ApiKey {
    /// The key itself, for the request's header and nothing else.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// No key is set.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_reads_and_never_shows_its_key() {
        let providers: Providers = toml::from_str(
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
        assert_eq!(provider.concurrency, 256);
        assert!(!format!("{providers:?}").contains("sk-secret"));
        assert!(!toml::to_string(&providers).expect("writes").contains("sk-secret"));
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        assert!(toml::from_str::<Providers>("defualt = \"x\"").is_err());
        assert!(toml::from_str::<Provider>("base = \"x\"").is_err());
    }

    #[test]
    fn a_price_per_million_is_micros_per_token() {
        let prices = Prices { input: 0.15, output: 0.6 };
        assert_eq!(prices.micros(1_000, 500), 450);
        assert_eq!(Prices::default().micros(1_000_000, 5), 0);
    }
}
