//! Model providers: their settings, the clients of their APIs, and the registry of models.

pub(super) mod adapt;
mod assembly;
pub(super) mod claude;
mod context;
mod currency;
mod default_model;
mod gathered_text;
mod models;
mod openai;
mod retry;
mod settings;
mod transport;
mod turn_metrics;

pub use currency::Currency;
pub use default_model::{ModelSelection, ModelSource, OLLAMA_URL, SourceKind, select_models};
pub use models::{Models, ProvidersError};
pub use openai::LOG_TARGET;
pub use retry::BackoffSettings;
pub use settings::{ApiKey, ModelSettings, Prices, ProviderKind, ProviderSettings, ProvidersSettings};
