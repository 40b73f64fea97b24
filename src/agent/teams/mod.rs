//! Teams on a server: the built-in ones, the operator's own, and those that participants created from a topology.

pub mod builtin_teams;
mod execution_store;
mod permissions;
mod starters;
mod team_file;
mod team_store;
mod toml_values;
mod tool_names;
pub mod topology;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{Agent, Team};

pub use execution_store::{
    ExecutionChange, ExecutionId, ExecutionListing, ExecutionPage, ExecutionQuery, ExecutionStatus, ExecutionStore,
    ExecutionUsage,
};
pub use team_store::{
    NewTeam, StoredTeam, TeamAccess, TeamContent, TeamEntry, TeamId, TeamLimits, TeamListing, TeamPage, TeamQuery,
    TeamReplacement, TeamRight, TeamStore,
};
pub use tool_names::ToolNames;

/// Maximum size of a team file, in bytes; the largest possible topology fits. `MAX_FILES` is the maximum number of
/// files in a folder.
const MAX_FILE_BYTES: u64 = 2 << 20;
const MAX_FILES: usize = 500;

/// The operator's own teams, and limits on the teams that participants create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TeamSettings {
    /// Folder with one file `….toml` per team, such as `/etc/roundtable/teams`. docs/teams.md describes the format, and
    /// `roundtable team NAME` prints a built-in team as a starting point. A team with the name of a built-in team
    /// replaces it. Absent: only the built-in teams.
    pub folder: Option<PathBuf>,
    /// Maximum number of teams that one participant can create over REST. At most 100000, default 100.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_per_participant: u32,
    /// Maximum total size of these teams, in bytes of JSON. 1024 to 17592186044416, default 16777216 (16 MiB).
    #[schemars(range(min = 1024, max = 17_592_186_044_416_i64))]
    pub max_bytes_per_participant: u64,
    /// Maximum size of the body of a request that creates or replaces a team, in bytes. 1024 to 67108864, default
    /// 2097152 (2 MiB).
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub max_body_bytes: usize,
    /// Days after which an execution of such a team is redacted, counted from its last event. 1 to 36500, default 30.
    #[schemars(range(min = 1, max = 36_500))]
    pub execution_retention_days: u32,
    /// Seconds between two heartbeats on the stream of an execution. Heartbeats keep proxies from closing the stream as
    /// idle. 1 to 240, default 30.
    #[schemars(range(min = 1, max = 240))]
    pub heartbeat_seconds: u64,
}

impl Default for TeamSettings {
    fn default() -> Self {
        Self {
            folder: None,
            max_per_participant: 100,
            max_bytes_per_participant: 16 << 20,
            max_body_bytes: 2 << 20,
            execution_retention_days: 30,
            heartbeat_seconds: 30,
        }
    }
}

/// Errors in the operator's teams, one line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("teams.folder: errors in {}; fix them:\n{}", .folder.display(), .errors.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"))]
pub struct TeamsError {
    folder: PathBuf,
    errors: Vec<String>,
}

/// Teams on a server.
#[derive(Debug)]
pub struct Teams {
    /// Teams in display order: the built-in ones, each replaced by the folder's team of the same name, then the
    /// folder's other teams by file name.
    pub offered: Vec<Arc<Team>>,
    /// File names of the operator's own teams, keyed by team name.
    files: BTreeMap<Arc<str>, String>,
    folder: PathBuf,
}

impl Teams {
    /// Returns whether an agent in one of the operator's teams names its model.
    pub fn has_model_overrides(&self) -> bool {
        self.models().next().is_some()
    }

    /// Checks that the models in the operator's teams exist. `check` returns an error with the reason if a model does
    /// not exist.
    ///
    /// # Errors
    /// Fails if a model does not exist.
    pub fn check_models(&self, check: impl Fn(&str) -> Result<(), String>) -> Result<(), TeamsError> {
        let errors = self.models().filter_map(|(file, agent, model)| {
            let why = check(model).err()?;
            Some(format!("{file}: agent {}: model: {why}", agent.id))
        });
        let errors: Vec<String> = errors.collect();
        if errors.is_empty() { Ok(()) } else { Err(TeamsError { folder: self.folder.clone(), errors }) }
    }

    /// Checks that all tools named by agents and rules in the operator's teams exist. Tools of MCP servers that are not
    /// configured cause only warnings, because several servers can share one team file. Returns these warnings.
    ///
    /// # Errors
    /// Fails if any other tool does not exist.
    pub fn check_tools(&self, known: &ToolNames) -> Result<Vec<String>, TeamsError> {
        let (mut errors, mut warnings) = (vec![], vec![]);
        let own = self.offered.iter().filter_map(|team| Some((self.files.get(&team.name)?, &team.agents)));
        for (file, agent) in own.flat_map(|(file, agents)| agents.iter().map(move |agent| (file, agent))) {
            let tools = agent.tools.iter().map(|tool| (tool, "tools".to_owned()));
            let rules = agent.permissions.iter().zip(1..);
            let rules = rules.map(|(rule, number)| (&rule.tool, format!("permission {number}: tool")));
            for (tool, field) in tools.chain(rules).filter(|(tool, _)| !known.knows(tool)) {
                let place = format!("{file}: agent {}: {field}", agent.id);
                if known.is_of_missing_server(tool) {
                    warnings.push(format!("{place}: no MCP server of the configuration has a tool {tool}"));
                } else {
                    errors.push(format!("{place}: there is no tool {tool}; {}", known.advice(tool)));
                }
            }
        }
        if errors.is_empty() { Ok(warnings) } else { Err(TeamsError { folder: self.folder.clone(), errors }) }
    }

    fn models(&self) -> impl Iterator<Item = (&str, &Agent, &str)> {
        let own = self.offered.iter().filter_map(|team| Some((self.files.get(&team.name)?.as_str(), &team.agents)));
        own.flat_map(|(file, agents)| {
            agents.iter().filter_map(move |agent| Some((file, agent, agent.model.as_deref()?)))
        })
    }
}

/// Reads all teams of a configuration.
///
/// # Errors
/// Fails if the folder cannot be read or a file is invalid.
pub fn read(settings: &TeamSettings) -> Result<Teams, TeamsError> {
    let mut teams = builtin_teams::all().to_vec();
    let mut from = BTreeMap::new();
    let Some(folder) = &settings.folder else {
        return Ok(Teams { offered: teams, files: from, folder: PathBuf::new() });
    };
    let mut errors = vec![];
    let failed = |errors| Err(TeamsError { folder: folder.clone(), errors });
    let files = match list_files(folder) {
        Ok(files) => files,
        Err(error) => return failed(vec![format!("cannot read the folder: {error}")]),
    };
    if files.len() > MAX_FILES {
        return failed(vec![format!("the folder has {} teams; at most {MAX_FILES} are allowed", files.len())]);
    }
    for path in &files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let read = read_file(path).and_then(|text| team_file::parse_team(&text));
        let team = match read.and_then(check_replacement) {
            Ok(team) => team,
            Err(faults) => {
                errors.extend(faults.into_iter().map(|fault| format!("{file}: {fault}")));
                continue;
            }
        };
        if let Some(other) = from.insert(team.name.clone(), file.clone()) {
            errors.push(format!("{file}: name: {other} already defines the team {}; choose another name", team.name));
        }
        match teams.iter_mut().find(|known| known.name == team.name) {
            Some(built_in) => *built_in = team.into(),
            None => teams.push(team.into()),
        }
    }
    if errors.is_empty() { Ok(Teams { offered: teams, files: from, folder: folder.clone() }) } else { failed(errors) }
}

/// Checks that a team has the same flow as the built-in team that it replaces, if any, and that its name does not
/// merely look like the name of a built-in team. A request that names no team gets one by flow, so each flow must keep
/// its teams.
fn check_replacement(team: Team) -> Result<Team, Vec<String>> {
    let built_in = builtin_teams::similar_to(&team.name);
    if let Some(other) = built_in.filter(|other| other.name != team.name) {
        return Err(vec![format!(
            "name: {} looks like the built-in team {other}; choose another name, or write {other} to replace it",
            team.name,
            other = other.name
        )]);
    }
    match built_in.filter(|built_in| built_in.flow != team.flow) {
        Some(built_in) => Err(vec![format!(
            "flow: {}, but the built-in team {} that it replaces has flow {}; use that flow, or choose another name",
            team.flow, team.name, built_in.flow
        )]),
        None => Ok(team),
    }
}

/// Returns the paths of the folder's team files, sorted. Hidden files of editors and mounts are ignored.
fn list_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    let is_team = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        !hidden && path.extension().is_some_and(|extension| extension == "toml")
    };
    let mut files: Vec<PathBuf> = paths.into_iter().filter(is_team).collect();
    files.sort();
    Ok(files)
}

fn read_file(path: &Path) -> Result<String, Vec<String>> {
    // Opening a pipe would block until a process writes to it.
    if fs::metadata(path).is_ok_and(|kind| !kind.is_file()) {
        return Err(vec!["it is not a regular file; replace it with the team's file".into()]);
    }
    let mut bytes = vec![];
    let read = fs::File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > MAX_FILE_BYTES => {
            Err(vec![format!("it is too large; at most {MAX_FILE_BYTES} bytes are accepted")])
        }
        Ok(_) => String::from_utf8(bytes).map_err(|error| vec![format!("it cannot be read: {error}")]),
        Err(error) => Err(vec![format!("it cannot be read: {error}")]),
    }
}
