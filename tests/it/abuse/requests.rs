//! A member who reads snapshots as fast as possible, one whose uploads never end, and one whose commands never end.

use std::convert::Infallible;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{AbuseCounter, LatencyProbe, http, run_concurrently};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_snapshot_reads_does_not_slow_others() {
    let mut probe = LatencyProbe::start(&[]).await;
    let token = probe.token("eve", "member").await;
    let session = probe.server.create_as(&token).await;
    let path = format!("{}/api/v1/sessions/{session}", probe.server.url);
    let flood =
        |counter: AbuseCounter| run_concurrently([(); 2].map(|()| read(path.clone(), token.clone(), counter.clone())));
    let measurement = probe.measure_during_refusals(flood).await;
    measurement.assert_within_limits(64 << 20);
    measurement.assert_rejected();
}

async fn read(path: String, token: String, counter: AbuseCounter) -> Infallible {
    let http = http();
    loop {
        counter.count_response(http.get(&path).bearer_auth(&token).send().await.expect("answers").status());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_uploads_leave_room_for_others() {
    let mut probe = LatencyProbe::start(&[]).await;
    let (abuser, bob) = (probe.token("eve", "member").await, probe.token("bob", "member").await);
    let address = probe.server.url.trim_start_matches("http://").to_owned();
    let url = format!("{}/api/v1/uploads?name=a.txt", probe.server.url);
    let others = AbuseCounter::default();
    let slow = |counter: AbuseCounter| {
        let slow = [(); 16].map(|()| upload_slowly(address.clone(), abuser.clone(), counter.clone()));
        let bob = upload(url.clone(), bob.clone(), counter, others.clone());
        async move {
            tokio::select! {
                never = run_concurrently(slow) => never,
                never = bob => never,
            }
        }
    };
    let measurement = probe.measure_during(slow).await;
    measurement.assert_within_limits(64 << 20);
    assert!(others.counts().accepted >= measurement.rounds(), "files of somebody else: {}", others.counts());
}

/// Uploads a file ten times per second once the abuse has begun.
async fn upload(url: String, token: String, abuse: AbuseCounter, counter: AbuseCounter) -> Infallible {
    let http = http();
    abuse.wait_for_first_accepted().await;
    let mut moments = tokio::time::interval(Duration::from_millis(100));
    loop {
        moments.tick().await;
        let answer = http.post(&url).bearer_auth(&token).body("hello").send().await.expect("answers");
        assert_eq!(answer.status(), 201, "somebody else's file is taken");
        counter.count_accepted(1);
    }
}

/// Begins an upload and sends no body. When the server closes the connection, begins again, at most once per second.
async fn upload_slowly(address: String, token: String, counter: AbuseCounter) -> Infallible {
    let head = format!(
        "POST /api/v1/uploads?name=slow.txt HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-length: 1000000\r\n\r\n"
    );
    let mut moments = tokio::time::interval(Duration::from_secs(1));
    loop {
        moments.tick().await;
        let mut tcp = TcpStream::connect(&address).await.expect("connects");
        tcp.write_all(head.as_bytes()).await.expect("writes");
        counter.count_accepted(1);
        let mut rest = vec![];
        let _ = tcp.read_to_end(&mut rest).await;
        counter.count_closed();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_large_bodies_do_not_block_a_stop() {
    let mut probe = LatencyProbe::start(&[]).await;
    let (abuser, bob) = (probe.token("eve", "member").await, probe.token("bob", "member").await);
    let address = probe.server.url.trim_start_matches("http://").to_owned();
    let session = probe.server.create_as(&bob).await;
    let commands = format!("{}/api/v1/sessions/{session}/commands", probe.server.url);
    let others = AbuseCounter::default();
    let hold = |counter: AbuseCounter| {
        // The number of requests that a participant is allowed to have in flight.
        let held = [(); 128].map(|()| hold_body(address.clone(), abuser.clone(), counter.clone()));
        let bob = stop(commands.clone(), bob.clone(), counter, others.clone());
        async move {
            tokio::select! {
                never = run_concurrently(held) => never,
                never = bob => never,
            }
        }
    };
    let measurement = probe.measure_during(hold).await;
    // An eighth of 64 MiB, plus the buffers of each connection.
    measurement.assert_within_limits(128 << 20);
    assert!(others.counts().accepted >= measurement.rounds(), "stops of somebody else: {}", others.counts());
}

/// Sends all of a body except its last byte, and starts over when the server closes the connection.
async fn hold_body(address: String, token: String, counter: AbuseCounter) -> Infallible {
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
        counter.count_accepted(1);
        let _ = tcp.write_all(&body).await;
        let mut rest = vec![];
        let _ = tcp.read_to_end(&mut rest).await;
        counter.count_closed();
    }
}

/// Presses stop and sends a long message, five times per second once the abuse has begun.
async fn stop(commands: String, token: String, abuse: AbuseCounter, counter: AbuseCounter) -> Infallible {
    let (http, mut number) = (http(), 0);
    abuse.wait_for_first_accepted().await;
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
        counter.count_accepted(1);
    }
}
