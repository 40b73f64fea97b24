//! Names that a team can refer to: the providers, models and tools of a server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agent::teams::ToolNames;
use crate::agent::{Prices, ProvidersSettings};
use crate::kernel::call_rule;
use crate::kernel::kernel_tools::{KERNEL_TOOLS, PLAN_TOOL};

/// Maximum number of names that an error message lists.
const MAX_LISTED: usize = 10;

/// Providers and models of a server.
#[derive(Debug, Clone, Default)]
pub struct ModelCatalog {
    /// Listed models, keyed by provider. A provider without a list accepts any model.
    providers: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// Provider and model of agents that do not name a model.
    default: Option<(Arc<str>, Arc<str>)>,
    /// Prices of the listed models and of the default model, keyed by `provider/model`.
    prices: BTreeMap<Arc<str>, Option<Prices>>,
}

/// Names that a team can refer to at the moment. Tools come and go with MCP servers.
#[derive(Debug, Clone)]
pub struct ReferenceCatalog {
    models: Arc<ModelCatalog>,
    tools: BTreeSet<Arc<str>>,
    /// Tools that rules can name, even when the tools cannot be called.
    rule_tools: ToolNames,
}

/// Result of looking up a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelStatus {
    /// The provider has the model.
    Known,
    /// The provider does not exist.
    UnknownProvider,
    /// The provider lists its models, and this model is not among them.
    UnknownModel,
}

impl ModelCatalog {
    /// Creates the catalog of a configuration.
    pub fn new(providers: &ProvidersSettings) -> Self {
        let listed = |(name, provider): (&String, &crate::agent::ProviderSettings)| {
            let models = provider.models.iter().map(|model| model.name.as_str().into());
            (Arc::from(name.as_str()), models.collect())
        };
        let default = providers.default.split_once('/').map(|(provider, model)| (provider.into(), model.into()));
        let priced = providers.named.iter().flat_map(|(name, provider)| {
            provider.models.iter().map(move |model| (format!("{name}/{}", model.name).into(), model.prices))
        });
        let mut prices: BTreeMap<Arc<str>, Option<Prices>> = priced.collect();
        if default.is_some() {
            prices.entry(providers.default.as_str().into()).or_default();
        }
        let mut catalog = Self { providers: providers.named.iter().map(listed).collect(), default, prices };
        if let Some((provider, model)) = &catalog.default
            && let Some(models) = catalog.providers.get_mut(provider).filter(|models| !models.is_empty())
        {
            models.insert(model.clone());
        }
        catalog
    }

    /// Returns the listed models and the default model as `provider/model`, in alphabetical order, with their prices.
    pub fn prices(&self) -> &BTreeMap<Arc<str>, Option<Prices>> {
        &self.prices
    }

    /// Checks that a session can use this model for all of its agents.
    ///
    /// # Errors
    /// Fails if the model is not listed. The message names the first listed models.
    pub fn check_listed(&self, model: &str) -> Result<(), String> {
        if self.prices.contains_key(model) {
            return Ok(());
        }
        let listed: Vec<&str> = self.prices.keys().take(MAX_LISTED).map(|model| &**model).collect();
        Err(format!("this server does not list the model {model:?}; use one of its models: {}", listed.join(", ")))
    }

    /// Returns whether a provider lists a model.
    fn lists(&self, provider: &str, model: &str) -> bool {
        self.providers.get(provider).is_some_and(|models| models.contains(model))
    }

    fn status(&self, provider: &str, model: &str) -> ModelStatus {
        match self.providers.get(provider) {
            None => ModelStatus::UnknownProvider,
            Some(models) if models.is_empty() || models.contains(model) => ModelStatus::Known,
            Some(_) => ModelStatus::UnknownModel,
        }
    }
}

impl ReferenceCatalog {
    /// Creates a catalog with the names of the tools that can be called now, and of those that rules can name.
    pub fn new(models: Arc<ModelCatalog>, tools: impl IntoIterator<Item = Arc<str>>, rule_tools: ToolNames) -> Self {
        // Supervisors dispatch the agents of a topology, so the plan tool is never offered to an agent.
        let own = KERNEL_TOOLS.iter().map(|tool| tool.name).filter(|name| *name != PLAN_TOOL).map(Arc::from);
        Self { models, tools: tools.into_iter().chain(own).collect(), rule_tools }
    }

    /// Returns the providers and their listed models, in alphabetical order. A provider without a list accepts any
    /// model.
    pub fn providers(&self) -> &BTreeMap<Arc<str>, BTreeSet<Arc<str>>> {
        &self.models.providers
    }

    /// Returns the names of the tools that can be called now, in alphabetical order.
    pub fn tools(&self) -> &BTreeSet<Arc<str>> {
        &self.tools
    }

    /// Returns advice for a rule whose pattern matches no tool; `None` if a tool matches. A rule without a matching
    /// tool would have no effect, and its author would not notice.
    pub(super) fn advice_for_rule(&self, pattern: &str) -> Option<String> {
        let is_known = self.has_tool(pattern) || self.rule_tools.knows(pattern);
        (!is_known).then(|| self.rule_tools.advice(pattern))
    }

    /// Returns the provider and the model that an agent in a team file names; the default ones if it names none.
    pub(super) fn split_model(&self, named: Option<&str>) -> (Arc<str>, Arc<str>) {
        let (provider, model) = self.models.default.clone().unwrap_or_else(|| ("".into(), "".into()));
        match named {
            None => (provider, model),
            Some(named) => match named.split_once('/') {
                Some((provider, model)) if self.models.providers.contains_key(provider) => {
                    (provider.into(), model.into())
                }
                // Many model names contain a slash, but the name of another provider must not become part of a model
                // name.
                Some((other, model)) if !self.models.lists(&provider, named) => (other.into(), model.into()),
                _ => (provider, named.into()),
            },
        }
    }

    pub(super) fn model_status(&self, provider: &str, model: &str) -> ModelStatus {
        self.models.status(provider, model)
    }

    /// Returns whether a callable tool has this name or matches this pattern.
    pub(super) fn has_tool(&self, pattern: &str) -> bool {
        match pattern.contains('*') {
            false => self.tools.contains(pattern),
            true => self.tools.iter().any(|name| call_rule::matches(pattern, name)),
        }
    }

    pub(super) fn providers_text(&self) -> String {
        list_text(self.models.providers.keys())
    }

    pub(super) fn tools_text(&self) -> String {
        list_text(self.tools.iter())
    }

    pub(super) fn models_text(&self, provider: &str) -> String {
        list_text(self.models.providers.get(provider).into_iter().flatten())
    }
}

fn list_text<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> String {
    let mut names: Vec<&str> = names.take(MAX_LISTED + 1).map(|name| &**name).collect();
    if names.len() > MAX_LISTED {
        names[MAX_LISTED] = "…";
    }
    match names.as_slice() {
        [only] => (*only).to_owned(),
        names => format!("one of {}", names.join(", ")),
    }
}
