//! The source documents, each played by a Python program that knows nothing but the document.

use std::num::NonZeroU32;
use std::process::Stdio;

use roundtable::config::Config;
use roundtable::limits::Pace;
use roundtable::tool::code::{CodeBaseSettings, CodeReaderStanding};
use tokio::process::Command;

use crate::server::Server;

/// Plays a document against this server; what went wrong is in the error.
async fn play(document: &str, server: &Server) {
    let program = format!("{}/tests/documents/{document}.py", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("python3");
    let command = command.arg(&program).arg(&server.url).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.expect("python3 is there");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.ends_with("played\n"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// A server whose paces nobody notices: its answers come as fast as they are read, and no person sends so many requests in
/// so short a time.
async fn server() -> Server {
    let many = NonZeroU32::new(1_000).expect("not zero");
    let settings = |config: &mut Config| {
        config.pace.chat = Pace { burst: many, per_second: many };
        // Callers are guests here, and one document has programs run.
        (config.tools.python.on, config.tools.python.guests) = (true, true);
        let mut shop = CodeBaseSettings::from(format!("{}/tests/documents/shop", env!("CARGO_MANIFEST_DIR")));
        shop.readers.standing = CodeReaderStanding::Guest;
        config.tools.code.bases.insert("shop".into(), shop);
    };
    Server::start_with(settings).await
}

#[tokio::test]
async fn orchestrator_does_as_its_document_says() {
    play("orchestrator", &server().await).await;
}

#[tokio::test]
async fn analyze_does_as_its_document_says() {
    play("analyze", &server().await).await;
}

#[tokio::test]
async fn team_chat_does_as_its_document_says() {
    play("team_chat", &server().await).await;
}

#[tokio::test]
async fn auto_agent_does_as_its_document_says() {
    play("auto_agent", &server().await).await;
}
