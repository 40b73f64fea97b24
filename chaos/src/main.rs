//! Fault suite: runs three nodes, PostgreSQL, Redis and many viewers under faults that are planned from a seed, and
//! checks the invariants after the repair. `docs/reliability.md` describes the checks and the results.

#![allow(unreachable_pub, reason = "a program exports no items")]

mod budget_laws;
mod call_counts;
mod chat_bot;
mod check;
mod cluster;
mod command_log;
mod commands;
mod counting_tool;
mod coverage;
mod database_history;
mod executions;
mod fault_executor;
mod faulty_proxy;
mod http_request;
mod journal;
mod laws;
mod node;
mod node_laws;
mod observed_log;
mod permission_laws;
mod person;
mod plan;
mod quota_law;
mod reviewer;
mod run_driver;
mod seed;
mod session_rules;
mod socket;
mod visitor;
mod vote_laws;
mod watching_client;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Parser;

use cluster::SharedServers;
use coverage::Coverage;
use plan::Plan;

#[derive(Parser)]
#[command(about = "Break a cluster as planned from seeds, on this machine's loopback only, and check what must hold.")]
struct Arguments {
    /// Number of seeds to run, one after the other.
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Run only this seed.
    #[arg(long, conflicts_with_all = ["seeds", "from"])]
    seed: Option<u64>,
    /// Number of viewers, in addition to the acting participants.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    viewers: u64,
    /// Server program that all nodes run at the start. Each node is upgraded under load to the program next to this
    /// one.
    #[arg(long, value_name = "PROGRAM")]
    upgrade_from: Option<PathBuf>,
    /// Print the plans and run nothing.
    #[arg(long)]
    plan: bool,
    /// Folder for the results of failed seeds.
    #[arg(long, default_value = "target/chaos")]
    folder: PathBuf,
}

impl Arguments {
    /// Returns the command that replays this seed.
    fn replay_command(&self, seed: u64) -> String {
        let viewers = self.viewers;
        match &self.upgrade_from {
            None => format!("make chaos SEED={seed} VIEWERS={viewers}"),
            Some(program) => {
                format!("target/debug/chaos --upgrade-from {} --viewers {viewers} --seed {seed}", program.display())
            }
        }
    }
}

/// Timeout of a seed, longer than any seed takes.
const SEED_TIMEOUT: Duration = Duration::from_secs(120);

#[tokio::main]
async fn main() -> std::process::ExitCode {
    let result = run_seeds(&Arguments::parse()).await.and_then(|report| print(&report));
    if let Err(error) = &result {
        // If writing to standard error fails, the exit code is the only report.
        let _ = writeln!(std::io::stderr(), "{error:#}");
    }
    std::process::ExitCode::from(u8::from(result.is_err()))
}

/// Runs all seeds and returns the report.
async fn run_seeds(arguments: &Arguments) -> anyhow::Result<String> {
    let seeds = arguments.seed.map_or(arguments.from..arguments.from + arguments.seeds, |seed| seed..seed + 1);
    let plans = seeds.clone().map(|seed| Plan::of(seed, arguments.upgrade_from.is_some()));
    if arguments.plan {
        return Ok(plans.map(|plan| plan.to_string()).collect());
    }
    let shared_servers = tokio::task::spawn_blocking(|| SharedServers {
        postgres: servers::postgres::Cluster::start().into(),
        redis: servers::redis::Server::start(&[]).into(),
    });
    let shared_servers = Arc::new(shared_servers.await?);
    let (count, mut failed, mut coverage) = (seeds.end - seeds.start, vec![], Coverage::default());
    for plan in plans {
        if !run_seed(&shared_servers, &plan, arguments, &mut coverage).await? {
            failed.push(plan.seed);
        }
    }
    if let Some(first) = failed.first() {
        bail!("{} of {count} seeds failed: {failed:?}; {}", failed.len(), arguments.replay_command(*first));
    }
    let missing = coverage.missing(count);
    if !missing.is_empty() {
        bail!("{count} seeds passed, but no log has an event of these kinds: {}", missing.join(", "));
    }
    Ok(format!("{count} seeds passed\n"))
}

/// Returns whether all checks passed.
async fn run_seed(
    shared_servers: &Arc<SharedServers>,
    plan: &Plan,
    arguments: &Arguments,
    coverage: &mut Coverage,
) -> anyhow::Result<bool> {
    let folder = arguments.folder.join(plan.seed.to_string());
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let folder = folder.canonicalize()?;
    std::fs::write(folder.join("plan.txt"), plan.to_string())?;
    let program = arguments.upgrade_from.clone().map_or_else(node::newest, Ok)?;
    let started = Instant::now();
    let result = seed::run(shared_servers.clone(), plan, &program, arguments.viewers as usize, &folder);
    let result = tokio::time::timeout(SEED_TIMEOUT, result).await.unwrap_or_else(|_| Err(anyhow::anyhow!("timed out")));
    let (violations, summary) = match result {
        Ok(verdict) => {
            coverage.add(verdict.coverage);
            (verdict.violations, verdict.summary)
        }
        Err(error) => (vec![format!("the plan could not be executed: {error:#}")], "no verdict".into()),
    };
    let seconds = started.elapsed().as_secs_f32();
    let outcome = if violations.is_empty() { "ok" } else { "FAILED" };
    print(&format!("seed {:>5} {outcome} in {seconds:.1} s: {summary}\n", plan.seed))?;
    if violations.is_empty() {
        std::fs::remove_dir_all(&folder)?;
        return Ok(true);
    }
    report(plan, &violations, &folder, &arguments.replay_command(plan.seed))?;
    Ok(false)
}

/// Prints some of the violations, and stores all of them.
fn report(plan: &Plan, violations: &[String], folder: &Path, replay: &str) -> anyhow::Result<()> {
    std::fs::write(folder.join("violations.txt"), violations.join("\n"))?;
    let mut text = plan.to_string();
    for violation in violations.iter().take(12) {
        let _ = writeln!(text, "  {}", violation.chars().take(1_000).collect::<String>());
    }
    if violations.len() > 12 {
        let _ = writeln!(text, "  and {} more", violations.len() - 12);
    }
    let _ = writeln!(text, "  everything is in {}; replay: {replay}", folder.display());
    print(&text)
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
