//! A member who reads snapshots as fast as they can, and one whose uploads never end.

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
