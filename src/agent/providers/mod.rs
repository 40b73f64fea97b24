//! Model providers: their settings, the clients of their APIs, and the registry of models.

pub(super) mod adapt;
mod api_key;
mod assembly;
mod backoff_settings;
pub(super) mod claude;
mod context;
mod currency;
mod gathered_text;
mod model_selection;
mod models;
mod openai;
mod prices;
mod provider_client;
mod settings;
mod turn_metrics;

pub use api_key::ApiKey;
pub use backoff_settings::BackoffSettings;
pub use currency::Currency;
pub use model_selection::{ModelSelection, ModelSource, OLLAMA_URL, SourceKind, select_models};
pub use models::{Models, ProvidersError};
pub use openai::LOG_TARGET;
pub use prices::Prices;
pub use settings::{ModelSettings, ProviderKind, ProviderSettings, ProvidersSettings};
