//! `roundtable team`: prints a built-in team or lists all teams.

use std::io::Write;

use anyhow::Context;

use crate::agent::teams::{self, builtin_teams};
use crate::config::Config;
use crate::node::{select_models, tool_names};

/// Prints the file of a built-in team.
pub(super) fn print(name: &str) -> anyhow::Result<()> {
    let text = builtin_teams::text(name).with_context(|| {
        let names: Vec<_> = builtin_teams::all().iter().map(|team| &*team.name).collect();
        format!("there is no built-in team {name}; use one of {}", names.join(", "))
    })?;
    super::print_text(text)
}

/// Lists the teams that sessions can use.
///
/// # Errors
/// Fails if a team in the configuration is invalid or names an unknown model.
pub(super) async fn list(config: Config) -> anyhow::Result<()> {
    let teams = teams::read(&config.teams)?;
    for warning in teams.check_tools(&tool_names(&config, []))? {
        writeln!(std::io::stderr(), "warning: {warning}")?;
    }
    // Choosing models can require a key from the environment, so skip it if no team names a model.
    if teams.has_model_overrides() {
        select_models(&config, &teams).await?;
    }
    let mut rows = vec![["NAME", "FLOW", "AGENTS", "TITLE"].map(str::to_owned)];
    for team in &teams.offered {
        rows.push([
            team.name.to_string(),
            team.flow.to_string(),
            team.agents.len().to_string(),
            team.title.to_string(),
        ]);
    }
    super::print_text(&super::format_table(&rows))
}
