//! The commands of docs/people.md, with a real OpenID provider.

use std::time::Duration;

use serde_json::Value;

use super::server::ServerProcess;
use crate::oidc::provider::ProviderProcess;

const PAGE: &str = include_str!("../../../docs/people.md");

/// Returns the command blocks of a section, in order.
fn blocks(section: &str) -> Vec<&'static str> {
    let section = PAGE.split(&format!("\n## {section}\n")).nth(1).expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    section.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap_or_default()).collect()
}

/// A server whose users sign in through a provider, and the values of the placeholders on the page.
struct DocumentedServer {
    server: ServerProcess,
    issuer: String,
    participant: String,
    session: String,
}

impl DocumentedServer {
    /// Runs these commands, which must succeed, and returns their output.
    async fn run(&self, commands: &str) -> String {
        let commands = commands
            .replace("https://roundtable.example.org", &self.server.url)
            .replace("u_…", &self.participant)
            .replace("s_…", &self.session);
        assert!(!commands.contains('…'), "an unknown placeholder: {commands}");
        let settings = format!("ROUNDTABLE_OIDC__CLIENT_ID=roundtable ROUNDTABLE_OIDC__ISSUER={}", self.issuer);
        let script = format!("set -euo pipefail\nexport {settings}\n{commands}");
        let ran = tokio::time::timeout(Duration::from_secs(60), self.server.shell(&script)).await.expect("ends");
        let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{commands}\n{stdout}\n{stderr}");
        stdout.into_owned()
    }

    /// Returns the participants whose names contain this text.
    async fn people(&self, name: &str) -> Vec<Value> {
        let list = self.server.get(&format!("/api/v1/participants?search={name}")).await;
        list["participants"].as_array().expect("a list").clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_page_work() {
    let provider = ProviderProcess::start().await;
    let settings = [
        ("ROUNDTABLE_OIDC__ISSUER", provider.issuer.as_str()),
        ("ROUNDTABLE_OIDC__CLIENT_ID", "roundtable"),
        ("ROUNDTABLE_OIDC__LABEL", "Example SSO"),
        ("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "0"),
        ("ROUNDTABLE_DEMO__DELAY_MS", "0"),
    ];
    let server = ServerProcess::start(&settings).await;
    let session = server.create().await;
    let issuer = provider.issuer.clone();
    let mut documented = DocumentedServer { server, issuer, participant: String::new(), session };

    let out = documented.run(blocks("Sign-in at an OpenID provider")[0]).await;
    assert!(out.contains(r#"{"oidc":{"label":"Example SSO"}}"#), "{out}");
    assert!(out.contains(&provider.issuer), "the second command shows an address of the provider: {out}");

    let out = documented.run(blocks("Sign-in by a reverse proxy").last().expect("has commands")).await;
    assert!(!out.contains("root"), "the server trusts no header of this client: {out}");

    let [by_file, by_rest] = blocks("Import people")[..] else { panic!("two blocks") };
    let out = documented.run(by_file).await;
    let expected = by_file.lines().find_map(|line| line.split_once("# ")).expect("says what is printed").1;
    assert!(out.starts_with(expected), "{expected}: {out}");
    assert!(out.contains("\ncreated 3, changed 0, unchanged 0\n"), "{out}");
    let active = async |name| match &documented.people(name).await[..] {
        [person] => person["disabled_at"].is_null(),
        people => panic!("{people:?}"),
    };
    assert_eq!([active("Wang").await, active("Bob").await], [true, false]);
    documented.run(by_rest).await;
    assert!(!active("Wang").await);

    let ann = documented.people("Ann").await;
    documented.participant = ann[0]["id"].as_str().expect("an id").to_owned();
    for block in blocks("Tokens for programs") {
        let tokens = documented.run(block).await;
        assert!(!tokens.is_empty() && tokens.lines().all(|line| line.starts_with("rt_token_")), "{tokens}");
    }

    let out = documented.run(&blocks("Approvals and budgets").concat()).await;
    let count = |part: &str| out.matches(part).count();
    assert_eq!(count(r#""forbidden""#), 2, "neither who started the run nor the guest approves: {out}");
    assert!(count(r#""allowed":3"#) > 0 && count(r#""max_tokens":300000"#) > 0, "{out}");

    let out = documented.run(blocks("Take access away")[0]).await;
    assert!(out.contains("Ann Lee") && out.contains(&documented.participant), "{out}");
    let left = documented.people("Ann").await;
    assert!(left.is_empty(), "the name is erased: {left:?}");
}
