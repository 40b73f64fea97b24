//! Runs one program, from its start to the end of all processes that it started.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe::Receiver,
    process::Child,
    time::{Instant, interval_at, timeout},
};

use super::cgroup::{ControlGroup, ControlGroups};
use super::{PythonSettings, sandbox};

const KEEPER: &str = include_str!("keeper.py");

/// Maximum number of bytes in the list of files in a report.
const MAX_REPORT_BYTES: u64 = 4 * 1024 * 1024;

/// Interval between updates of the output while a program runs.
const OUTPUT_INTERVAL: Duration = Duration::from_millis(500);

/// Result of a program.
#[derive(Debug)]
pub struct ProgramResult {
    /// Output of the program to standard output and standard error, in order.
    pub output: String,
    /// End of the program.
    pub end: ProgramExit,
    /// Files that the program left in its work folder.
    pub left: Vec<ProgramFile>,
    /// Number of files that exceeded the limits and were not handed over.
    pub more: usize,
}

/// End of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramExit {
    /// The program ended with this exit code, or was killed by a signal if the code is negative.
    Exit(i32),
    /// The program timed out.
    Late,
    /// The program exceeded the output limit.
    Endless,
    /// There is no report, because the program or the machine killed or corrupted the sandbox's keeper process.
    Lost,
}

/// A file that a program left behind or is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// Path in the work folder, chosen by the program and not validated. For a file that the program is given, a name
    /// without a folder.
    pub name: String,
    /// Content of the file.
    pub content: Vec<u8>,
}

#[derive(Serialize)]
struct ProgramJob<'a> {
    code: &'a str,
    seconds: u64,
    limits: ResourceLimits,
    file_limits: ProgramFileLimits,
    /// Files for the program. Their bytes follow the job line, one after the other.
    files: Vec<ProgramFileHeader>,
}

/// Limits of each process, named as in `setrlimit`.
#[derive(Serialize)]
#[serde(rename_all = "UPPERCASE")]
struct ResourceLimits {
    r#as: u64,
    core: u64,
    cpu: u64,
    fsize: u64,
    nofile: u64,
    nproc: u64,
}

#[derive(Serialize)]
struct ProgramFileLimits {
    files: usize,
    bytes: u64,
}

/// Report of the keeper. The program might have forged it, so nothing in it is trusted.
#[derive(Deserialize)]
struct KeeperReport {
    ended: i32,
    late: bool,
    files: Vec<ProgramFileHeader>,
    more: usize,
}

#[derive(Serialize, Deserialize)]
struct ProgramFileHeader {
    name: String,
    bytes: usize,
}

/// Reason that waiting for the program ended early.
enum ProgramError {
    Endless,
    Io(io::Error),
}

impl From<io::Error> for ProgramError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Runs a program. Dropping the future kills the program and all of its processes.
pub(super) async fn run(
    settings: &PythonSettings,
    groups: Option<&ControlGroups>,
    code: &str,
    files: &[ProgramFile],
    show: &(dyn Fn(&[u8]) + Sync),
) -> io::Result<ProgramResult> {
    let (mut child, _group) = match groups {
        Some(groups) => start_in(groups, settings).await.map(|(child, group)| (child, Some(group)))?,
        None => (sandbox::command(settings, KEEPER, None)?.spawn()?, None),
    };
    let mut job = serde_json::to_vec(&build_job(settings, code, files))?;
    job.push(b'\n');
    files.iter().for_each(|file| job.extend_from_slice(&file.content));
    let mut output = vec![];
    let attended = timeout(settings.timeout(), attend_program(&mut child, &job, settings, &mut output, show)).await;
    // If the program broke the keeper, the keeper might have exited alone. Ending the sandbox ends all processes in it.
    child.kill().await?;
    let (end, left, more) = match attended {
        Err(_) => (ProgramExit::Late, vec![], 0),
        Ok(Err(ProgramError::Endless)) => (ProgramExit::Endless, vec![], 0),
        Ok(Err(ProgramError::Io(error))) => return Err(error),
        Ok(Ok(account)) => parse_report(&account, settings).unwrap_or((ProgramExit::Lost, vec![], 0)),
    };
    Ok(ProgramResult { output: String::from_utf8_lossy(&output).into_owned(), end, left, more })
}

/// Starts a keeper in its own control group. The keeper does nothing until it receives its job, so all processes that
/// it starts are in the group.
async fn start_in(groups: &ControlGroups, settings: &PythonSettings) -> io::Result<(Child, ControlGroup)> {
    /// Report of bubblewrap about a sandbox.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct SandboxReport {
        child_pid: u32,
    }
    let (reader, writer) = io::pipe()?;
    let mut report = Receiver::from_owned_fd(reader.into())?;
    let group = groups.create()?;
    // Drop the command before reading, because it holds one end of the pipe, and the report would otherwise never end.
    let child = sandbox::command(settings, KEEPER, Some(writer.into()))?.spawn()?;
    group.add_process(child.id().ok_or(io::ErrorKind::BrokenPipe)?)?;
    let mut report_bytes = vec![];
    timeout(settings.timeout(), report.read_to_end(&mut report_bytes)).await??;
    let SandboxReport { child_pid } = serde_json::from_slice(&report_bytes)?;
    group.add_process(child_pid)?;
    Ok((child, group))
}

fn build_job<'a>(settings: &PythonSettings, code: &'a str, files: &[ProgramFile]) -> ProgramJob<'a> {
    let limits = ResourceLimits {
        r#as: settings.max_memory_bytes,
        core: 0,
        cpu: settings.timeout_seconds + 1,
        fsize: settings.max_disk_bytes,
        nofile: 256,
        nproc: settings.max_processes,
    };
    let files =
        files.iter().map(|file| ProgramFileHeader { name: file.name.clone(), bytes: file.content.len() }).collect();
    let file_limits = ProgramFileLimits { files: settings.max_files, bytes: settings.max_files_bytes };
    ProgramJob { code, seconds: settings.timeout_seconds, limits, file_limits, files }
}

/// Sends the job and reads output until all processes have ended. Returns the keeper's report.
async fn attend_program(
    child: &mut Child,
    job: &[u8],
    settings: &PythonSettings,
    output: &mut Vec<u8>,
    show: &(dyn Fn(&[u8]) + Sync),
) -> Result<Vec<u8>, ProgramError> {
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
    };
    let give = async {
        // If the sandbox cannot be created, writing fails, and the reason is in the output.
        let _ = stdin.write_all(job).await;
        drop(stdin);
        Ok(())
    };
    let mut written = stderr.take(settings.max_output_bytes as u64);
    let listen = async {
        // The first update also waits for one interval, because a line is often written in parts.
        let mut pauses = interval_at(Instant::now() + OUTPUT_INTERVAL, OUTPUT_INTERVAL);
        let mut shown = 0;
        loop {
            tokio::select! {
                read = written.read_buf(output) => if read? == 0 { break },
                _ = pauses.tick(), if output.len() > shown => {
                    shown = output.len();
                    show(output);
                }
            }
        }
        if written.limit() == 0 { Err(ProgramError::Endless) } else { Ok(()) }
    };
    let mut account = vec![];
    let receive =
        async { Ok(stdout.take(MAX_REPORT_BYTES + settings.max_files_bytes).read_to_end(&mut account).await?) };
    tokio::try_join!(give, listen, receive)?;
    Ok(account)
}

/// Parses the keeper's report. Returns `None` if it is invalid or exceeds the limits, which happens only if the program
/// broke the keeper.
fn parse_report(account: &[u8], settings: &PythonSettings) -> Option<(ProgramExit, Vec<ProgramFile>, usize)> {
    let line = account.iter().position(|byte| *byte == b'\n')?;
    let mut rest = &account[line + 1..];
    let account: KeeperReport = serde_json::from_slice(&account[..line]).ok()?;
    let bytes = account.files.iter().try_fold(0_u64, |all, file| all.checked_add(file.bytes as u64))?;
    if account.files.len() > settings.max_files || bytes > settings.max_files_bytes {
        return None;
    }
    let mut left = vec![];
    for file in account.files {
        let (content, after) = rest.split_at_checked(file.bytes)?;
        left.push(ProgramFile { name: file.name, content: content.to_vec() });
        rest = after;
    }
    Some((if account.late { ProgramExit::Late } else { ProgramExit::Exit(account.ended) }, left, account.more))
}
