//! `roundtable team`.

use anyhow::Context;

use crate::agent::{builtin_teams, teams};
use crate::config::Config;
use crate::models;

/// The very file of a built-in team.
pub(super) fn print(name: &str) -> anyhow::Result<()> {
    let text = builtin_teams::text(name).with_context(|| {
        let names: Vec<_> = builtin_teams::all().iter().map(|team| &*team.name).collect();
        format!("there is no built-in team {name}; there are {}", names.join(", "))
    })?;
    super::say(text)
}

/// What sessions may have; or what is wrong with the teams of the configuration.
pub(super) async fn list(config: Config) -> anyhow::Result<()> {
    let teams = teams::read(&config.teams)?;
    // To choose models may take a key from the environment, which a team that names none does not need.
    if teams.name_models() {
        models::choose(&config, &teams).await?;
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
    super::say(&super::table(&rows))
}
