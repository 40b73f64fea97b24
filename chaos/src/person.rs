//! A participant: sends commands, also twice, to two nodes, out of order, and again after a reconnect.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use roundtable::protocol::{Code, Family};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep, timeout};

use crate::book::Book;
use crate::mind::{MARK, Mind, Wish, mark};
use crate::seen::{Frame, Seen};
use crate::socket::{Key, Socket};
use crate::viewer::{Stage, over};
use servers::random::Random;

/// Interval between decisions.
const TICK: Duration = Duration::from_millis(50);
/// Time without a response before it sends a command again.
const ANSWER: Duration = Duration::from_secs(4);
/// Pause after the server responded that it cannot do something now.
const LATER: Duration = Duration::from_millis(200);

pub struct Person {
    pub name: String,
    pub session: String,
    pub key: Key,
    pub doors: Vec<SocketAddr>,
    pub random: Random,
    pub stage: watch::Receiver<Stage>,
    pub progress: watch::Sender<u64>,
    pub book: Arc<Book>,
    pub mind: Mind,
}

/// A command without a final response.
struct Open {
    id: String,
    frame: Value,
    insists: bool,
    again: Instant,
}

/// Commands without a response, and the total number of commands.
#[derive(Default)]
struct Desk {
    open: Vec<Open>,
    count: u32,
}

impl Person {
    /// Takes part until the end. Returns what it saw.
    pub async fn take_part(mut self) -> Seen {
        let (mut seen, mut desk) = (Seen::default(), Desk::default());
        while self.now() != Stage::Over {
            let door = self.door();
            match Socket::joined(door, &self.key, &self.session, Some(seen.seq())).await {
                Ok(socket) => {
                    seen.connections += 1;
                    let _ = self.act(socket, &mut seen, &mut desk).await;
                }
                Err(_) => sleep(Duration::from_millis(self.random.between(20, 150))).await,
            }
        }
        seen
    }

    fn now(&self) -> Stage {
        *self.stage.borrow()
    }

    fn door(&mut self) -> SocketAddr {
        self.doors[self.random.index(self.doors.len())]
    }

    /// Acts on one connection until the connection ends or is replaced.
    async fn act(&mut self, mut socket: Socket, seen: &mut Seen, desk: &mut Desk) -> anyhow::Result<()> {
        desk.open.retain(|open| open.insists);
        // In any order: what was asked last may arrive first.
        for at in (1..desk.open.len()).rev() {
            desk.open.swap(at, self.random.index(at + 1));
        }
        for open in &mut desk.open {
            self.send(&mut socket, open).await?;
        }
        let leave = Instant::now() + Duration::from_millis(self.random.between(500, 4_000));
        let (mut tick, mut stage) = (interval(TICK), self.stage.clone());
        loop {
            tokio::select! {
                text = socket.next() => {
                    let Some(text) = text else { return Ok(()) };
                    let Ok(frame) = serde_json::from_str::<Frame>(&text) else {
                        seen.wrong.push(format!("not a frame: {text}"));
                        return Ok(());
                    };
                    seen.take(&text, &frame);
                    self.progress.send_replace(seen.seq());
                    self.mind.hear(&frame);
                    if frame.kind == "closing" || (frame.kind == "error" && frame.id.is_none()) {
                        sleep(TICK).await;
                        return Ok(());
                    }
                    self.answered(&frame, &text, seen, desk);
                }
                _ = tick.tick() => {
                    if self.now() == Stage::Faults && Instant::now() > leave {
                        return Ok(());
                    }
                    self.think(&mut socket, desk).await?;
                }
                () = over(&mut stage) => return Ok(()),
            }
        }
    }

    async fn think(&mut self, socket: &mut Socket, desk: &mut Desk) -> anyhow::Result<()> {
        for open in desk.open.iter_mut().filter(|open| open.insists && open.again <= Instant::now()) {
            self.send(socket, open).await?;
        }
        if !desk.open.is_empty() {
            return Ok(());
        }
        let wishes = match self.now() {
            Stage::Faults => self.mind.want(&mut self.random),
            Stage::Healed => self.mind.tidy().into_iter().collect(),
            Stage::Over => vec![],
        };
        for wish in wishes {
            let open = self.open(wish, desk);
            if self.random.chance(10) {
                // The same by another door, at about the same time; which comes first is anybody's guess.
                self.aside(&open);
            }
            // Before it is sent: where the connection breaks on the way it is asked again on the next one.
            desk.open.push(open);
            for _ in 0..if self.random.chance(12) { 2 } else { 1 } {
                if let Some(open) = desk.open.last_mut() {
                    self.send(socket, open).await?;
                }
            }
        }
        Ok(())
    }

    fn open(&mut self, wish: Wish, desk: &mut Desk) -> Open {
        desk.count += 1;
        let id = format!("{}-{}", self.name, desk.count);
        let mut frame =
            json!({ "type": "command", "id": id, "session": self.session, "do": wish.name, "data": wish.data });
        if let Some(text) = frame["data"]["text"].as_str().filter(|text| text.contains(MARK)) {
            frame["data"]["text"] = json!(text.replace(MARK, &mark(&id)));
        }
        if let Some(rev) = wish.rev {
            frame["expect"] = json!({ "rev": rev });
        }
        // Whoever is needed for the run to go on insists.
        let insists = matches!(self.mind, Mind::Lead(_)) || self.random.chance(80);
        self.book.open(&id, &self.session, &self.key.id, insists);
        Open { id, frame, insists, again: Instant::now() }
    }

    async fn send(&self, socket: &mut Socket, open: &mut Open) -> anyhow::Result<()> {
        self.book.sent(&open.id);
        open.again = Instant::now() + ANSWER;
        socket.send(&open.frame).await
    }

    fn aside(&mut self, open: &Open) {
        let (door, key, session, book) = (self.door(), self.key.clone(), self.session.clone(), self.book.clone());
        let (id, frame) = (open.id.clone(), open.frame.clone());
        tokio::spawn(timeout(ANSWER, async move {
            let Ok(mut socket) = Socket::joined(door, &key, &session, Some(0)).await else { return };
            book.sent(&id);
            if socket.send(&frame).await.is_err() {
                return;
            }
            while let Some(text) = socket.next().await {
                match serde_json::from_str::<Frame>(&text) {
                    Ok(Frame { kind: "ack", id: Some(of), seq: Some(seq), .. }) if of == id => {
                        return book.acked(&id, seq);
                    }
                    Ok(Frame { kind: "error", id: Some(of), .. }) if of == id => return,
                    _ => {}
                }
            }
        }));
    }

    /// Records a response. A command that the server cannot execute now is sent again later.
    fn answered(&self, frame: &Frame, text: &str, seen: &mut Seen, desk: &mut Desk) {
        let Some(at) = desk.open.iter().position(|open| frame.id == Some(&*open.id)) else { return };
        match (frame.kind, frame.seq, frame.code) {
            ("ack", Some(seq), _) => {
                self.book.acked(&desk.open[at].id, seq);
                desk.open.swap_remove(at);
            }
            ("error", _, Some(code)) => {
                let family = serde_json::from_value::<Code>(code.into()).map(Code::family);
                match family {
                    Ok(Family::Unavailable) => desk.open[at].again = Instant::now() + LATER,
                    Ok(Family::Rejection) => {
                        self.book.refused(&desk.open[at].id, code);
                        desk.open.swap_remove(at);
                    }
                    _ => {
                        seen.wrong.push(format!("an answer that nobody should get: {text}"));
                        self.book.refused(&desk.open[at].id, code);
                        desk.open.swap_remove(at);
                    }
                }
            }
            _ => {}
        }
    }
}
