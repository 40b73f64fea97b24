//! One server from start to stop: connected, listed, held, and after every end begun anew.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::asker::Asker;
use super::contact::Contact;
use super::failure::UNAUTHORIZED;
use super::greeting::Greeting;
use super::opening::Way;
use super::server::Server;
use crate::retry;

/// Until all stops.
pub(super) async fn supervise(server: Arc<Server>, way: Way, stopping: CancellationToken) {
    let (name, settings) = (Arc::clone(&server.switch.server), &server.settings);
    let asker = Arc::new(Asker { server: Arc::clone(&name) });
    let (mut failures, mut greeting) = (0, Greeting::Newest);
    loop {
        let opening = timeout(settings.start(), Contact::open(&server, &way, &asker, greeting));
        let Some(opened) = stopping.run_until_cancelled(opening).await else { return };
        let why = match opened.unwrap_or_else(|_| Err("it took too long to start".into())) {
            Ok((mut contact, listed)) => {
                let began = Instant::now();
                info!(server = &*name, tools = listed.len(), "an MCP server is there");
                server.ready(contact.link(), listed);
                let ended = stopping.run_until_cancelled(contact.hold(&server)).await;
                server.away(ended.as_deref().unwrap_or("the server is stopping"));
                contact.end().await;
                let Some(ended) = ended else { return };
                if began.elapsed() >= Duration::from_millis(settings.restart_at_most_ms) {
                    failures = 0;
                }
                ended
            }
            Err(why) => {
                // One that asks for authorization has understood the greeting.
                if why != UNAUTHORIZED {
                    greeting = greeting.other();
                }
                server.away(&why);
                why
            }
        };
        failures += 1;
        // The first new try comes at once: a server that was replaced is there again, and one that could not take the
        // greeting takes the other.
        let pause = if failures == 1 {
            0
        } else {
            retry::pause(failures - 1, settings.restart_ms, settings.restart_at_most_ms)
        };
        warn!(server = &*name, why, again_in_ms = pause, "an MCP server is away");
        if stopping.run_until_cancelled(sleep(Duration::from_millis(pause))).await.is_none() {
            return;
        }
    }
}
