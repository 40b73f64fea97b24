//! Command line.

mod audit;
mod backup;
mod config;
mod database_lock;
mod demo_model;
mod export;
mod mcp;
mod participant;
mod people;
mod redact;
mod schema;
mod serve;
mod sign_in;
mod sign_in_management;
mod team;
mod token;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

use crate::config::{ConfigInput, LoadedConfig, load};
use crate::demo_model::DemoSettings;
use crate::kernel::{SessionId, Timestamp};

/// Server where people and bots watch and steer one run of a team of AI agents together.
#[derive(Debug, Parser)]
#[command(name = "roundtable", version, about)]
struct CommandLine {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Args)]
struct Flags {
    /// Configuration file. Default: ROUNDTABLE_CONFIG, otherwise roundtable.toml if it exists.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on.
    #[arg(long, global = true, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Folder for all data of the server.
    #[arg(long, global = true, value_name = "FOLDER")]
    data_dir: Option<String>,
    /// URL at which people reach the server.
    #[arg(long, global = true, value_name = "URL")]
    public_url: Option<String>,
    /// Database: `sqlite:path/to/file` or `postgres://…`.
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// Redis that connects the servers on one PostgreSQL: `redis://…`.
    #[arg(long, global = true, value_name = "URL")]
    redis_url: Option<String>,
    /// Any other setting, for example `--set socket.ping_seconds=10`; `roundtable config` lists them.
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Run the server until SIGINT or SIGTERM.
    Serve,
    /// Print a one-time link that signs in an administrator. On SQLite, the address of a running server is detected; on
    /// PostgreSQL, which several servers can share, pass it with --listen or --public-url.
    SignIn,
    /// Create, list and revoke tokens for people and programs.
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// List and revoke sign-ins: cookies of browsers, and unused sign-in links.
    #[command(subcommand)]
    SignIns(sign_in_management::SignInsCommand),
    /// List, disable and enable participants.
    #[command(subcommand)]
    Participant(participant::ParticipantCommand),
    /// Import people from a list.
    #[command(subcommand)]
    People(people::PeopleCommand),
    /// Read the audit log: sign-ins, denials, tokens, links, roles, and reads by administrators.
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Authorize MCP servers that require it.
    #[command(subcommand)]
    Mcp(mcp::McpCommand),
    /// Run only the scripted demo model, on 127.0.0.1:8090 or the address of --listen.
    DemoModel(DemoSettings),
    /// Permanently erase the content of a session or the name of a participant.
    #[command(subcommand)]
    Redact(redact::RedactCommand),
    /// Print a session's log as JSON lines.
    Export {
        /// The session's id, `s_…`.
        session: SessionId,
    },
    /// Copy a SQLite database into a new file. The server can continue to run.
    Backup {
        /// The file to create.
        file: PathBuf,
    },
    /// Print the file of a built-in team, as a template for your own. Without a name, list the teams that sessions can
    /// use.
    Team {
        /// Name of the team, for example `testcase-en`.
        name: Option<String>,
    },
    /// Print the settings in force, with the source and meaning of each.
    Config,
    /// Print the JSON Schema of the wire protocol.
    Schema {
        /// Print the OpenAPI document of the HTTP interface instead.
        #[arg(long)]
        openapi: bool,
    },
}

/// Parses the argument of `--set`. This is not a clap parser, because clap prints a value that it rejects, and the
/// value can contain a secret.
fn parse_set(text: &str) -> anyhow::Result<(String, String, String)> {
    let (name, value) = text.split_once('=').context("the argument of --set has no =; use NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned(), "--set".to_owned()))
}

impl Flags {
    fn load(&self) -> anyhow::Result<LoadedConfig> {
        let named = [
            ("listen", "--listen", &self.listen),
            ("data_dir", "--data-dir", &self.data_dir),
            ("public_url", "--public-url", &self.public_url),
            ("database_url", "--database-url", &self.database_url),
            ("redis_url", "--redis-url", &self.redis_url),
        ];
        let named = named.into_iter().filter_map(|(name, flag, value)| {
            value.as_ref().map(|value| (name.to_owned(), value.clone(), flag.to_owned()))
        });
        let set = self.set.iter().map(|text| parse_set(text)).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(load(&ConfigInput::from_process(self.config.clone(), named.chain(set).collect()))?)
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    // rustls does not select a cryptography provider by itself here, and panics on first use without one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match CommandLine::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "roundtable: {error:#}");
            ExitCode::FAILURE
        }
    }
}

impl CommandLine {
    fn run(self) -> anyhow::Result<()> {
        match self.command {
            CliCommand::Serve => wait(serve::serve(self.flags.load()?.config)),
            CliCommand::SignIn => wait(sign_in::sign_in(self.flags.load()?.config, self.flags.listen.is_some())),
            CliCommand::Token(verb) => wait(token::token(self.flags.load()?.config, verb)),
            CliCommand::SignIns(verb) => wait(sign_in_management::sign_ins(self.flags.load()?.config, verb)),
            CliCommand::Participant(verb) => wait(participant::participant(self.flags.load()?.config, verb)),
            CliCommand::People(verb) => wait(people::people(self.flags.load()?.config, verb)),
            CliCommand::Audit(verb) => wait(audit::audit(self.flags.load()?.config, verb)),
            CliCommand::Mcp(verb) => wait(mcp::mcp(self.flags.load()?.config, verb)),
            CliCommand::DemoModel(options) => wait(demo_model::demo_model(self.flags.listen, options)),
            CliCommand::Redact(verb) => wait(redact::redact(self.flags.load()?.config, verb)),
            CliCommand::Export { session } => wait(export::export(self.flags.load()?.config, session)),
            CliCommand::Backup { file } => wait(backup::backup(self.flags.load()?.config, &file)),
            CliCommand::Team { name: Some(name) } => team::print(&name),
            CliCommand::Team { name: None } => wait(team::list(self.flags.load()?.config)),
            CliCommand::Config => config::print(&self.flags.load()?),
            CliCommand::Schema { openapi } => schema::print(openapi),
        }
    }
}

fn wait(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(work);
    // An ordinary shutdown would wait for a DNS lookup in progress.
    runtime.shutdown_background();
    done
}

/// Formats a time for people.
fn format_time(at: Timestamp) -> String {
    serde_json::to_string(&at).expect("a time serializes as a string").trim_matches('"').to_owned()
}

/// Formats rows as aligned columns, two spaces apart. The last column is not padded, because names can contain letters
/// of any width.
fn format_table<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|at| {
        rows.iter().map(|row| row[at].chars().count()).max().filter(|_| at + 1 < N).unwrap_or_default()
    });
    let mut lines = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        lines += &(cells.collect::<Vec<_>>().join("  ") + "\n");
    }
    lines
}

/// Writes to standard output. Fails if standard output is a pipe that its reader has closed.
fn print_text(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
