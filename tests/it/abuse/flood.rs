//! Bots that send frames as fast as their sockets take them, in the bystander's session and in others.

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;
use tokio_tungstenite::connect_async;

use super::{Bystander, frame};

/// Rounds of the five sorts of frames that one bot sends at most, however often it is closed in between.
const MAX_ROUNDS: usize = 1_000_000;
/// Rounds that are written at once: this process must not be busier with its flood than the server.
const ROUNDS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_floods_the_session_holds_up_nobodys_interrupt() {
    let mut ann = Bystander::start(&[]).await;
    let token = ann.token("flooder", "admin").await;
    let flood = flood(ann.server.url.clone(), token, ann.session.clone());
    let felt = ann.endure(flood).await;
    felt.is_bearable(64 << 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_bots_that_flood_other_sessions_hold_up_nobodys_interrupt() {
    let mut ann = Bystander::start(&[]).await;
    let mut bots = vec![];
    for index in 0..20 {
        let token = ann.token(&format!("flooder {index}"), "admin").await;
        // The bystander's own pace would be spent on sessions for all of them.
        let session = ann.server.create_as(&token).await;
        bots.push(flood(ann.server.url.clone(), token, session));
    }
    let flood = async move {
        bots.into_iter().collect::<JoinSet<_>>().join_all().await;
    };
    let felt = ann.endure(flood).await;
    felt.is_bearable(64 << 20);
}

/// Pings, signals, nonsense and commands, again and again; a bot that is closed comes back.
async fn flood(url: String, token: String, session: String) {
    let url = format!("{}/api/v1/ws", url.replace("http", "ws"));
    let texts = [
        json!({ "type": "ping" }),
        json!({ "type": "signal", "session": session, "name": "typing" }),
        json!({ "type": "shout" }),
        json!({ "type": "command", "id": "c_flood", "session": session, "do": "say", "data": { "text": "@people hi" } }),
    ];
    let mut round = frame(0x89, 1, b"x");
    texts.iter().for_each(|text| round.extend(whole(text)));
    let rounds = round.repeat(ROUNDS);
    let hello = [json!({ "type": "hello", "token": token }), json!({ "type": "join", "session": session })];
    let hello = hello.iter().flat_map(whole).collect::<Vec<_>>();
    let mut sent = 0;
    while sent < MAX_ROUNDS {
        let Ok((socket, _)) = connect_async(&url).await else { return };
        let (mut answers, mut frames) = tokio::io::split(socket.into_inner());
        // One that takes no answers would be stopped by that alone.
        let answers = tokio::spawn(async move { tokio::io::copy(&mut answers, &mut tokio::io::sink()).await });
        let _ = frames.write_all(&hello).await;
        while sent < MAX_ROUNDS && frames.write_all(&rounds).await.is_ok() {
            sent += ROUNDS;
        }
        answers.abort();
    }
}

fn whole(text: &serde_json::Value) -> Vec<u8> {
    let text = text.to_string();
    frame(0x81, text.len(), text.as_bytes())
}
