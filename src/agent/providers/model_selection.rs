//! Selects the models to use: the configured ones; otherwise OpenAI and Claude, if their usual environment variables
//! are set; otherwise Ollama on this machine; otherwise the demo model.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{ApiKey, ModelSettings, ProviderKind, ProviderSettings, ProvidersError, ProvidersSettings};

use crate::demo_model::{DemoModel, DemoSettings};
use crate::http_client;

/// Timeout of the request to Ollama. A local server usually responds within a millisecond.
const OLLAMA_TIMEOUT: Duration = Duration::from_millis(400);
/// Maximum size of Ollama's model list, in bytes.
const MAX_LIST_BYTES: usize = 1 << 20;

/// Default URL of Ollama.
pub const OLLAMA_URL: &str = "http://127.0.0.1:11434";

/// Source of the models, for display in clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelSource {
    /// Origin of the default model, such as `configured`.
    pub kind: SourceKind,
    /// Default model as `provider/model`, such as `openai/gpt-4o-mini`.
    pub name: String,
    /// True if responses are scripted, as with the demo model.
    pub scripted: bool,
}

/// Origin of the default model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Set in the configuration.
    Configured,
    /// Found through the `OPENAI_API_KEY` environment variable.
    Openai,
    /// Found through the `ANTHROPIC_API_KEY` environment variable.
    Anthropic,
    /// A local Ollama server responded.
    Ollama,
    /// No model was found, so the demo model was started.
    Demo,
}

/// The selected providers and the source of their models.
#[derive(Debug)]
pub struct ModelSelection {
    /// Providers to use.
    pub providers: ProvidersSettings,
    /// Source of the models, for clients.
    pub source: ModelSource,
    /// The demo model, if it was started. Dropping it stops it.
    pub demo: Option<DemoModel>,
}

impl ModelSelection {
    /// Checks that the model that an agent names exists. It can be a listed model, or any other model of an available
    /// provider.
    ///
    /// # Errors
    /// Fails with a message for the author of the team if the model does not exist.
    pub fn check(&self, named: &str) -> Result<(), String> {
        let ProvidersSettings { default, named: providers, .. } = &self.providers;
        let of_provider = named.split_once('/').filter(|(provider, _)| providers.contains_key(*provider));
        let usual = default.split_once('/').map_or("", |(provider, _)| provider);
        let (provider, model) = of_provider.unwrap_or((usual, named));
        let listed = providers.get(provider).is_some_and(|found| found.models.iter().any(|known| known.name == model));
        let known = listed || *default == format!("{provider}/{model}");
        // A provider can have more models than the listed ones, except for Ollama, which returned all of its models. A
        // name with an unknown provider is rejected. Otherwise, the default provider would respond under the name of
        // the unknown one.
        let open = self.source.kind != SourceKind::Ollama && (of_provider.is_some() || !named.contains('/'));
        if known || (open && !model.is_empty()) {
            return Ok(());
        }
        let names: Vec<&str> = providers.keys().map(String::as_str).collect();
        Err(format!(
            "no provider has the model {named:?}; use provider/model with an available provider ({}), add a provider under \
             [providers.named.NAME], or use a listed model: {}",
            names.join(", "),
            list_models(&self.providers)
        ))
    }
}

/// Selects the providers. `environment` reads environment variables. `ollama` is the URL to probe, usually
/// [`OLLAMA_URL`].
///
/// # Errors
/// Fails if the configured providers are invalid, the configured default model is not found, or the demo model cannot
/// start.
pub async fn select_models(
    configured: &ProvidersSettings,
    demo: DemoSettings,
    environment: impl Fn(&str) -> Option<String>,
    ollama: &str,
) -> Result<ModelSelection, ProvidersError> {
    let chosen = |kind: SourceKind, mut providers: ProvidersSettings, demo| {
        providers.backoff = configured.backoff.clone();
        // The demo model cannot write titles.
        providers.titles = configured.titles && kind != SourceKind::Demo;
        let source = ModelSource { kind, name: providers.default.clone(), scripted: kind == SourceKind::Demo };
        let there_is = check_default(&configured.default, &providers);
        there_is.map(|()| ModelSelection { providers, source, demo })
    };
    // The configured default model, if it belongs to this detected provider.
    let wanted = |provider: &str| {
        let model = configured.default.strip_prefix(provider)?.strip_prefix('/')?;
        Some(model.to_owned()).filter(|model| !model.is_empty())
    };
    if !configured.named.is_empty() {
        let mut providers = configured.clone();
        providers.default = super::Models::new(configured, &environment)?.default_model().unwrap_or_default();
        return chosen(SourceKind::Configured, providers, None);
    }
    let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let openai = set("OPENAI_API_KEY").map(|key| {
        let base_url = set("OPENAI_BASE_URL").unwrap_or_else(|| "https://api.openai.com/v1".into());
        let model = wanted("openai").or_else(|| set("OPENAI_MODEL")).unwrap_or_else(|| "gpt-4o-mini".into());
        let provider =
            ProviderSettings { base_url, api_key: ApiKey::from(key), ..single_model_provider(&model, 128_000) };
        (SourceKind::Openai, single_provider("openai", &model, provider))
    });
    let anthropic = set("ANTHROPIC_API_KEY").map(|key| {
        let base_url = set("ANTHROPIC_BASE_URL").unwrap_or_else(|| "https://api.anthropic.com".into());
        let model = wanted("anthropic").or_else(|| set("ANTHROPIC_MODEL")).unwrap_or_else(|| "claude-haiku-5-5".into());
        // The newest models have a larger context; all of Claude's models have at least this one.
        let mut provider =
            ProviderSettings { kind: ProviderKind::Claude, base_url, ..single_model_provider(&model, 200_000) };
        provider.api_key = ApiKey::from(key);
        provider.context_window = 200_000;
        provider.models[0].structured_output = Some(true);
        (SourceKind::Anthropic, single_provider("anthropic", &model, provider))
    });
    let named_first = |found: &(SourceKind, ProvidersSettings)| found.1.default != configured.default;
    let mut found: Vec<_> = openai.into_iter().chain(anthropic).collect();
    found.sort_by_key(named_first);
    let mut found = found.into_iter();
    if let Some((kind, mut providers)) = found.next() {
        providers.named.extend(found.flat_map(|(_, others)| others.named));
        return chosen(kind, providers, None);
    }
    let models = ollama_models(ollama).await;
    if let Some(first) = models.first() {
        let model = wanted("ollama").filter(|model| models.contains(model)).unwrap_or_else(|| first.clone());
        let base_url = format!("{}/v1", ollama.trim_end_matches('/'));
        // By default, Ollama silently cuts longer conversations.
        let models = models.iter().flat_map(|model| single_model_provider(model, 8_192).models).collect();
        let provider = ProviderSettings { base_url, models, ..ProviderSettings::default() };
        return chosen(SourceKind::Ollama, single_provider("ollama", &model, provider), None);
    }
    let demo = DemoModel::start(demo)
        .await
        .map_err(|error| ProvidersError::new(format!("the demo model cannot listen on 127.0.0.1: {error}")))?;
    let provider = ProviderSettings {
        base_url: demo.base_url(),
        max_concurrent_requests: 4_096,
        models: DemoModel::NAMES.iter().flat_map(|name| single_model_provider(name, 128_000).models).collect(),
        ..ProviderSettings::default()
    };
    chosen(SourceKind::Demo, single_provider("demo", "demo", provider), Some(demo))
}

/// Checks that the configured default model, if any, is the default of these providers. Otherwise, people would mistake
/// another model's responses for those of the configured one.
fn check_default(named: &str, found: &ProvidersSettings) -> Result<(), ProvidersError> {
    if named.is_empty() || named == found.default {
        return Ok(());
    }
    Err(ProvidersError::new(format!(
        "providers.default is \"{named}\", which no provider has; add its provider under [providers.named.NAME], or use \
         one of: {}",
        list_models(found)
    )))
}

fn list_models(providers: &ProvidersSettings) -> String {
    let listed = |(name, provider): (&String, &ProviderSettings)| {
        provider.models.iter().map(|model| format!("{name}/{}", model.name)).collect::<Vec<_>>()
    };
    providers.named.iter().flat_map(listed).collect::<Vec<_>>().join(", ")
}

fn single_model_provider(name: &str, context_window: u32) -> ProviderSettings {
    ProviderSettings {
        models: vec![ModelSettings { name: name.into(), context_window, ..ModelSettings::default() }],
        ..ProviderSettings::default()
    }
}

fn single_provider(name: &str, model: &str, provider: ProviderSettings) -> ProvidersSettings {
    let named = [(name.to_owned(), provider)].into();
    ProvidersSettings { default: format!("{name}/{model}"), named, ..ProvidersSettings::default() }
}

/// Returns the names of the chat models of an Ollama server; empty if the server does not respond.
async fn ollama_models(base: &str) -> Vec<String> {
    request_ollama_models(base).await.unwrap_or_default()
}

async fn request_ollama_models(base: &str) -> Option<Vec<String>> {
    let url = reqwest::Url::parse(&format!("{}/v1/models", base.trim_end_matches('/'))).ok()?;
    let http = http_client::client(&url).timeout(OLLAMA_TIMEOUT).build().ok()?;
    let answer = http.get(url).send().await.ok()?.error_for_status().ok()?;
    let listed = http_client::read_body(answer, MAX_LIST_BYTES).await.ok()??;
    let listed: Value = serde_json::from_slice(&listed).ok()?;
    let names = listed["data"].as_array()?.iter().filter_map(|model| model["id"].as_str());
    // Embedding models cannot chat.
    Some(names.filter(|name| !name.contains("embed")).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a URL that nothing listens on.
    async fn nowhere() -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        format!("http://{}", listener.local_addr().expect("an address"))
    }

    async fn tried(
        configured: &ProvidersSettings,
        variables: &[(&str, &str)],
        ollama: &str,
    ) -> Result<ModelSelection, ProvidersError> {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        select_models(configured, DemoSettings::default(), find, ollama).await
    }

    async fn chosen(configured: &ProvidersSettings, variables: &[(&str, &str)], ollama: &str) -> ModelSelection {
        tried(configured, variables, ollama).await.expect("chooses")
    }

    fn named(default: &str) -> ProvidersSettings {
        ProvidersSettings { default: default.into(), ..ProvidersSettings::default() }
    }

    #[tokio::test]
    async fn the_configuration_comes_first() {
        let provider = ProviderSettings { base_url: "http://127.0.0.1:1/v1".into(), ..single_model_provider("m", 100) };
        let configured = ProvidersSettings { default: String::new(), ..single_provider("mine", "m", provider) };
        let chosen = chosen(&configured, &[("OPENAI_API_KEY", "sk-1")], &nowhere().await).await;
        assert_eq!((chosen.source.kind, &*chosen.source.name), (SourceKind::Configured, "mine/m"));
        assert!(!chosen.source.scripted);
    }

    #[tokio::test]
    async fn a_key_in_the_environment_comes_second() {
        let chosen = chosen(&ProvidersSettings::default(), &[("OPENAI_API_KEY", "sk-1")], &nowhere().await).await;
        assert_eq!((chosen.source.kind, &*chosen.source.name), (SourceKind::Openai, "openai/gpt-4o-mini"));
        assert_eq!(chosen.providers.named["openai"].base_url, "https://api.openai.com/v1");
    }

    #[tokio::test]
    async fn a_key_for_claude_is_found_like_one_for_openai() {
        let key = ("ANTHROPIC_API_KEY", "sk-ant-1");
        let found = chosen(&ProvidersSettings::default(), &[key], &nowhere().await).await;
        assert_eq!((found.source.kind, &*found.source.name), (SourceKind::Anthropic, "anthropic/claude-haiku-5-5"));
        let provider = &found.providers.named["anthropic"];
        assert_eq!((provider.kind, &*provider.base_url), (ProviderKind::Claude, "https://api.anthropic.com"));
        let set = [key, ("ANTHROPIC_MODEL", "claude-opus-9"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")];
        let found = chosen(&ProvidersSettings::default(), &set, &nowhere().await).await;
        assert_eq!(found.source.name, "anthropic/claude-opus-9");
        assert_eq!(found.providers.named["anthropic"].base_url, "http://127.0.0.1:1");
    }

    #[tokio::test]
    async fn both_keys_give_both_and_the_configuration_chooses() {
        let keys = [("ANTHROPIC_API_KEY", "sk-ant-1"), ("OPENAI_API_KEY", "sk-1")];
        let found = chosen(&ProvidersSettings::default(), &keys, &nowhere().await).await;
        assert_eq!((found.source.kind, &*found.source.name), (SourceKind::Openai, "openai/gpt-4o-mini"));
        assert!(found.providers.named.contains_key("anthropic"), "agents can name its models");
        let found = chosen(&named("anthropic/claude-opus-9"), &keys, &nowhere().await).await;
        assert_eq!((found.source.kind, &*found.source.name), (SourceKind::Anthropic, "anthropic/claude-opus-9"));
        assert!(found.providers.named.contains_key("openai"));
    }

    #[tokio::test]
    async fn an_ollama_that_answers_comes_third() {
        let list = r#"{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"qwen3:8b"},{"id":"llama3"}]}"#;
        let app = axum::Router::new().route("/v1/models", axum::routing::get(move || async move { list }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move { axum::serve(listener, app).await });
        let chosen = chosen(&ProvidersSettings::default(), &[("OPENAI_API_KEY", " ")], &base).await;
        assert_eq!((chosen.source.kind, &*chosen.source.name), (SourceKind::Ollama, "ollama/qwen3:8b"));
        assert_eq!(chosen.providers.named["ollama"].base_url, format!("{base}/v1"));
        let chosen = self::chosen(&named("ollama/llama3"), &[], &base).await;
        assert_eq!(chosen.source.name, "ollama/llama3");
        assert_eq!(chosen.check("qwen3:8b"), Ok(()));
        assert!(
            chosen.check("absent").is_err() && chosen.check("ollama/absent").is_err(),
            "Ollama lists all of its models"
        );
        let text = tried(&named("ollama/absent"), &[], &base).await.expect_err("is not there").to_string();
        assert!(text.contains("ollama/absent") && text.ends_with("ollama/qwen3:8b, ollama/llama3"), "{text}");
        serving.abort();
    }

    #[tokio::test]
    async fn an_agents_model_is_one_that_a_provider_has_or_may_have() {
        let provider =
            ProviderSettings { base_url: "http://127.0.0.1:1/v1".into(), ..single_model_provider("org/m", 100) };
        let configured =
            ProvidersSettings { default: "mine/usual".into(), ..single_provider("mine", "org/m", provider) };
        let found = chosen(&configured, &[], &nowhere().await).await;
        for model in ["mine/other", "mine/org/m", "org/m", "usual", "other"] {
            assert_eq!(found.check(model), Ok(()), "{model}");
        }
        for model in ["mnie/other", "org/other", "mine/", ""] {
            let text = found.check(model).expect_err("is not there");
            assert!(
                text.contains("an available provider (mine)") && text.ends_with("listed model: mine/org/m"),
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn the_demo_model_comes_last_and_says_so() {
        let chosen = chosen(&ProvidersSettings::default(), &[], &nowhere().await).await;
        assert_eq!((chosen.source.kind, &*chosen.source.name), (SourceKind::Demo, "demo/demo"));
        assert!(chosen.source.scripted);
        assert_eq!(chosen.providers.named["demo"].base_url, chosen.demo.expect("started").base_url());
    }

    #[tokio::test]
    async fn a_default_that_no_provider_has_is_not_replaced_by_another_model() {
        let text = tried(&named("local/qwen3"), &[], &nowhere().await).await.expect_err("is not there").to_string();
        assert!(text.contains("\"local/qwen3\"") && text.contains("one of: demo/demo,"), "{text}");
        let key = [("OPENAI_API_KEY", "sk-1"), ("OPENAI_MODEL", "gpt-9")];
        let text = tried(&named("local/qwen3"), &key, &nowhere().await).await.expect_err("is not there").to_string();
        assert!(text.ends_with("openai/gpt-9"), "{text}");
        let chosen = chosen(&named("openai/o5"), &key, &nowhere().await).await;
        assert_eq!(chosen.source.name, "openai/o5");
    }
}
