//! Registry of the configured models, and one attempt at a turn.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{sync::Semaphore, time::timeout};

use super::assembly::RawCompletion;
use super::context::fit_context;
use super::provider_client::{ProviderAddress, ProviderClient};
use super::turn_metrics::TurnMetrics;
use super::{adapt, claude, openai};
use crate::agent::prompts::TokenCountCache;
use crate::agent::session_title;
use crate::agent::{
    Completion, ModelMessage, ModelSettings, ProviderKind, ProviderSettings, ProvidersSettings, Title, TurnError,
    TurnRequest,
};
use crate::http_client;
use crate::kernel::{TurnBound, Usage};

/// All models that agents can use.
#[derive(Clone)]
pub struct Models {
    inner: Arc<ModelsInner>,
}

struct ModelsInner {
    endpoints: BTreeMap<Arc<str>, ProviderEndpoint>,
    default: Option<ModelReference>,
    backoff: super::BackoffSettings,
    /// True if the default model writes titles.
    titles: bool,
    counts: Arc<TokenCountCache>,
}

/// Provider name and model name.
type ModelReference = (Arc<str>, Arc<str>);

struct ProviderEndpoint {
    name: Arc<str>,
    limits: Arc<ProviderSettings>,
    address: ProviderAddress,
    http: reqwest::Client,
    places: Semaphore,
}

/// Error in the configuration of providers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProvidersError(String);

impl ProvidersError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl Models {
    /// Creates the models of a configuration. `environment` reads the environment variables that contain API keys.
    ///
    /// # Errors
    /// Fails if a provider is invalid, a key is missing, or the default model is unclear.
    pub fn new(
        providers: &ProvidersSettings,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ProvidersError> {
        let mut endpoints = BTreeMap::new();
        for (name, provider) in &providers.named {
            let endpoint = ProviderEndpoint::new(name, provider, &environment)
                .map_err(|why| ProvidersError(format!("providers.named.{name}: {why}")))?;
            endpoints.insert(endpoint.name.clone(), endpoint);
        }
        let (backoff, titles) = (providers.backoff.clone(), providers.titles);
        let mut inner = ModelsInner { endpoints, default: None, backoff, titles, counts: Arc::default() };
        inner.default = inner.choose_default(&providers.default)?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the model of agents that do not name one, as `provider/model`; `None` if there is no default model.
    pub fn default_model(&self) -> Option<String> {
        self.inner.default.as_ref().map(|(provider, model)| format!("{provider}/{model}"))
    }

    /// Loads the vocabularies of the configured models in the background. Otherwise, the first turn that needs a token
    /// count would have to wait.
    pub fn warm(&self) {
        let models = self.clone();
        tokio::task::spawn_blocking(move || {
            let inner = &models.inner;
            let listed =
                inner.endpoints.values().flat_map(|endpoint| &endpoint.limits.models).map(ModelSettings::tokenizer);
            let default =
                inner.default.iter().map(|(provider, name)| inner.endpoints[provider].model(name).tokenizer());
            for tokenizer in listed.chain(default) {
                tokenizer.count("ready");
            }
        });
    }

    /// Returns the provider and the model if the configuration contains both.
    pub(super) fn known(&self, provider: &str, model: &str) -> Option<(Arc<str>, Arc<str>)> {
        let endpoint = self.inner.endpoints.get(provider)?;
        let default = self.inner.default.iter().map(|(_, name)| &**name);
        let mut listed = endpoint.limits.models.iter().map(|listed| listed.name.as_str()).chain(default);
        Some((endpoint.name.clone(), listed.find(|listed| *listed == model)?.into()))
    }

    /// Returns a title for a conversation that begins with this text. If automatic titles are off, as with the demo
    /// model, only the demo model's stories have titles. The default model writes a title only while more than one slot
    /// is free, so that no turn waits for a title.
    pub async fn title(&self, text: &str, bound: Option<TurnBound>) -> Title {
        if !self.inner.titles {
            return session_title::scripted_title(text);
        }
        let free = self.inner.resolve(None).map_or(0, |(endpoint, _)| endpoint.places.available_permits());
        if free > 1 { session_title::request_title(self, text, bound).await } else { Title::default() }
    }

    /// Returns the delay after `failures` failed attempts, in milliseconds: see [`super::BackoffSettings::delay`].
    pub fn backoff(&self, failures: u32, retry_after_ms: Option<u64>) -> u64 {
        self.inner.backoff.delay(failures, retry_after_ms)
    }

    /// Makes one attempt at a turn; `on_text` receives each fragment of the text as it arrives. Dropping the future
    /// closes the connection to the provider.
    ///
    /// # Errors
    /// Fails with one of the codes of [`TurnError`].
    pub async fn turn(
        &self,
        request: TurnRequest,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Completion, TurnError> {
        let prepared = self.inner.ask(request).await?;
        let (endpoint, body) = (prepared.endpoint, prepared.body());
        let queue = Duration::from_millis(endpoint.limits.max_queue_ms);
        let from_endpoint = |error| TurnError { provider: Some(endpoint.name.clone()), ..error };
        let Ok(Ok(_place)) = timeout(queue, endpoint.places.acquire()).await else {
            return Err(from_endpoint(TurnError::unavailable(format!(
                "too many concurrent turns for {}; raise its max_concurrent_requests, or retry later",
                endpoint.name
            ))));
        };
        let turn = Duration::from_millis(endpoint.limits.turn_ms);
        let mut measured = TurnMetrics::new(self.labels(&endpoint.name, &prepared.name));
        let mut record_text = |text: &str| {
            measured.text_received();
            on_text(text);
        };
        let ended = timeout(turn, prepared.attempt(&body, &mut record_text)).await.unwrap_or_else(|elapsed| {
            let message = format!("{} did not finish the turn within {} s", endpoint.name, turn.as_secs());
            Err(TurnError::timeout(message).caused_by(elapsed))
        });
        measured.ended(ended.as_ref().err());
        let ended = ended.map_err(from_endpoint)?;
        let RawCompletion { text, tool_calls, reasoning, usage, finish } = ended;
        let usage = match usage {
            // Servers that do not count tokens send 0 for both, but every request has some.
            Some((sent, written)) if sent > 0 || written > 0 => prepared.usage(sent, written, false),
            _ => {
                let calls = tool_calls.iter().map(|call| call.arguments.to_string());
                prepared.estimate(calls.chain([text.clone()]).chain(reasoning.clone()).collect()).await
            }
        };
        Ok(Completion { text, tool_calls, reasoning, usage, finish })
    }

    /// Estimates the usage of an attempt that was stopped after it had written `text`, because providers report usage
    /// only at the end. Returns `None` if the request cannot be prepared.
    pub async fn estimate(&self, request: TurnRequest, text: &str) -> Option<Usage> {
        Some(self.inner.ask(request).await.ok()?.estimate(vec![text.to_owned()]).await)
    }
}

/// Maximum number of tokens in a response to a request with a bound, if no other setting limits the response. Without
/// this limit, the response could exceed the bound.
const BOUNDED_MAX_TOKENS: u32 = 16_384;

/// A request, cut to the context of its model.
struct PreparedRequest<'a> {
    endpoint: &'a ProviderEndpoint,
    name: Arc<str>,
    model: ModelSettings,
    counts: Arc<TokenCountCache>,
    request: TurnRequest,
}

impl PreparedRequest<'_> {
    fn body(&self) -> Value {
        let (request, name, limits) = (&self.request, &self.name, &self.endpoint.limits);
        match limits.kind {
            ProviderKind::Openai => request.body(name, &limits.max_tokens_name),
            ProviderKind::Claude => claude::body(request, name),
        }
    }

    /// Sends the request and reads the response to its end. Dropping the future closes the connection, so that the
    /// account does not pay for tokens that nobody reads.
    async fn attempt(&self, body: &Value, on_text: &mut (dyn FnMut(&str) + Send)) -> Result<RawCompletion, TurnError> {
        let endpoint = self.endpoint;
        let client = ProviderClient {
            http: endpoint.http.clone(),
            provider: endpoint.name.clone(),
            model: self.name.clone(),
            limits: endpoint.limits.clone(),
        };
        match endpoint.limits.kind {
            ProviderKind::Openai => openai::attempt(client, &endpoint.address, body, on_text).await,
            ProviderKind::Claude => claude::attempt(client, &endpoint.address, body, on_text).await,
        }
    }

    async fn estimate(mut self, written: Vec<String>) -> Usage {
        let (tokenizer, messages) = (self.model.tokenizer(), std::mem::take(&mut self.request.messages));
        let counts = self.counts.clone();
        let bytes = written.iter().map(|text| text.len() as u64 / 3).sum();
        let name = self.name.clone();
        let count = move || {
            let seen = |message: &ModelMessage| message.images().iter().map(|image| image.tokens(&name)).sum::<u64>();
            let count = |text: &str| counts.count(tokenizer, text);
            let text_tokens = |message: &ModelMessage| message.pieces().iter().map(|piece| count(piece)).sum::<u64>();
            let sent = messages.iter().map(|message| text_tokens(message) + seen(message) + 4).sum();
            (sent, written.iter().map(|text| count(text)).sum())
        };
        let (sent, written) = tokio::task::spawn_blocking(count).await.unwrap_or((bytes, bytes));
        self.usage(sent, written, true)
    }

    fn usage(&self, input_tokens: u64, output_tokens: u64, estimated: bool) -> Usage {
        let cost_micros = self.model.prices.map_or(0, |prices| prices.micros(input_tokens, output_tokens));
        let model = format!("{}/{}", self.endpoint.name, self.name).into();
        Usage { model, input_tokens, output_tokens, estimated, cost_micros }
    }
}

impl ModelsInner {
    fn choose_default(&self, named: &str) -> Result<Option<ModelReference>, ProvidersError> {
        if !named.is_empty() {
            let parts = named.split_once('/').filter(|(_, model)| !model.is_empty());
            return match parts.and_then(|(name, model)| Some((self.endpoints.get(name)?, model))) {
                Some((endpoint, model)) => Ok(Some((endpoint.name.clone(), model.into()))),
                None => Err(ProvidersError(format!(
                    "providers.default is \"{named}\"; use provider/model with one of the configured \
                     providers: {}",
                    self.endpoints.keys().map(|name| &**name).collect::<Vec<_>>().join(", ")
                ))),
            };
        }
        let mut listed = self.endpoints.values().flat_map(|endpoint| {
            endpoint.limits.models.iter().map(|model| (endpoint.name.clone(), model.name.as_str().into()))
        });
        match (listed.next(), listed.next()) {
            (only, None) => Ok(only),
            _ => Err(ProvidersError("more than one model is listed; set providers.default to provider/model".into())),
        }
    }

    async fn ask(&self, request: TurnRequest) -> Result<PreparedRequest<'_>, TurnError> {
        let (endpoint, name) = self.resolve(request.model.as_deref())?;
        let mut model = endpoint.model(&name);
        let window = model.context_window;
        if let Some(bound) = request.bound {
            model.limit_to(bound);
        }
        let is_bound = model.context_window < window;
        let mut request = adapt::adapt(request, endpoint.limits.kind, &model);
        // The response gets at most half of the bound, which leaves room for the request.
        let half = request.bound.map(|_| (model.context_window / 2).max(1));
        let bounds = [request.max_tokens, model.max_output_tokens];
        request.max_tokens = bounds.into_iter().flatten().min().or(match endpoint.limits.kind {
            ProviderKind::Openai => request.bound.map(|_| (model.context_window / 4).min(BOUNDED_MAX_TOKENS)),
            ProviderKind::Claude => Some(claude::DEFAULT_MAX_TOKENS.min(model.context_window / 4)),
        });
        request.max_tokens = request.max_tokens.map(|limit| half.map_or(limit, |half| limit.min(half)));
        let counts = self.counts.clone();
        let request = fit_context(request, &model, is_bound, &counts).await?;
        Ok(PreparedRequest { endpoint, name, model, counts, request })
    }

    /// Returns whether this is the default model or a model that the default provider lists.
    fn default_lists(&self, model: &str) -> bool {
        let Some((provider, default)) = &self.default else { return false };
        let listed = self.endpoints.get(provider).map_or(&[][..], |endpoint| &endpoint.limits.models);
        **default == *model || listed.iter().any(|known| known.name == model)
    }

    fn resolve(&self, reference: Option<&str>) -> Result<(&ProviderEndpoint, Arc<str>), TurnError> {
        let none = || TurnError::not_found("no model is configured; set providers.default to provider/model");
        let (provider, model) = match reference {
            None => {
                let (provider, model) = self.default.as_ref().ok_or_else(none)?;
                (provider.clone(), model.clone())
            }
            Some(reference) => match reference.split_once('/') {
                Some((provider, model)) if self.endpoints.contains_key(provider) => (provider.into(), model.into()),
                // Many model names contain a slash. The default provider gets only the ones that it lists. Otherwise,
                // it would receive, and charge for, prompts that are meant for a provider that was removed.
                Some((provider, _)) if !self.default_lists(reference) => {
                    return Err(TurnError::not_found(format!(
                        "this server has no provider {provider:?} and its default provider does not list {reference:?}; \
                         add either to the configuration, or choose another model"
                    )));
                }
                _ => (self.default.as_ref().ok_or_else(none)?.0.clone(), reference.into()),
            },
        };
        self.endpoints.get(&provider).map(|endpoint| (endpoint, model)).ok_or_else(none)
    }
}

impl ProviderEndpoint {
    fn new(
        name: &str,
        provider: &ProviderSettings,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let url = reqwest::Url::parse(&provider.base_url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or("base_url is not an http or https URL; use, for example, http://127.0.0.1:11434/v1")?;
        if name.is_empty() || name.contains('/') {
            return Err("a provider's name is empty or contains a slash; choose another name".into());
        }
        if provider.max_concurrent_requests == 0 || provider.context_window == 0 {
            return Err("max_concurrent_requests or context_window is 0; set both to at least 1".into());
        }
        let key = match (provider.api_key.is_empty(), provider.api_key_env.as_str()) {
            (true, variable) if !variable.is_empty() => environment(variable).ok_or_else(|| {
                format!("api_key_env names the environment variable {variable}, which is not set; set it")
            })?,
            _ => provider.api_key.expose().to_owned(),
        };
        let http =
            http_client::client(&url).connect_timeout(Duration::from_millis(provider.connect_ms)).build().map_err(
                |_| "the HTTP client cannot be created; install the system's root certificates, which https needs",
            )?;
        Ok(Self {
            name: name.into(),
            address: ProviderAddress::new(provider.kind, &provider.base_url, key.trim())?,
            http,
            places: Semaphore::new(provider.max_concurrent_requests as usize),
            limits: Arc::new(provider.clone()),
        })
    }

    fn model(&self, name: &str) -> ModelSettings {
        let listed = self.limits.models.iter().find(|model| model.name == name).cloned();
        listed.unwrap_or_else(|| ModelSettings {
            name: name.to_owned(),
            context_window: self.limits.context_window,
            ..ModelSettings::default()
        })
    }
}
