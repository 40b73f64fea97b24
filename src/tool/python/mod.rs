//! `python`: runs programs that an agent writes, always in a sandbox.

mod cgroup;
mod file_references;
mod meter;
mod run;
mod sandbox;
mod seccomp;
mod settings;

use std::{fmt::Write, sync::Arc, time::Duration};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    CallContext, Output, OutputFile, Progress, SideEffect, Tool, ToolError, ToolSpec, arguments, call_queue::CallQueue,
};

use crate::files::FileRepository;
use crate::kernel::{FileName, file::current, first_chars};

use cgroup::ControlGroups;

pub use meter::{PythonMeter, RunningProgram};
pub use run::{ProgramExit, ProgramFile, ProgramResult};
pub use settings::PythonSettings;

/// Maximum number of bytes in a program.
const MAX_PROGRAM_BYTES: usize = 256 * 1024;

/// Bytes in a MiB, the unit in which the tool's description states its limits.
const MIB: u64 = 1024 * 1024;

/// Time for fetching the files that a program reads.
const FILES_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum number of file names in a result.
const MAX_LISTED_NAMES: usize = 20;

/// Arguments of `python`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PythonArguments {
    /// The program. Print what you want to see.
    code: String,
}

/// The `python` tool.
pub struct PythonTool {
    settings: PythonSettings,
    /// Control groups for the programs, or the reason that there are none.
    groups: Result<ControlGroups, String>,
    /// Storage of the session's files, which programs can read. If `None`, programs get no files.
    files: Option<FileRepository>,
    places: CallQueue,
    spec: ToolSpec,
}

impl PythonTool {
    /// Returns the tool after a trial run. Logs nothing, because the server makes the trial run while it opens the
    /// database. If the database cannot be opened, that error must be the only line that the operator sees.
    /// [`Self::log_trial`] logs the result of the trial run.
    ///
    /// # Errors
    /// Fails with the reason, for operators, if the tool is disabled or does not work on this machine.
    pub async fn start(settings: &PythonSettings) -> Result<Self, String> {
        if !settings.enabled {
            return Err("tools.python.enabled is false".to_owned());
        }
        for (setting, path) in [("bwrap", &settings.bwrap), ("interpreter", &settings.interpreter)] {
            if !path.is_file() {
                let path = path.display();
                return Err(format!(
                    "{path} does not exist; install bubblewrap and python3, or set tools.python.{setting}"
                ));
            }
        }
        let groups = match ControlGroups::delegated(settings) {
            Ok(groups) => trial_run(settings, Some(&groups)).await.map(|()| groups),
            Err(reason) => Err(reason),
        };
        if groups.is_err() {
            trial_run(settings, None).await?;
        }
        let description = format!(
            "Runs a Python 3 program and returns its output. Each call is a new program in an empty folder, without network \
             access and without files of earlier calls. It has {} s, {} MiB of memory and {} MiB for files. Session files that \
             its text names are in /tmp/files, to read. Files that it leaves in its folder become session files.",
            settings.timeout_seconds,
            settings.max_memory_bytes / MIB,
            settings.max_disk_bytes / MIB
        );
        let spec = ToolSpec {
            effect: SideEffect::Session,
            // A call also fetches the files that the program reads.
            time: settings.timeout() + FILES_TIMEOUT,
            ..ToolSpec::reading("python", &description, arguments::schema::<PythonArguments>()).returning([])
        };
        Ok(Self { settings: settings.clone(), groups, files: None, places: CallQueue::new(&settings.queue), spec })
    }

    /// Logs how the trial run ended.
    pub(super) fn log_trial(trial: &Result<Self, String>) {
        match trial.as_ref().map(|tool| &tool.groups) {
            Ok(Ok(_)) => tracing::info!("python: a control group limits the memory and processes of each program"),
            Ok(Err(reason)) => {
                tracing::info!(reason, "python: no control groups; memory is limited per process only");
            }
            Err(reason) => tracing::info!(reason, "tool python not available"),
        }
    }

    /// Adds the storage of the session's files.
    pub(super) fn with_files(self, files: Option<&FileRepository>) -> Arc<dyn Tool> {
        Arc::new(Self { files: files.cloned(), ..self })
    }

    /// Runs a program. Dropping the future kills the program and all processes that it started.
    ///
    /// # Errors
    /// Fails if the sandbox cannot be started.
    pub async fn run(&self, code: &str) -> Result<ProgramResult, ToolError> {
        self.run_with(code, &[], &|_| {}).await
    }

    /// Runs a program with files to read. `show` receives the output so far.
    ///
    /// # Errors
    /// Fails if the sandbox cannot be started.
    pub async fn run_with(
        &self,
        code: &str,
        files: &[ProgramFile],
        show: &(dyn Fn(&[u8]) + Sync),
    ) -> Result<ProgramResult, ToolError> {
        let ran = run::run(&self.settings, self.groups.as_ref().ok(), code, files, show).await;
        ran.map_err(|error| {
            ToolError::new("tool_failed", "the sandbox could not be started; retry later").caused_by(error)
        })
    }

    /// Returns the session files that a program names, up to half of its disk space, and notes about those that were
    /// left out.
    async fn named(&self, at: &CallContext, code: &str) -> Result<(Vec<ProgramFile>, String), ToolError> {
        let Some(files) = &self.files else { return Ok((vec![], String::new())) };
        let (mut named, mut notes, mut room) = (vec![], String::new(), self.settings.max_disk_bytes / 2);
        for file in current(&at.files).filter(|file| file_references::names_file(code, &file.name)) {
            let reason = match room.checked_sub(file.bytes) {
                _ if at.guard.blocks_file_content(&file.name) => "the rules ask before it is read, or do not allow it",
                None => "the files that the program names are too large",
                Some(left) => {
                    room = left;
                    ""
                }
            };
            if !reason.is_empty() {
                let _ = writeln!(notes, "[{} was not in /tmp/files: {reason}]", file.name);
                continue;
            }
            let silent =
                |error| ToolError::new("tool_failed", "a file cannot be read now; retry later").caused_by(error);
            let content = files.content(at.session, file).await.map_err(silent)?;
            named.push(ProgramFile { name: file.name.to_string(), content });
        }
        Ok((named, notes))
    }

    /// Formats the result: the output, then the notes, and finally how the program ended. The end comes last because
    /// the toolbox shortens long output in the middle.
    fn render(&self, ran: &ProgramResult, notes: &str) -> String {
        let mut text = ran.output.clone();
        if text.is_empty() {
            text.push_str("[it printed nothing]");
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(notes);
        let files = ran
            .left
            .iter()
            .take(MAX_LISTED_NAMES)
            .map(|file| format!("{} ({} bytes)", FileName::near(&file.name), file.content.len()));
        let files = files.collect::<Vec<_>>().join(", ");
        if !files.is_empty() {
            let _ = writeln!(text, "[files it left: {files}]");
        }
        let unnamed = ran.left.len().saturating_sub(MAX_LISTED_NAMES);
        if unnamed > 0 {
            let _ = writeln!(text, "[and {unnamed} files more]");
        }
        if ran.more > 0 {
            let _ = writeln!(text, "[{} more files were lost: too many or too large]", ran.more);
        }
        let settings = &self.settings;
        let _ = match ran.end {
            ProgramExit::Exit(0) => Ok(()),
            ProgramExit::Exit(-24) => writeln!(text, "[killed: more than {} s of CPU time]", settings.timeout_seconds),
            ProgramExit::Exit(-9) => writeln!(text, "[killed; memory may have run out]"),
            ProgramExit::Exit(signal) if signal < 0 => writeln!(text, "[killed by signal {}]", -signal),
            ProgramExit::Exit(code) => writeln!(text, "[ended with exit code {code}]"),
            ProgramExit::Late => writeln!(text, "[stopped after {} s]", settings.timeout_seconds),
            ProgramExit::Endless => writeln!(text, "[stopped: it wrote {} bytes]", settings.max_output_bytes),
            ProgramExit::Lost => writeln!(text, "[its sandbox failed]"),
        };
        text
    }
}

#[async_trait]
impl Tool for PythonTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let PythonArguments { code } = arguments::read(arguments)?;
        if code.len() > MAX_PROGRAM_BYTES {
            return Err(ToolError::new(
                "too_large",
                format!("the program is too large; use at most {MAX_PROGRAM_BYTES} bytes"),
            ));
        }
        // Wait for a slot before fetching files, because waiting calls would otherwise hold a lot of memory.
        let _place = self.places.take(at).await?;
        let (files, notes) = self.named(at, &code).await?;
        let running = at.python.begin(self.settings.timeout()).await?;
        let show = |output: &[u8]| {
            let output = Some(String::from_utf8_lossy(output).into());
            at.people.progress(Progress { done: 0.0, total: None, message: None, output });
        };
        let ran = self.run_with(&code, &files, &show).await?;
        drop(running);
        let text = self.render(&ran, &notes);
        let files = ran.left.into_iter().map(|ProgramFile { name, content }| OutputFile { name, content }).collect();
        Ok(Output { text, files })
    }
}

/// Runs a test program.
///
/// # Errors
/// Fails with the reason, for operators, if it does not work.
async fn trial_run(settings: &PythonSettings, groups: Option<&ControlGroups>) -> Result<(), String> {
    let ran = run::run(settings, groups, "print(6 * 7)", &[], &|_| {}).await;
    let ran = ran.map_err(|error| format!("bwrap does not start: {error}"))?;
    if ran.end != ProgramExit::Exit(0) || ran.output != "42\n" {
        let printed = first_chars(ran.output.trim(), 500);
        return Err(format!("a trial run in bubblewrap did not work: {printed} ({:?})", ran.end));
    }
    Ok(())
}
