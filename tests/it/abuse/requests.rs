//! A member who reads snapshots as fast as possible, one whose uploads never end, and one whose commands never end.

use std::convert::Infallible;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Bystander, Tally, http, together};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_snapshots_disturbs_nobody() {
    let mut ann = Bystander::start(&[]).await;
    let token = ann.token("eve", "member").await;
    let session = ann.server.create_as(&token).await;
    let path = format!("{}/api/v1/sessions/{session}", ann.server.url);
    let flood = |tally: Tally| together([(); 2].map(|()| read(path.clone(), token.clone(), tally.clone())));
    let felt = ann.endure_refused(flood).await;
    felt.is_bearable(64 << 20);
    felt.was_refused();
}

async fn read(path: String, token: String, tally: Tally) -> Infallible {
    let http = http();
    loop {
        tally.answered(http.get(&path).bearer_auth(&token).send().await.expect("answers").status());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_that_never_end_leave_room_for_others() {
    let mut ann = Bystander::start(&[]).await;
    let (eve, bob) = (ann.token("eve", "member").await, ann.token("bob", "member").await);
    let address = ann.server.url.trim_start_matches("http://").to_owned();
    let url = format!("{}/api/v1/uploads?name=a.txt", ann.server.url);
    let others = Tally::default();
    let slow = |tally: Tally| {
        let slow = [(); 16].map(|()| upload_slowly(address.clone(), eve.clone(), tally.clone()));
        let bob = upload(url.clone(), bob.clone(), tally, others.clone());
        async move {
            tokio::select! {
                never = together(slow) => never,
                never = bob => never,
            }
        }
    };
    let felt = ann.endure(slow).await;
    felt.is_bearable(64 << 20);
    assert!(others.acts().taken >= felt.rounds(), "files of somebody else: {}", others.acts());
}

/// Uploads a file ten times per second once the abuse has begun.
async fn upload(url: String, token: String, abuse: Tally, tally: Tally) -> Infallible {
    let http = http();
    abuse.begun().await;
    let mut moments = tokio::time::interval(Duration::from_millis(100));
    loop {
        moments.tick().await;
        let answer = http.post(&url).bearer_auth(&token).body("hello").send().await.expect("answers");
        assert_eq!(answer.status(), 201, "somebody else's file is taken");
        tally.taken(1);
    }
}

/// Begins an upload and sends no body. If it is refused, begins again after a moment.
async fn upload_slowly(address: String, token: String, tally: Tally) -> Infallible {
    let head = format!(
        "POST /api/v1/uploads?name=slow.txt HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-length: 1000000\r\n\r\n"
    );
    let mut moments = tokio::time::interval(Duration::from_secs(1));
    loop {
        moments.tick().await;
        let mut tcp = TcpStream::connect(&address).await.expect("connects");
        tcp.write_all(head.as_bytes()).await.expect("writes");
        tally.taken(1);
        let mut rest = vec![];
        let _ = tcp.read_to_end(&mut rest).await;
        tally.closed();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_that_never_end_leave_the_stop_to_others() {
    let mut ann = Bystander::start(&[]).await;
    let (eve, bob) = (ann.token("eve", "member").await, ann.token("bob", "member").await);
    let address = ann.server.url.trim_start_matches("http://").to_owned();
    let session = ann.server.create_as(&bob).await;
    let commands = format!("{}/api/v1/sessions/{session}/commands", ann.server.url);
    let others = Tally::default();
    let hold = |tally: Tally| {
        // As many as a participant may have in flight.
        let held = [(); 128].map(|()| hold_body(address.clone(), eve.clone(), tally.clone()));
        let bob = stop(commands.clone(), bob.clone(), tally, others.clone());
        async move {
            tokio::select! {
                never = together(held) => never,
                never = bob => never,
            }
        }
    };
    let felt = ann.endure(hold).await;
    // An eighth of 64 MiB, plus the buffers of each connection.
    felt.is_bearable(128 << 20);
    assert!(others.acts().taken >= felt.rounds(), "stops of somebody else: {}", others.acts());
}

/// Sends all of a body except its last byte, and sends another when the server gives up on it.
async fn hold_body(address: String, token: String, tally: Tally) -> Infallible {
    let body = vec![b' '; (1 << 20) - 1];
    let head = format!(
        "POST /api/v1/sessions HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-length: {}\r\n\r\n",
        body.len() + 1
    );
    let mut moments = tokio::time::interval(Duration::from_secs(1));
    loop {
        moments.tick().await;
        let mut tcp = TcpStream::connect(&address).await.expect("connects");
        tcp.write_all(head.as_bytes()).await.expect("writes");
        tally.taken(1);
        let _ = tcp.write_all(&body).await;
        let mut rest = vec![];
        let _ = tcp.read_to_end(&mut rest).await;
        tally.closed();
    }
}

/// Presses stop and sends a long message, five times per second once the abuse has begun.
async fn stop(commands: String, token: String, abuse: Tally, tally: Tally) -> Infallible {
    let (http, mut number) = (http(), 0);
    abuse.begun().await;
    let mut moments = tokio::time::interval(Duration::from_millis(200));
    loop {
        moments.tick().await;
        number += 1;
        let stop = json!({ "id": format!("c_{number}"), "do": "interrupt", "data": { "run": "r_1" } });
        let answer = http.post(&commands).bearer_auth(&token).json(&stop).send().await.expect("answers");
        assert_eq!(answer.status(), 409, "the stop is taken, and nothing runs");
        let text = format!("{:.<50000}", "@people ");
        let say = json!({ "id": format!("s_{number}"), "do": "say", "data": { "text": text } });
        let answer = http.post(&commands).bearer_auth(&token).json(&say).send().await.expect("answers");
        assert!([200, 429].contains(&answer.status().as_u16()), "{answer:?}");
        tally.taken(1);
    }
}
