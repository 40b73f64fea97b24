//! The process of the provider.

use std::path::PathBuf;
use std::process::Stdio;

use roundtable::config::Config;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::server::with_timeout;

/// Secret of the client, with characters that must be encoded in a header.
const SECRET: &str = "a secret with = and & in it";

/// A provider that ends with the test.
pub struct ProviderProcess {
    pub issuer: String,
    http: reqwest::Client,
    process: Child,
}

impl ProviderProcess {
    pub async fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/oidc");
        assert!(folder.join("node_modules").exists(), "the provider is not installed: run  make test-setup");
        let mut command = Command::new("node");
        // The provider exits when its standard input ends, which also works if this process is killed.
        command.arg(folder.join("provider.mjs")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.kill_on_drop(true).spawn().expect("starts node");
        let output = process.stdout.take().expect("is piped");
        let line = with_timeout(BufReader::new(output).lines().next_line()).await;
        let issuer = line.expect("reads").expect("the provider prints its issuer");
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { issuer, http, process }
    }

    /// Configures a server whose people sign in here.
    pub fn configure(&self, config: &mut Config) {
        let oidc = &mut config.oidc;
        oidc.issuer = Some(self.issuer.clone());
        oidc.client_id = "roundtable".into();
        oidc.client_secret = Some(SECRET.to_owned().into());
        oidc.scopes.push("groups".into());
    }

    async fn control(&self, path: &str, body: String) -> Value {
        let response = self.http.put(format!("{}/control/{path}", self.issuer)).body(body).send().await;
        response.expect("answers").json().await.expect("JSON")
    }

    /// Sets the origin of the server.
    pub async fn set_origin(&self, origin: &str) {
        self.control("origin", origin.to_owned()).await;
    }

    /// Sets the claims of an account.
    pub async fn set_account(&self, name: &str, claims: Value) {
        self.control(&format!("accounts/{name}"), claims.to_string()).await;
    }

    /// Makes the provider sign with a new key.
    pub async fn rotate(&self) {
        self.control("rotate", String::new()).await;
    }

    /// Makes the provider sign with a new key that it does not publish.
    pub async fn conceal(&self) {
        self.control("conceal", String::new()).await;
    }

    /// Returns the number of times that the keys were fetched.
    pub async fn key_fetches(&self) -> u64 {
        self.control("counts", String::new()).await["/jwks"].as_u64().unwrap_or_default()
    }

    /// Ends the process.
    pub async fn stop(mut self) {
        self.process.kill().await.expect("ends");
    }
}
