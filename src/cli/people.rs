//! `roundtable people import`: creates, changes and disables people according to a list. A server can run at the
//! same time.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Subcommand, ValueEnum};

use crate::config::Config;
use crate::provisioning::{EntryError, PersonOutcome, Provisioner, parse_csv, parse_json};
use crate::store;

#[derive(Debug, Subcommand)]
pub(super) enum PeopleCommand {
    /// Add, update and disable the people in a list. People who are not in the list do not change.
    Import {
        /// File with the list: CSV with the columns subject, name, role and active, or a JSON array of objects with
        /// these fields. `-` for standard input.
        file: PathBuf,
        /// Format of the list. Default: by file name extension, otherwise CSV.
        #[arg(long, value_enum)]
        format: Option<ListFormat>,
        /// Only check the list, and print what would change.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Format of a list.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ListFormat {
    /// Comma-separated values with a header line.
    Csv,
    /// JSON array of objects.
    Json,
}

pub(super) async fn people(config: Config, verb: PeopleCommand) -> anyhow::Result<()> {
    let PeopleCommand::Import { file, format, dry_run } = verb;
    let text = read(&file)?;
    let is_json = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let entries = match format.unwrap_or(if is_json { ListFormat::Json } else { ListFormat::Csv }) {
        ListFormat::Csv => parse_csv(&text),
        ListFormat::Json => {
            parse_json(&text).context("the file is not a JSON list of objects with subject, name, role and active")?
        }
    };
    let entries = match entries {
        Ok(entries) => entries,
        Err(errors) => return refuse(&errors),
    };
    let stores = store::open_existing(&config.database(), &config.store).await?;
    let provisioner = Provisioner {
        identities: &*stores.identities,
        external: &*stores.external,
        events: &*stores.events,
        issuer: config.account_issuer(),
        asker: None,
        trial: dry_run,
    };
    let list = match provisioner.apply(entries).await? {
        Ok(list) => list,
        Err(errors) => return refuse(&errors),
    };
    if !list.audit.is_empty() {
        let entries: Vec<_> = list.audit.into_iter().map(crate::audit::NewAuditEntry::by_terminal).collect();
        stores.audit.add_audit_entries(&entries).await?;
    }
    let people = list.people?;
    let count = |outcome| people.iter().filter(|person| person.outcome == outcome).count();
    let [created, changed, unchanged] =
        [PersonOutcome::Created, PersonOutcome::Changed, PersonOutcome::Unchanged].map(count);
    let would = if dry_run { "would be " } else { "" };
    super::print_text(&format!("{would}created {created}, changed {changed}, unchanged {unchanged}\n"))
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn refuse(errors: &[EntryError]) -> anyhow::Result<()> {
    let mut out = std::io::stderr().lock();
    for error in errors {
        let _ = writeln!(out, "{error}");
    }
    let count = if errors.len() == 1 { "an error".to_owned() } else { format!("{} errors", errors.len()) };
    anyhow::bail!("the list has {count}, so nothing was changed; fix the list and import it again")
}
