//! The teams that a server offers: those that ship with it, and its operator's own.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{builtin_teams, team_file};
use crate::kernel::{Agent, Team};

/// Bytes of a file, and files of a folder.
const FILE: u64 = 256 * 1024;
const FILES: usize = 500;

/// Where further teams are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TeamSettings {
    /// Folder with a file `….toml` for each team of your own: docs/teams.md has their form, and `roundtable team NAME` prints
    /// a built-in one to begin with. One with the name of a built-in team takes its place. Absent: the built-in teams only.
    pub folder: Option<PathBuf>,
}

/// Everything that is wrong with the operator's teams, one line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("teams.folder: what is in {} cannot be used:\n{}", .folder.display(), .wrong.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"))]
pub struct TeamsError {
    folder: PathBuf,
    wrong: Vec<String>,
}

/// The teams of a server.
#[derive(Debug)]
pub struct Teams {
    /// In the order in which they are offered: the built-in ones, each replaced where the folder has one of its name, then the
    /// others of the folder by the names of their files.
    pub offered: Vec<Arc<Team>>,
    /// The files of the operator's own, by the names of their teams.
    files: BTreeMap<Arc<str>, String>,
    folder: PathBuf,
}

impl Teams {
    /// Whether an agent of the operator's own names its model.
    pub fn name_models(&self) -> bool {
        self.models().next().is_some()
    }

    /// Whether there is every model that an agent of the operator's own names; `check` says why one is not.
    ///
    /// # Errors
    /// Where one is not.
    pub fn check_models(&self, check: impl Fn(&str) -> Result<(), String>) -> Result<(), TeamsError> {
        let wrong = self.models().filter_map(|(file, agent, model)| {
            let why = check(model).err()?;
            Some(format!("{file}: agent {}: model: {why}", agent.id))
        });
        let wrong: Vec<String> = wrong.collect();
        if wrong.is_empty() { Ok(()) } else { Err(TeamsError { folder: self.folder.clone(), wrong }) }
    }

    fn models(&self) -> impl Iterator<Item = (&str, &Agent, &str)> {
        let own = self.offered.iter().filter_map(|team| Some((self.files.get(&team.name)?.as_str(), &team.agents)));
        own.flat_map(|(file, agents)| {
            agents.iter().filter_map(move |agent| Some((file, agent, agent.model.as_deref()?)))
        })
    }
}

/// All teams of a configuration.
///
/// # Errors
/// Where a file cannot be used.
pub fn read(settings: &TeamSettings) -> Result<Teams, TeamsError> {
    let mut teams = builtin_teams::all().to_vec();
    let mut from = BTreeMap::new();
    let Some(folder) = &settings.folder else {
        return Ok(Teams { offered: teams, files: from, folder: PathBuf::new() });
    };
    let mut wrong = vec![];
    let failed = |wrong| Err(TeamsError { folder: folder.clone(), wrong });
    let files = match files(folder) {
        Ok(files) => files,
        Err(error) => return failed(vec![format!("the folder cannot be read: {error}")]),
    };
    if files.len() > FILES {
        return failed(vec![format!("it has {} teams; at most {FILES} are taken", files.len())]);
    }
    for path in &files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let read = text(path).and_then(|text| team_file::read(&text));
        let team = match read.and_then(in_place) {
            Ok(team) => team,
            Err(faults) => {
                wrong.extend(faults.into_iter().map(|fault| format!("{file}: {fault}")));
                continue;
            }
        };
        if let Some(other) = from.insert(team.name.clone(), file.clone()) {
            wrong.push(format!("{file}: name: {other} has a team {} already; give each its own name", team.name));
        }
        match teams.iter_mut().find(|known| known.name == team.name) {
            Some(built_in) => *built_in = team.into(),
            None => teams.push(team.into()),
        }
    }
    if wrong.is_empty() { Ok(Teams { offered: teams, files: from, folder: folder.clone() }) } else { failed(wrong) }
}

/// A team that may take the place of the built-in one of its name, if there is one: who asks for no team is given one by its
/// flow, so each flow keeps those that it had.
fn in_place(team: Team) -> Result<Team, Vec<String>> {
    match builtin_teams::get(&team.name).filter(|built_in| built_in.flow != team.flow) {
        Some(built_in) => Err(vec![format!(
            "flow: it is {}, and the built-in team {}, whose place it takes, has {}; keep that, or choose another name",
            team.flow, team.name, built_in.flow
        )]),
        None => Ok(team),
    }
}

/// The folder's teams, by name. Editors and mounts put hidden files beside them.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    let is_team = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        !hidden && path.extension().is_some_and(|extension| extension == "toml")
    };
    let mut files: Vec<PathBuf> = paths.into_iter().filter(is_team).collect();
    files.sort();
    Ok(files)
}

fn text(path: &Path) -> Result<String, Vec<String>> {
    // To open a pipe is to wait for whoever writes to it.
    if fs::metadata(path).is_ok_and(|kind| !kind.is_file()) {
        return Err(vec!["it is no file; put the team's file itself there".into()]);
    }
    let mut bytes = vec![];
    let read = fs::File::open(path).and_then(|file| file.take(FILE + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > FILE => Err(vec![format!("it is too large; at most {FILE} bytes are accepted")]),
        Ok(_) => String::from_utf8(bytes).map_err(|error| vec![format!("it cannot be read: {error}")]),
        Err(error) => Err(vec![format!("it cannot be read: {error}")]),
    }
}
