//! A member who reads snapshots as fast as they can, one whose uploads never end, and one whose commands never do.

use reqwest::Client;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Bystander;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_snapshots_disturbs_nobody() {
    let mut ann = Bystander::start(&[]).await;
    let token = ann.token("eve", "member").await;
    let url = format!("{}/api/v1/sessions", ann.server.url);
    let flood = async move {
        let http = Client::builder().no_proxy().build().expect("a client");
        let created = http.post(&url).bearer_auth(&token).json(&json!({})).send().await.expect("answers");
        let created: Value = created.json().await.expect("JSON");
        let path = format!("{url}/{}", created["session"].as_str().expect("an id"));
        let one = async || {
            for _ in 0..5_000 {
                let _ = http.get(&path).bearer_auth(&token).send().await;
            }
        };
        futures_util::future::join_all((0..2).map(|_| one())).await;
    };
    let felt = ann.endure(flood).await;
    felt.is_bearable(64 << 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_that_never_end_leave_room_for_others() {
    let mut ann = Bystander::start(&[]).await;
    let (eve, bob) = (ann.token("eve", "member").await, ann.token("bob", "member").await);
    let address = ann.server.url.trim_start_matches("http://").to_owned();
    let url = format!("{}/api/v1/uploads?name=a.txt", ann.server.url);
    let slow = async move {
        let one = async || {
            let mut tcp = TcpStream::connect(&address).await.expect("connects");
            let head = format!(
                "POST /api/v1/uploads?name=slow.txt HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {eve}\r\n\
                 content-length: 1000000\r\n\r\n"
            );
            tcp.write_all(head.as_bytes()).await.expect("writes");
            let mut rest = vec![];
            let _ = tcp.read_to_end(&mut rest).await;
        };
        let others = async {
            let http = Client::builder().no_proxy().build().expect("a client");
            for _ in 0..20 {
                let answer = http.post(&url).bearer_auth(&bob).body("hello").send().await.expect("answers");
                assert_eq!(answer.status(), 201, "somebody else's file is taken");
            }
        };
        let slow = futures_util::future::join_all((0..16).map(|_| one()));
        futures_util::future::select(Box::pin(slow), Box::pin(others)).await;
    };
    let felt = ann.endure(slow).await;
    felt.is_bearable(64 << 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_that_never_end_leave_the_stop_to_others() {
    let mut ann = Bystander::start(&[]).await;
    let (eve, bob) = (ann.token("eve", "member").await, ann.token("bob", "member").await);
    let address = ann.server.url.trim_start_matches("http://").to_owned();
    let url = format!("{}/api/v1/sessions", ann.server.url);
    let hold = async move {
        let http = Client::builder().no_proxy().build().expect("a client");
        let created = http.post(&url).bearer_auth(&bob).json(&json!({})).send().await.expect("answers");
        let created: Value = created.json().await.expect("JSON");
        let commands = format!("{url}/{}/commands", created["session"].as_str().expect("an id"));
        let body = 1 << 20;
        let one = async || {
            let mut tcp = TcpStream::connect(&address).await.expect("connects");
            let head = format!(
                "POST /api/v1/sessions HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {eve}\r\n\
                 content-length: {body}\r\n\r\n"
            );
            tcp.write_all(head.as_bytes()).await.expect("writes");
            let _ = tcp.write_all(&vec![b' '; body - 1]).await;
            let mut rest = vec![];
            let _ = tcp.read_to_end(&mut rest).await;
        };
        let others = async {
            for number in 0..20 {
                let stop = json!({ "id": format!("c_{number}"), "do": "interrupt", "data": { "run": "r_1" } });
                let answer = http.post(&commands).bearer_auth(&bob).json(&stop).send().await.expect("answers");
                assert_eq!(answer.status(), 409, "the stop is taken, and nothing runs");
                let say = json!({ "id": format!("s_{number}"), "do": "say",
                    "data": { "text": format!("{:.<50000}", "@people ") } });
                let answer = http.post(&commands).bearer_auth(&bob).json(&say).send().await.expect("answers");
                assert!([200, 429].contains(&answer.status().as_u16()), "{answer:?}");
            }
        };
        // As many as a participant may have on their way.
        let held = futures_util::future::join_all((0..128).map(|_| one()));
        futures_util::future::select(Box::pin(held), Box::pin(others)).await;
    };
    let felt = ann.endure(hold).await;
    // An eighth of 64 MiB, and what each connection has in its buffers.
    felt.is_bearable(128 << 20);
}
