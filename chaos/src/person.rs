//! A participant, who sends commands: sometimes twice, to two nodes, out of order, or again after a reconnect.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use roundtable::protocol::{Code, Family};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep, timeout};

use crate::command_log::CommandLog;
use crate::commands::{Behavior, MARK, PlannedCommand, mark};
use crate::observed_log::{Frame, ObservedLog};
use crate::socket::{Key, Socket};
use crate::watching_client::{SuitePhase, wait_until_over};
use servers::random::Random;

/// Interval between decisions.
const TICK: Duration = Duration::from_millis(50);
/// Time without a response before a command is resent.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(4);
/// Delay before a retry after the server has responded that it cannot execute a command now.
const RETRY_DELAY: Duration = Duration::from_millis(200);

pub struct Person {
    pub name: String,
    pub session: String,
    pub key: Key,
    pub addresses: Vec<SocketAddr>,
    pub random: Random,
    pub phase: watch::Receiver<SuitePhase>,
    pub progress: watch::Sender<u64>,
    pub command_log: Arc<CommandLog>,
    pub behavior: Behavior,
}

/// A command without a final response.
struct OpenCommand {
    id: String,
    frame: Value,
    retries: bool,
    resend_at: Instant,
}

/// Commands without a response, and the total number of commands.
#[derive(Default)]
struct PendingCommands {
    open: Vec<OpenCommand>,
    count: u32,
}

impl Person {
    /// Participates until the seed is over. Returns what the participant saw.
    pub async fn participate(mut self) -> ObservedLog {
        let (mut observed, mut pending) = (ObservedLog::default(), PendingCommands::default());
        while self.current_phase() != SuitePhase::Over {
            let address = self.pick_address();
            match Socket::connect_and_join(address, &self.key, &self.session, Some(observed.seq())).await {
                Ok(socket) => {
                    observed.connections += 1;
                    let _ = self.run_connection(socket, &mut observed, &mut pending).await;
                }
                Err(_) => sleep(Duration::from_millis(self.random.between(20, 150))).await,
            }
        }
        observed
    }

    fn current_phase(&self) -> SuitePhase {
        *self.phase.borrow()
    }

    fn pick_address(&mut self) -> SocketAddr {
        self.addresses[self.random.index(self.addresses.len())]
    }

    /// Acts on one connection until the connection ends or is replaced.
    async fn run_connection(
        &mut self,
        mut socket: Socket,
        observed: &mut ObservedLog,
        pending: &mut PendingCommands,
    ) -> anyhow::Result<()> {
        pending.open.retain(|open| open.retries);
        // Random order: the last command can arrive first.
        for at in (1..pending.open.len()).rev() {
            pending.open.swap(at, self.random.index(at + 1));
        }
        for open in &mut pending.open {
            self.send(&mut socket, open).await?;
        }
        let leave_at = Instant::now() + Duration::from_millis(self.random.between(500, 4_000));
        let (mut tick, mut phase) = (interval(TICK), self.phase.clone());
        loop {
            tokio::select! {
                text = socket.next() => {
                    let Some(text) = text else { return Ok(()) };
                    let Ok(frame) = serde_json::from_str::<Frame>(&text) else {
                        observed.violations.push(format!("not a frame: {text}"));
                        return Ok(());
                    };
                    observed.receive(&text, &frame);
                    self.progress.send_replace(observed.seq());
                    self.behavior.observe(&frame);
                    if frame.kind == "closing" || (frame.kind == "error" && frame.id.is_none()) {
                        sleep(TICK).await;
                        return Ok(());
                    }
                    self.record_response(&frame, &text, observed, pending);
                }
                _ = tick.tick() => {
                    if self.current_phase() == SuitePhase::Faults && Instant::now() > leave_at {
                        return Ok(());
                    }
                    self.send_due(&mut socket, pending).await?;
                }
                () = wait_until_over(&mut phase) => return Ok(()),
            }
        }
    }

    async fn send_due(&mut self, socket: &mut Socket, pending: &mut PendingCommands) -> anyhow::Result<()> {
        for open in pending.open.iter_mut().filter(|open| open.retries && open.resend_at <= Instant::now()) {
            self.send(socket, open).await?;
        }
        if !pending.open.is_empty() {
            return Ok(());
        }
        let commands = match self.current_phase() {
            SuitePhase::Faults => self.behavior.next_commands(&mut self.random),
            SuitePhase::Healed => self.behavior.closing_command().into_iter().collect(),
            SuitePhase::Over => vec![],
        };
        for command in commands {
            let open = self.open_command(command, pending);
            if self.random.chance(10) {
                // Send the same command to another node at about the same time. The order of arrival is undefined.
                self.send_elsewhere(&open);
            }
            // Record the command before sending it: if the connection breaks in the meantime, the command is resent on
            // the next one.
            pending.open.push(open);
            for _ in 0..if self.random.chance(12) { 2 } else { 1 } {
                if let Some(open) = pending.open.last_mut() {
                    self.send(socket, open).await?;
                }
            }
        }
        Ok(())
    }

    fn open_command(&mut self, command: PlannedCommand, pending: &mut PendingCommands) -> OpenCommand {
        pending.count += 1;
        let id = format!("{}-{}", self.name, pending.count);
        let mut frame =
            json!({ "type": "command", "id": id, "session": self.session, "do": command.name, "data": command.data });
        if let Some(text) = frame["data"]["text"].as_str().filter(|text| text.contains(MARK)) {
            frame["data"]["text"] = json!(text.replace(MARK, &mark(&id)));
        }
        if let Some(rev) = command.rev {
            frame["expect"] = json!({ "rev": rev });
        }
        // The run depends on its driver, which therefore retries until it gets a response.
        let retries = matches!(self.behavior, Behavior::RunDriver(_)) || self.random.chance(80);
        let may_be_noop = matches!(
            command.name,
            "withdraw_vote" | "resolve_comment" | "delete_comment" | "delegate_votes" | "set_role"
        );
        self.command_log.open(&id, &self.session, &self.key.id, retries, may_be_noop);
        OpenCommand { id, frame, retries, resend_at: Instant::now() }
    }

    async fn send(&self, socket: &mut Socket, open: &mut OpenCommand) -> anyhow::Result<()> {
        self.command_log.record_send(&open.id);
        open.resend_at = Instant::now() + RESPONSE_TIMEOUT;
        socket.send(&open.frame).await
    }

    fn send_elsewhere(&mut self, open: &OpenCommand) {
        let (address, key, session, command_log) =
            (self.pick_address(), self.key.clone(), self.session.clone(), self.command_log.clone());
        let (id, frame) = (open.id.clone(), open.frame.clone());
        tokio::spawn(timeout(RESPONSE_TIMEOUT, async move {
            let Ok(mut socket) = Socket::connect_and_join(address, &key, &session, Some(0)).await else { return };
            command_log.record_send(&id);
            if socket.send(&frame).await.is_err() {
                return;
            }
            while let Some(text) = socket.next().await {
                match serde_json::from_str::<Frame>(&text) {
                    Ok(Frame { kind: "ack", id: Some(of), seq: Some(seq), .. }) if of == id => {
                        return command_log.record_ack(&id, seq);
                    }
                    Ok(Frame { kind: "error", id: Some(of), .. }) if of == id => return,
                    _ => {}
                }
            }
        }));
    }

    /// Records a response. A command that the server cannot execute now is retried later.
    fn record_response(&self, frame: &Frame, text: &str, observed: &mut ObservedLog, pending: &mut PendingCommands) {
        let Some(at) = pending.open.iter().position(|open| frame.id == Some(&*open.id)) else { return };
        match (frame.kind, frame.seq, frame.code) {
            ("ack", Some(seq), _) => {
                self.command_log.record_ack(&pending.open[at].id, seq);
                pending.open.swap_remove(at);
            }
            ("error", _, Some(code)) => {
                let family = serde_json::from_value::<Code>(code.into()).map(Code::family);
                match family {
                    Ok(Family::Unavailable) => pending.open[at].resend_at = Instant::now() + RETRY_DELAY,
                    Ok(Family::Rejection) => {
                        self.command_log.record_rejection(&pending.open[at].id, code);
                        pending.open.swap_remove(at);
                    }
                    _ => {
                        observed.violations.push(format!("unexpected error: {text}"));
                        self.command_log.record_rejection(&pending.open[at].id, code);
                        pending.open.swap_remove(at);
                    }
                }
            }
            _ => {}
        }
    }
}
