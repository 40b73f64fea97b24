//! Which MCP servers there are: the part of the configuration under `tools.mcp`.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OAuthSettings;
use crate::tool::Confinement;

/// One MCP server: a program that is started here (`command`), or an address (`url`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpServer {
    /// Whether it is used.
    pub enabled: bool,
    /// The program to start, which speaks over its standard input and output.
    pub command: String,
    /// The program's arguments; everybody on the machine can see them, so no secret belongs here.
    #[schemars(extend("x-secret" = "arguments"))]
    pub args: Vec<String>,
    /// Whether the program is kept from the server's processes and data by bubblewrap (`tools.python.bwrap`), default true;
    /// where that does not work it is not started. All else it sees as the server's user does.
    pub confined: bool,
    /// How it is; the server's business, not the operator's.
    #[serde(skip)]
    pub confinement: Arc<Confinement>,
    /// The folder that the program starts in; absent: the server's own.
    pub folder: Option<PathBuf>,
    /// Environment of the program. Of the server's own it has PATH, HOME, USER, LANG, LC_ALL, TZ and TMPDIR and nothing
    /// else.
    #[schemars(extend("x-secret" = "key"))]
    pub env: BTreeMap<String, String>,
    /// Environment of the program that is secret: its name for the program, then the variable of the server's own
    /// environment that holds it.
    pub env_from: BTreeMap<String, String>,
    /// Where it takes streamable HTTP, `https://host/mcp`, instead of a program.
    pub url: String,
    /// Headers for each of its requests.
    #[schemars(extend("x-secret" = "key"))]
    pub headers: BTreeMap<String, String>,
    /// Headers that are secret: their name, then the environment variable that holds them.
    pub headers_from: BTreeMap<String, String>,
    /// The environment variable that holds its bearer token; empty: none.
    pub token_env: String,
    /// Authorization by OAuth, where the server asks for it.
    pub oauth: OAuthSettings,
    /// The tools to take, by the names that the server has for them; empty: all.
    pub only: Vec<String>,
    /// Believe what the server says of its tools' effects: without it every one of them may change anything, and people
    /// are asked.
    pub trust_hints: bool,
    /// Tools that are taken from it; further ones are left out.
    #[schemars(range(min = 1, max = 1_000))]
    pub tools_at_most: usize,
    /// Seconds for it to start, to greet and to list its tools.
    #[schemars(range(min = 1, max = 600))]
    pub start_seconds: u64,
    /// Seconds that a call may take, without the time in which it waits for its place or for people to answer what it asks
    /// them.
    #[schemars(range(min = 1, max = 86_400))]
    pub call_seconds: u64,
    /// Calls under way at once; further ones wait. With 1 it is always clear to which call a question of a program
    /// belongs; else such a question is put off while calls of several sessions are under way.
    #[schemars(range(min = 1, max = 1_000))]
    pub calls_at_once: usize,
    /// Seconds between looks whether it is still there, over HTTP.
    #[schemars(range(min = 1, max = 3_600))]
    pub look_seconds: u64,
    /// Milliseconds before it is started again after a second failure; each further failure doubles them.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub restart_ms: u64,
    /// Milliseconds that they grow to. A connection that held so long makes them begin anew.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub restart_at_most_ms: u64,
    /// Bytes that it may send in one message; a longer one is dropped, and the call that waits for it is told so.
    #[schemars(range(min = 4_096, max = 268_435_456))]
    pub message_bytes: usize,
    /// Bytes of a result that an agent gets to read.
    #[schemars(range(min = 256, max = 16_777_216))]
    pub output_bytes: usize,
}

impl Default for McpServer {
    fn default() -> Self {
        Self {
            enabled: true,
            command: String::new(),
            args: vec![],
            confined: true,
            confinement: Arc::default(),
            folder: None,
            env: BTreeMap::new(),
            env_from: BTreeMap::new(),
            url: String::new(),
            headers: BTreeMap::new(),
            headers_from: BTreeMap::new(),
            token_env: String::new(),
            oauth: OAuthSettings::default(),
            only: vec![],
            trust_hints: false,
            tools_at_most: 64,
            start_seconds: 30,
            call_seconds: 60,
            calls_at_once: 16,
            look_seconds: 30,
            restart_ms: 1_000,
            restart_at_most_ms: 60_000,
            message_bytes: 4 * 1024 * 1024,
            output_bytes: 16 * 1024,
        }
    }
}

impl McpServer {
    /// What is wrong with one of this name, in words for the operator.
    ///
    /// # Errors
    /// What it is.
    pub fn check(&self, name: &str) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > 24 || !name.chars().all(plain) {
            return Err("its name is not usable; accepted are up to 24 of a-z, 0-9 and -".into());
        }
        match (self.command.is_empty(), self.url.is_empty()) {
            (true, true) => return Err("it has neither a command nor a url; accepted is one of them".into()),
            (false, false) => return Err("it has a command and a url; accepted is one of them".into()),
            (true, false) => {
                let url = reqwest::Url::parse(&self.url).ok();
                url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
                    .ok_or("its url is not an http or https address; accepted is https://host/mcp")?;
            }
            (false, true) => {}
        }
        self.oauth.check(self)?;
        if self.restart_ms > self.restart_at_most_ms {
            return Err(format!(
                "its restart_ms, {}, is more than its restart_at_most_ms, {}",
                self.restart_ms, self.restart_at_most_ms
            ));
        }
        Ok(())
    }

    pub(super) fn start(&self) -> Duration {
        Duration::from_secs(self.start_seconds)
    }

    pub(super) fn call(&self) -> Duration {
        Duration::from_secs(self.call_seconds)
    }

    pub(super) fn look(&self) -> Duration {
        Duration::from_secs(self.look_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_program_or_an_address() {
        let program = McpServer { command: "server".into(), ..McpServer::default() };
        let address = McpServer { url: "https://example.org/mcp".into(), ..McpServer::default() };
        assert_eq!((program.check("files"), address.check("files-2")), (Ok(()), Ok(())));
        let both = McpServer { url: address.url.clone(), ..program.clone() };
        assert!(both.check("files").is_err() && McpServer::default().check("files").is_err());
        assert!(McpServer { url: "example.org".into(), ..McpServer::default() }.check("files").is_err());
        assert!(
            ["", "my_files", "Files", "../x", "a-name-that-goes-on-and-on"].iter().all(|n| program.check(n).is_err())
        );
    }

    #[test]
    fn an_unknown_setting_is_an_error() {
        assert!(toml::from_str::<McpServer>("commando = \"x\"").is_err());
    }
}
