//! Model clients that the configuration defines.

use crate::agent::{self, ModelSelection, Models, teams::Teams};
use crate::config::Config;

/// Chooses the models, and checks that those of the operator's teams exist.
///
/// # Errors
/// Fails if the configuration cannot be used. The message tells an operator what to do.
pub(crate) async fn select_models(config: &Config, teams: &Teams) -> anyhow::Result<(ModelSelection, Models)> {
    let demo_only = config.only_demo_model;
    let environment = |name: &str| std::env::var(name).ok().filter(|_| !demo_only);
    let mut providers = config.providers.clone();
    if demo_only {
        providers.named.clear();
        providers.default.clear();
    }
    let ollama = if demo_only { "" } else { agent::OLLAMA_URL };
    let chosen = agent::select_models(&providers, config.demo.clone(), environment, ollama).await?;
    // The demo model replaces all other models, so the teams' models need not exist.
    if !demo_only {
        teams.check_models(|model| chosen.check(model))?;
    }
    let models = Models::new(&chosen.providers, environment)?;
    Ok((chosen, models))
}
