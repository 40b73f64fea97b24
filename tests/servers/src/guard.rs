//! A shell that runs a server as a child process, executes the commands on its standard input, and stops the server
//! when that input ends. This works even if this process is killed, in which case no destructor runs.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Mutex,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

/// Timeout of a command. Only a failing test waits this long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The shell, and its output.
pub(crate) struct Guard {
    shell: Child,
    commands: Option<ChildStdin>,
    output: Mutex<Receiver<String>>,
}

impl Guard {
    /// Runs this command, which starts the shell with its script.
    pub(crate) fn start(mut command: Command) -> Self {
        // Use a separate process group, because a keyboard interrupt must leave the shell time to clean up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn().expect("starts sh");
        let (sender, output) = channel();
        let stdout = shell.stdout.take().expect("is piped");
        thread::spawn(move || {
            // Read to the end even if the receiver is gone, because a server that cannot write its log stops.
            BufReader::new(stdout).lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        });
        let commands = shell.stdin.take();
        Self { shell, commands, output: output.into() }
    }

    /// Sends a command and waits for the line that confirms it.
    pub(crate) fn execute(&mut self, command: &str, confirmation: &str) -> Result<(), String> {
        let sent = writeln!(self.commands.as_mut().expect("is open"), "{command}");
        sent.map_err(|error| format!("{command}: {error}\n{}", self.rest())).and_then(|()| self.wait_for(confirmation))
    }

    /// Waits until a line contains this text. On failure, returns everything that was printed.
    pub(crate) fn wait_for(&mut self, text: &str) -> Result<(), String> {
        let mut printed = String::new();
        loop {
            match self.output.get_mut().expect("is whole").recv_timeout(TIMEOUT) {
                Ok(line) if line.contains(text) => return Ok(()),
                Ok(line) => drop(writeln!(printed, "{line}")),
                Err(_) => return Err(printed),
            }
        }
    }

    fn rest(&mut self) -> String {
        self.output.get_mut().expect("is whole").try_iter().collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.commands = None;
        let _ = self.shell.wait();
    }
}
