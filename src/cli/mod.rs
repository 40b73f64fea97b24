//! The command line.

mod audit;
mod backup;
mod config;
mod demo_model;
mod export;
mod mcp;
mod participant;
mod place;
mod redact;
mod schema;
mod serve;
mod sessions;
mod sign_in;
mod team;
mod token;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

use crate::config::{Given, Loaded, load};
use crate::demo_model::DemoOptions;
use crate::kernel::{SessionId, Timestamp};

/// One run, many hands: people and bots watch and steer one run of a team of AI agents.
#[derive(Debug, Parser)]
#[command(name = "roundtable", version, about)]
struct Line {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Verb,
}

#[derive(Debug, Args)]
struct Flags {
    /// The configuration file; else ROUNDTABLE_CONFIG, else roundtable.toml if there is one.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on.
    #[arg(long, global = true, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Folder for everything that the server keeps.
    #[arg(long, global = true, value_name = "FOLDER")]
    data_dir: Option<String>,
    /// How people reach the server.
    #[arg(long, global = true, value_name = "URL")]
    public_url: Option<String>,
    /// `sqlite:path/to/file` or `postgres://…`.
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// `redis://…`, where the servers on one PostgreSQL meet.
    #[arg(long, global = true, value_name = "URL")]
    redis_url: Option<String>,
    /// Any other setting, as in `--set socket.ping_seconds=10`; `roundtable config` lists them.
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run the server until SIGINT or SIGTERM.
    Serve,
    /// Print a link that signs an administrator in, once. It finds where a running server listens; on PostgreSQL, which
    /// several may share, say it with --listen or --public-url.
    SignIn,
    /// Make, list and revoke tokens for people and programs.
    #[command(subcommand)]
    Token(token::Token),
    /// List and revoke sign-ins: cookies of browsers, and sign-in links that nobody used yet.
    #[command(subcommand)]
    Sessions(sessions::Sessions),
    /// List, disable and enable participants.
    #[command(subcommand)]
    Participant(participant::Participants),
    /// Read the audit log: sign-ins, refusals, tokens, links, roles, administrators' reads.
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Authorize MCP servers that want it.
    #[command(subcommand)]
    Mcp(mcp::Mcp),
    /// Run the scripted demo model by itself; listens on 127.0.0.1:8090 unless --listen says otherwise.
    DemoModel(DemoOptions),
    /// Erase a session's content or a person's name for good.
    #[command(subcommand)]
    Redact(redact::Redact),
    /// Print a session's log as JSON lines.
    Export {
        /// The session's id, `s_…`.
        session: SessionId,
    },
    /// Copy a SQLite database into a new file; the server may go on.
    Backup {
        /// The file to make.
        file: PathBuf,
    },
    /// Print a built-in team's file, to begin one of your own with; without a name, list the teams that sessions may have.
    Team {
        /// The team's name: `testcase-en`.
        name: Option<String>,
    },
    /// Print the settings in force, where each came from, and what they mean.
    Config,
    /// Print the JSON Schema of everything that goes over the wire.
    Schema,
}

/// Not a parser of clap's, which would print a text that it does not take: that may hold a secret.
fn pair(text: &str) -> anyhow::Result<(String, String, String)> {
    let (name, value) = text.split_once('=').context("--set takes NAME=VALUE; there was none with a =")?;
    Ok((name.to_owned(), value.to_owned(), "--set".to_owned()))
}

impl Flags {
    fn load(&self) -> anyhow::Result<Loaded> {
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
        let set = self.set.iter().map(|text| pair(text)).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(load(&Given::from_process(self.config.clone(), named.chain(set).collect()))?)
    }
}

/// The whole program: what `main` does.
pub fn main() -> ExitCode {
    // rustls takes no provider of cryptography by itself here, and panics at the first use without one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match Line::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "roundtable: {error:#}");
            ExitCode::FAILURE
        }
    }
}

impl Line {
    fn run(self) -> anyhow::Result<()> {
        match self.command {
            Verb::Serve => wait(serve::serve(self.flags.load()?.config)),
            Verb::SignIn => wait(sign_in::sign_in(self.flags.load()?.config, self.flags.listen.is_some())),
            Verb::Token(verb) => wait(token::token(self.flags.load()?.config, verb)),
            Verb::Sessions(verb) => wait(sessions::sessions(self.flags.load()?.config, verb)),
            Verb::Participant(verb) => wait(participant::participant(self.flags.load()?.config, verb)),
            Verb::Audit(verb) => wait(audit::audit(self.flags.load()?.config, verb)),
            Verb::Mcp(verb) => wait(mcp::mcp(self.flags.load()?.config, verb)),
            Verb::DemoModel(options) => wait(demo_model::demo_model(self.flags.listen, options)),
            Verb::Redact(verb) => wait(redact::redact(self.flags.load()?.config, verb)),
            Verb::Export { session } => wait(export::export(self.flags.load()?.config, session)),
            Verb::Backup { file } => wait(backup::backup(self.flags.load()?.config, &file)),
            Verb::Team { name: Some(name) } => team::print(&name),
            Verb::Team { name: None } => wait(team::list(self.flags.load()?.config)),
            Verb::Config => config::print(&self.flags.load()?),
            Verb::Schema => schema::print(),
        }
    }
}

fn wait(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(work);
    // A name that is just being looked up would be waited for, for as long as that takes.
    runtime.shutdown_background();
    done
}

/// A moment as people read it.
fn written(at: Timestamp) -> String {
    serde_json::to_string(&at).unwrap_or_default().trim_matches('"').to_owned()
}

/// Columns below each other, two spaces apart. The last is as long as it likes: names may be in letters of any width.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] =
        std::array::from_fn(|at| rows.iter().map(|row| row[at].len()).max().filter(|_| at + 1 < N).unwrap_or_default());
    let mut lines = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        lines += &(cells.collect::<Vec<_>>().join("  ") + "\n");
    }
    lines
}

/// Write to standard output, which may be a pipe that its reader has closed.
fn say(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
