//! One program, from its start to the end of all that it started.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe::Receiver,
    process::Child,
    time::{Instant, interval_at, timeout},
};

use super::groups::{Group, Groups};
use super::{PythonSettings, sandbox};

const KEEPER: &str = include_str!("keeper.py");

/// Bytes for the list of files that are left.
const ACCOUNT: u64 = 4 * 1024 * 1024;

/// How often what a program writes is shown while it runs.
const SHOWN_EVERY: Duration = Duration::from_millis(500);

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    /// What it wrote, to standard output and standard error, in order.
    pub output: String,
    /// How it ended.
    pub end: End,
    /// What it left in its work folder.
    pub left: Vec<Left>,
    /// Files that were too many or too large to be handed over.
    pub more: usize,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// By itself, or by a signal if below zero.
    Exit(i32),
    /// Its time was over.
    Late,
    /// It wrote too much.
    Endless,
    /// There is no account of it: it, or the machine, broke the sandbox's keeper.
    Lost,
}

/// A file that a program left, or is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its path in the work folder, whatever the program chose; of one that it is given a single name.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

#[derive(Serialize)]
struct Job<'a> {
    code: &'a str,
    seconds: u64,
    limits: Limits,
    most: Most,
    /// Their bytes follow the job's line, one after the other.
    files: Vec<File>,
}

/// By the names of `setrlimit`.
#[derive(Serialize)]
#[serde(rename_all = "UPPERCASE")]
struct Limits {
    r#as: u64,
    core: u64,
    cpu: u64,
    fsize: u64,
    nofile: u64,
    nproc: u64,
}

#[derive(Serialize)]
struct Most {
    files: usize,
    bytes: u64,
}

/// What the keeper says. The program can have forged it: nothing here is more than its own words.
#[derive(Deserialize)]
struct Account {
    ended: i32,
    late: bool,
    files: Vec<File>,
    more: usize,
}

#[derive(Serialize, Deserialize)]
struct File {
    name: String,
    bytes: usize,
}

/// What ended the attendance before its time.
enum Cut {
    Endless,
    Io(io::Error),
}

impl From<io::Error> for Cut {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Run a program. When the future is dropped all of it is killed.
pub(super) async fn run(
    settings: &PythonSettings,
    groups: Option<&Groups>,
    code: &str,
    files: &[Left],
    show: &(dyn Fn(&[u8]) + Sync),
) -> io::Result<Ran> {
    let (mut child, _group) = match groups {
        Some(groups) => start_in(groups, settings).await.map(|(child, group)| (child, Some(group)))?,
        None => (sandbox::command(settings, KEEPER, None)?.spawn()?, None),
    };
    let mut job = serde_json::to_vec(&job(settings, code, files))?;
    job.push(b'\n');
    files.iter().for_each(|file| job.extend_from_slice(&file.content));
    let mut output = vec![];
    let attended = timeout(settings.patience(), attend(&mut child, &job, settings, &mut output, show)).await;
    // A keeper that the program got at may have gone without it; all of it ends with the sandbox.
    child.kill().await?;
    let (end, left, more) = match attended {
        Err(_) => (End::Late, vec![], 0),
        Ok(Err(Cut::Endless)) => (End::Endless, vec![], 0),
        Ok(Err(Cut::Io(error))) => return Err(error),
        Ok(Ok(account)) => read(&account, settings).unwrap_or((End::Lost, vec![], 0)),
    };
    Ok(Ran { output: String::from_utf8_lossy(&output).into_owned(), end, left, more })
}

/// Start a keeper in a control group of its own. It does nothing before it has its job, so all that it starts is in there.
async fn start_in(groups: &Groups, settings: &PythonSettings) -> io::Result<(Child, Group)> {
    /// What bubblewrap says of a sandbox.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Report {
        child_pid: u32,
    }
    let (reader, writer) = io::pipe()?;
    let mut report = Receiver::from_owned_fd(reader.into())?;
    let group = groups.create()?;
    // The command keeps its end of the pipe: it goes first, so that the report has an end.
    let child = sandbox::command(settings, KEEPER, Some(writer.into()))?.spawn()?;
    group.take_in(child.id().ok_or(io::ErrorKind::BrokenPipe)?)?;
    let mut said = vec![];
    timeout(settings.patience(), report.read_to_end(&mut said)).await??;
    let Report { child_pid } = serde_json::from_slice(&said)?;
    group.take_in(child_pid)?;
    Ok((child, group))
}

fn job<'a>(settings: &PythonSettings, code: &'a str, files: &[Left]) -> Job<'a> {
    const MIB: u64 = 1024 * 1024;
    let limits = Limits {
        r#as: settings.memory_mib * MIB,
        core: 0,
        cpu: settings.seconds + 1,
        fsize: settings.disk_mib * MIB,
        nofile: 256,
        nproc: settings.processes,
    };
    let files = files.iter().map(|file| File { name: file.name.clone(), bytes: file.content.len() }).collect();
    let most = Most { files: settings.files, bytes: settings.files_bytes };
    Job { code, seconds: settings.seconds, limits, most, files }
}

/// Give the job and take what comes, until all of it has ended: the account.
async fn attend(
    child: &mut Child,
    job: &[u8],
    settings: &PythonSettings,
    output: &mut Vec<u8>,
    show: &(dyn Fn(&[u8]) + Sync),
) -> Result<Vec<u8>, Cut> {
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
    };
    let give = async {
        // A sandbox that cannot be made takes no job; it says why on its output.
        let _ = stdin.write_all(job).await;
        drop(stdin);
        Ok(())
    };
    let mut written = stderr.take(settings.output_bytes as u64);
    let listen = async {
        // The first comes after a pause too: a line is often written in parts.
        let mut pauses = interval_at(Instant::now() + SHOWN_EVERY, SHOWN_EVERY);
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
        if written.limit() == 0 { Err(Cut::Endless) } else { Ok(()) }
    };
    let mut account = vec![];
    let receive = async { Ok(stdout.take(ACCOUNT + settings.files_bytes).read_to_end(&mut account).await?) };
    tokio::try_join!(give, listen, receive)?;
    Ok(account)
}

/// The account, if it is one. The keeper keeps the bounds; one that a program got at does not.
fn read(account: &[u8], settings: &PythonSettings) -> Option<(End, Vec<Left>, usize)> {
    let line = account.iter().position(|byte| *byte == b'\n')?;
    let mut rest = &account[line + 1..];
    let account: Account = serde_json::from_slice(&account[..line]).ok()?;
    let bytes = account.files.iter().try_fold(0_u64, |all, file| all.checked_add(file.bytes as u64))?;
    if account.files.len() > settings.files || bytes > settings.files_bytes {
        return None;
    }
    let mut left = vec![];
    for file in account.files {
        let (content, after) = rest.split_at_checked(file.bytes)?;
        left.push(Left { name: file.name, content: content.to_vec() });
        rest = after;
    }
    Some((if account.late { End::Late } else { End::Exit(account.ended) }, left, account.more))
}
