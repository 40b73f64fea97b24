//! Simulation of three nodes in one process, on paused time: the kernel with every flow, the orchestrator, tools, the
//! feed and forwarding. In thousands of random plans, nodes die, freeze, stop, and lose their database or their bus
//! messages, and people redact messages. The bus and the store are simulated according to their laws.
//!
//! `SIM_SEEDS=10000 cargo test --test it sim::` runs that many plans; a failing plan prints how to repeat it. A seed
//! determines everything, down to the order of the logs: the tasks of a thread run in turn, every random value is drawn
//! from the seed, and nothing whose order matters is stored in a hash table.

#[path = "../../../chaos/src/budget_laws.rs"]
mod budget_laws;
mod check;
mod counting_tool;
mod coverage;
mod erasure;
mod faulty_links;
#[path = "../../../chaos/src/laws.rs"]
pub mod laws;
mod memory_store;
#[path = "../../../chaos/src/node_laws.rs"]
mod node_laws;
mod pause;
#[path = "../../../chaos/src/permission_laws.rs"]
mod permission_laws;
mod presence;
mod random_settings;
mod reconcile_intervals;
mod removal;
mod simulation;
mod viewer;
#[path = "../../../chaos/src/vote_laws.rs"]
mod vote_laws;

use std::env;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use coverage::SimCoverage;
use parking_lot::Mutex;
use servers::random::Random;
use simulation::Simulation;

/// Number of plans in a normal test run.
const SEEDS: u64 = 25;
/// Minimum number of plans in which every kind of event and command must occur: some kinds need several rare steps in a
/// row.
const COVERAGE_SEEDS: u64 = 1_000;
/// Number of plans that are run twice.
const REPEATED: u64 = 5;
/// Number of steps of one plan.
const STEPS: u64 = 60;

/// Runs one plan on its own clock. Returns its transcript.
fn run(seed: u64) -> Result<String, String> {
    run_plan(seed).map(|simulation| simulation.transcript())
}

fn run_plan(seed: u64) -> Result<Arc<Simulation>, String> {
    // The server's own random choices, which it makes for backoff, also depend on the seed.
    fastrand::seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async {
        let mut dice = Random::new(seed);
        let simulation = Simulation::new(&mut dice).await;
        simulation.run_steps(&mut dice, STEPS).await;
        check::check(&simulation).await?;
        erasure::redact_at_rest(&simulation, &mut dice).await?;
        check::check(&simulation).await?;
        Ok(simulation)
    })
}

fn env_number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

/// Runs these plans. Each has its own clock, so they can run in parallel.
fn run_all(seeds: Range<u64>) -> Result<SimCoverage, String> {
    let (next, coverage) = (Mutex::new(seeds), Mutex::new(Ok(SimCoverage::default())));
    let run_seeds = || {
        while let Some(seed) = { next.lock().next() } {
            let ran = run_plan(seed);
            let mut coverage = coverage.lock();
            match (ran, &mut *coverage) {
                (Ok(simulation), Ok(coverage)) => coverage.read(&simulation),
                (Ok(_), Err(_)) => return,
                (Err(violation), _) => {
                    let again = format!("run it again: SIM_SEED={seed} cargo test --test it sim::");
                    *coverage = Err(format!("{violation}\n{again}"));
                    return;
                }
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|threads| (0..cores).for_each(|_| drop(threads.spawn(run_seeds))));
    coverage.into_inner()
}

#[test]
fn the_laws_hold_under_all_faults() {
    let seeds = match (env_number("SIM_SEED"), env_number("SIM_SEEDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, seeds) => 0..seeds.unwrap_or(SEEDS),
    };
    let is_long = seeds.end - seeds.start >= COVERAGE_SEEDS;
    match run_all(seeds) {
        Ok(coverage) if is_long => assert_eq!(coverage.problems(), Vec::<String>::new()),
        Ok(_) => {}
        Err(violation) => panic!("{violation}"),
    }
}

#[test]
fn a_bus_outage_affects_commands_and_viewers() {
    let (mut refused, mut signals, mut read) = (0, 0, 0);
    for seed in 0..REPEATED {
        let simulation = run_plan(seed).expect("holds");
        refused += simulation.bus_outage_effects.refused_commands.load(Relaxed);
        signals += simulation.bus_outage_effects.liveness_signals.load(Relaxed);
        read += simulation.bus_outage_effects.events_from_store.load(Relaxed);
    }
    assert!(refused > 0 && signals > 0 && read > 0, "refused {refused}, signals {signals}, read {read} times");
}

#[test]
fn a_seed_repeats_everything() {
    for seed in 0..REPEATED {
        let (first, second) = (run(seed).expect("holds"), run(seed).expect("holds"));
        let differs = first.lines().zip(second.lines()).find(|(first, second)| first != second);
        assert_eq!(differs, None, "seed {seed}");
        assert_eq!(first.len(), second.len(), "seed {seed}");
    }
}
