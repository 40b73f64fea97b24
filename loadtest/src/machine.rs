//! Cost and CPU of a process.

use std::fs;

use anyhow::Context;
use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Clock ticks of `/proc` a second, which Linux fixes for programs.
const TICKS: f64 = 100.0;

/// A runtime with so many threads.
pub fn runtime(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

/// A thousand viewers are a thousand files.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Insist on so many files for each process, before hours are spent on finding out.
pub fn enough_files(wanted: u64) -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    anyhow::ensure!(
        limit >= wanted,
        "a process may open {limit} files here, and {wanted} are needed: raise the hard limit (`ulimit -Hn`), or take \
         fewer viewers"
    );
    Ok(())
}

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Let this thread, and what it starts from now on, run on these cores alone; what it was before.
pub fn pin(cores: impl IntoIterator<Item = usize>) -> anyhow::Result<CpuSet> {
    let before = sched_getaffinity(None)?;
    let mut set = CpuSet::new();
    cores.into_iter().for_each(|core| set.set(core));
    sched_setaffinity(None, &set).context("cannot pin to a core")?;
    Ok(before)
}

/// Keep all threads of this process off a core, so that what is measured there is alone.
pub fn keep_off(core: usize) -> anyhow::Result<()> {
    let mut set = CpuSet::new();
    let all = cores();
    (0..all).filter(|other| *other != core || all == 1).for_each(|other| set.set(other));
    on_every_thread(&set)
}

/// Let all threads of this process run on these cores again.
pub fn release(cores: &CpuSet) -> anyhow::Result<()> {
    on_every_thread(cores)
}

fn on_every_thread(cores: &CpuSet) -> anyhow::Result<()> {
    for entry in fs::read_dir("/proc/self/task")? {
        let id: i32 = entry?.file_name().to_string_lossy().parse()?;
        if let Some(thread) = rustix::process::Pid::from_raw(id) {
            sched_setaffinity(Some(thread), cores)?;
        }
    }
    Ok(())
}

/// CPU seconds of a process so far, in user space and in the kernel.
pub fn cpu_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).context("the server is gone")?;
    // The name in brackets may contain anything; the fields begin behind it.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    Ok((ticks(11) + ticks(12)) / TICKS)
}

/// KiB of a process in memory.
pub fn resident_kib(pid: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).context("the server is gone")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

/// Nanoseconds since 1970: the clock that both ends of a measurement share.
pub fn nanos() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64
}
