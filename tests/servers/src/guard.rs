//! A shell that has a server as its child, does what its standard input says, and takes the server down when that ends:
//! that happens also when this process is killed, which no destructor would survive.

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

/// Only a failing test ever waits so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The shell, and what it says.
pub(crate) struct Guard {
    shell: Child,
    orders: Option<ChildStdin>,
    output: Mutex<Receiver<String>>,
}

impl Guard {
    /// Run this command, which is the shell with its script.
    pub(crate) fn start(mut command: Command) -> Self {
        // A group of its own: an interrupt from the keyboard must leave it the time to clean up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn().expect("starts sh");
        let (line, output) = channel();
        let stdout = shell.stdout.take().expect("is piped");
        thread::spawn(move || {
            // To the end, whoever listens: a server that cannot write its log stands still.
            BufReader::new(stdout).lines().map_while(Result::ok).for_each(|said| drop(line.send(said)));
        });
        let orders = shell.stdin.take();
        Self { shell, orders, output: output.into() }
    }

    /// Say a word and wait for what is said when it is done.
    pub(crate) fn order(&mut self, word: &str, done: &str) -> Result<(), String> {
        let sent = writeln!(self.orders.as_mut().expect("is open"), "{word}");
        sent.map_err(|error| format!("{word}: {error}\n{}", self.rest())).and_then(|()| self.until(done))
    }

    /// Wait until a line has this in it; else everything that was said.
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
