//! Bots that send frames as fast as their sockets accept them, in the probe's session and in others.

use std::convert::Infallible;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::{connect_async, tungstenite::Error};

use super::{AbuseCounter, LatencyProbe, frame, run_concurrently};

/// Rounds per write. They are batched so that the flood does not keep this process busier than the server.
const ROUNDS: usize = 200;
/// Frames per round.
const FRAMES: usize = 5;
/// Seconds of flooding before the server closes the connection. The time is short, so that the test also covers closing
/// and reconnecting.
const SETTINGS: [(&str, &str); 1] = [("ROUNDTABLE_SOCKET__MAX_FLOOD_SECONDS", "1")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_floods_the_session_does_not_delay_interrupts() {
    let mut probe = LatencyProbe::start(&SETTINGS).await;
    let token = probe.token("flooder", "admin").await;
    let (url, session) = (probe.server.url.clone(), probe.session.clone());
    let measurement = probe.measure_during(|counter| flood(url, token, session, counter)).await;
    measurement.assert_within_limits(64 << 20);
    measurement.assert_closed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_bots_that_flood_other_sessions_do_not_delay_interrupts() {
    let mut probe = LatencyProbe::start(&SETTINGS).await;
    let mut bots = vec![];
    for index in 0..20 {
        let token = probe.token(&format!("flooder {index}"), "admin").await;
        // If the probe created the sessions, it would use up its own rate limit.
        let session = probe.server.create_as(&token).await;
        bots.push((token, session));
    }
    let url = probe.server.url.clone();
    let flood = |counter: AbuseCounter| {
        run_concurrently(
            bots.into_iter().map(move |(token, session)| flood(url.clone(), token, session, counter.clone())),
        )
    };
    let measurement = probe.measure_during(flood).await;
    measurement.assert_within_limits(64 << 20);
    measurement.assert_closed();
}

/// Sends pings, signals, invalid frames and commands in a loop. A bot whose connection is closed reconnects.
async fn flood(url: String, token: String, session: String, counter: AbuseCounter) -> Infallible {
    let url = format!("{}/api/v1/ws", url.replace("http", "ws"));
    let texts = [
        json!({ "type": "ping" }),
        json!({ "type": "signal", "session": session, "name": "typing" }),
        json!({ "type": "shout" }),
        json!({ "type": "command", "id": "c_flood", "session": session, "do": "say", "data": { "text": "@people hi" } }),
    ];
    let mut round = frame(0x89, 1, b"x");
    texts.iter().for_each(|text| round.extend(text_frame(text)));
    let rounds = round.repeat(ROUNDS);
    let hello = [json!({ "type": "hello", "token": token }), json!({ "type": "join", "session": session })];
    let hello = hello.iter().flat_map(text_frame).collect::<Vec<_>>();
    loop {
        let socket = match connect_async(&url).await {
            Ok((socket, _)) => socket,
            // Bots that reconnect immediately are rejected for a short time.
            Err(Error::Http(answer)) if answer.status() == 429 => {
                counter.count_rejected();
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let (answers, mut frames) = tokio::io::split(socket.into_inner());
        let writes = async {
            let _ = frames.write_all(&hello).await;
            while frames.write_all(&rounds).await.is_ok() {
                counter.count_accepted((ROUNDS * FRAMES) as u64);
            }
        };
        // If the client read no replies, the server would close the connection for that reason alone.
        if tokio::join!(is_closed_for_flooding(answers), writes).0 {
            counter.count_closed();
        }
    }
}

/// Reads replies until the connection ends. Returns whether the last one is a close frame with the code 4503.
async fn is_closed_for_flooding(mut answers: impl AsyncRead + Unpin) -> bool {
    let (mut end, mut bytes) = (vec![], vec![0; 64 << 10]);
    while let Ok(read @ 1..) = answers.read(&mut bytes).await {
        end.extend_from_slice(&bytes[..read]);
        // A close frame has at most 127 bytes.
        end.drain(..end.len().saturating_sub(127));
    }
    end.windows(4).any(|window| window[0] == 0x88 && window[2..] == 4503_u16.to_be_bytes())
}

fn text_frame(text: &serde_json::Value) -> Vec<u8> {
    let text = text.to_string();
    frame(0x81, text.len(), text.as_bytes())
}
