//! A shell that has a server as its child, executes the orders on its standard input, and stops the server when that
//! input ends. This also works if this process is killed, when no destructor would run.

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

/// Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The shell, and its output.
pub(crate) struct Guard {
    shell: Child,
    orders: Option<ChildStdin>,
    output: Mutex<Receiver<String>>,
}

impl Guard {
    /// Runs this command, which is the shell with its script.
    pub(crate) fn start(mut command: Command) -> Self {
        // A process group of its own, because a keyboard interrupt must leave the shell time to clean up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn().expect("starts sh");
        let (line, output) = channel();
        let stdout = shell.stdout.take().expect("is piped");
        thread::spawn(move || {
            // Read to the end even if nobody listens, because a server that cannot write its log stops.
            BufReader::new(stdout).lines().map_while(Result::ok).for_each(|said| drop(line.send(said)));
        });
        let orders = shell.stdin.take();
        Self { shell, orders, output: output.into() }
    }

    /// Sends an order and waits for the line that confirms it.
    pub(crate) fn order(&mut self, word: &str, done: &str) -> Result<(), String> {
        let sent = writeln!(self.orders.as_mut().expect("is open"), "{word}");
        sent.map_err(|error| format!("{word}: {error}\n{}", self.rest())).and_then(|()| self.until(done))
    }

    /// Waits until a line contains this text. On failure, returns everything that was printed.
    pub(crate) fn until(&mut self, done: &str) -> Result<(), String> {
        let mut said = String::new();
        loop {
            match self.output.get_mut().expect("is whole").recv_timeout(PATIENCE) {
                Ok(line) if line.contains(done) => return Ok(()),
                Ok(line) => drop(writeln!(said, "{line}")),
                Err(_) => return Err(said),
            }
        }
    }

    fn rest(&mut self) -> String {
        self.output.get_mut().expect("is whole").try_iter().collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.shell.wait();
    }
}
