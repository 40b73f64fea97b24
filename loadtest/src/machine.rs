//! CPU and memory of a process, and the cores that it runs on.

use std::fs;

use anyhow::Context;
use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Clock ticks per second in `/proc`, a fixed value for programs on Linux.
const TICKS: f64 = 100.0;

/// Creates a runtime with this many threads.
pub fn runtime(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

/// Raises the limit on open files to its maximum, because each viewer uses an open file.
pub fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Checks that a process can open this many files, so that a long measurement does not fail halfway.
pub fn check_open_files(count: u64) -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    anyhow::ensure!(
        limit >= count,
        "a process may open {limit} files here, and {count} are needed: raise the hard limit (`ulimit -Hn`), or take \
         fewer viewers"
    );
    Ok(())
}

/// Returns the number of cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Pins this thread, and the threads that it starts from now on, to these cores. Returns the previous cores.
pub fn pin(cores: impl IntoIterator<Item = usize>) -> anyhow::Result<CpuSet> {
    let before = sched_getaffinity(None)?;
    let mut set = CpuSet::new();
    cores.into_iter().for_each(|core| set.set(core));
    sched_setaffinity(None, &set).context("cannot pin to a core")?;
    Ok(before)
}

/// Runs `work` on a core. Processes that `work` starts stay on that core.
pub fn on_core<T>(core: usize, work: impl FnOnce() -> T) -> anyhow::Result<T> {
    let before = pin([core])?;
    let result = work();
    sched_setaffinity(None, &before)?;
    Ok(result)
}

/// Keeps all threads of this process off a core, so that the measured server has it to itself.
pub fn avoid_core(core: usize) -> anyhow::Result<()> {
    let mut set = CpuSet::new();
    let all = cores();
    (0..all).filter(|other| *other != core || all == 1).for_each(|other| set.set(other));
    on_every_thread(&set)
}

/// Lets all threads of this process run on these cores again.
pub fn release(cores: &CpuSet) -> anyhow::Result<()> {
    on_every_thread(cores)
}

fn on_every_thread(cores: &CpuSet) -> anyhow::Result<()> {
    for entry in fs::read_dir("/proc/self/task")? {
        let id: i32 = entry?.file_name().to_string_lossy().parse()?;
        if let Some(thread) = rustix::process::Pid::from_raw(id) {
            match sched_setaffinity(Some(thread), cores) {
                // The thread has ended since the list was read.
                Err(rustix::io::Errno::SRCH) | Ok(()) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Returns the CPU time that a process has used so far, in user space and in the kernel, in seconds.
pub fn cpu_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).context("the server is gone")?;
    // The name in parentheses can contain any characters; the fields begin after it.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    Ok((ticks(11) + ticks(12)) / TICKS)
}

/// Returns the resident memory of a process, in KiB.
pub fn resident_kib(pid: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).context("the server is gone")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}

/// Returns the nanoseconds since 1970, according to the clock that both ends of a measurement share.
pub fn nanos() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64
}
