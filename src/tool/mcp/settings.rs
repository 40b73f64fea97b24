//! Settings of MCP servers: the part of the configuration under `tools.mcp`.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OAuthSettings;

/// An MCP server: a program on this machine (`command`), or a server over HTTP (`url`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpServerSettings {
    /// Enables the server. Default true.
    pub enabled: bool,
    /// Program to start, such as `npx`. It communicates over its standard input and output. Set either `command` or
    /// `url`.
    pub command: String,
    /// Arguments of the program, such as `["-y", "@modelcontextprotocol/server-everything"]`. Everyone on the machine
    /// can see them, so they must not contain secrets. Default none.
    #[schemars(extend("x-secret" = "arguments"))]
    pub args: Vec<String>,
    /// Hides Roundtable's processes and data from the program, with bubblewrap (`tools.python.bwrap`). Default true. If
    /// bubblewrap does not work, the program is not started. The program sees everything else that Roundtable's user
    /// sees.
    pub confined: bool,
    /// Working directory of the program, such as `/srv/mcp`. If absent, that of Roundtable.
    pub folder: Option<PathBuf>,
    /// Environment variables of the program. From Roundtable's own environment, the program inherits only PATH, HOME,
    /// USER, LANG, LC_ALL, TZ and TMPDIR. Default none.
    #[schemars(extend("x-secret" = "key"))]
    pub env: BTreeMap<String, String>,
    /// Secret environment variables of the program: the name for the program, then the variable of Roundtable's own
    /// environment that contains the value, such as `GITHUB_TOKEN = "RT_GITHUB_TOKEN"`. Default none.
    pub env_from: BTreeMap<String, String>,
    /// URL for streamable HTTP, such as `https://host/mcp`, instead of a program.
    pub url: String,
    /// Headers of each request to the server, such as `X-Team = "support"`. Default none.
    #[schemars(extend("x-secret" = "key"))]
    pub headers: BTreeMap<String, String>,
    /// Secret headers: the name, then the environment variable that contains the value. Default none.
    pub headers_from: BTreeMap<String, String>,
    /// Environment variable that contains the bearer token of the server. If empty, no token is sent.
    pub token_env: String,
    /// OAuth authorization, if the server asks for it.
    pub oauth: OAuthSettings,
    /// Tools to offer, by their names on the server, such as `["search_code"]`. If empty, all.
    pub only: Vec<String>,
    /// Trusts the server's hints about the effects of its tools. Otherwise, each tool is assumed to be able to change
    /// anything, and people are asked before each call. Default false.
    pub trust_hints: bool,
    /// Maximum number of tools of the server. Further tools are left out. Default 64, at most 1000.
    #[schemars(range(min = 1, max = 1_000))]
    pub max_tools: usize,
    /// Timeout for the start, the handshake and the listing of tools together, in seconds. Default 30, at most 600.
    #[schemars(range(min = 1, max = 600))]
    pub start_seconds: u64,
    /// Timeout of a call, in seconds. It excludes the time that the call waits in the queue or for answers from people.
    /// Default 60, at most 86400.
    #[schemars(range(min = 1, max = 86_400))]
    pub call_seconds: u64,
    /// Maximum number of concurrent calls; further calls wait. With 1, it is always clear which call a program's
    /// question belongs to. Otherwise, such a question is cancelled while calls of several sessions are in progress.
    /// Default 16, at most 1000.
    #[schemars(range(min = 1, max = 1_000))]
    pub max_concurrent_calls: usize,
    /// Seconds between two liveness checks over HTTP. Default 30, at most 3600.
    #[schemars(range(min = 1, max = 3_600))]
    pub check_seconds: u64,
    /// Delay before the restart after the second consecutive failure, in milliseconds. Each further failure doubles it.
    /// Default 1000, at most 3600000, and not more than `max_restart_ms`.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub restart_ms: u64,
    /// Maximum delay before a restart, in milliseconds. A connection that lasts this long resets the delay. Default
    /// 60000, at most 3600000.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub max_restart_ms: u64,
    /// Maximum number of bytes in one message from the server. A longer message is dropped, and the call that is
    /// waiting for it fails. Default 4194304 (4 MiB), 4096 to 268435456 (256 MiB).
    #[schemars(range(min = 4_096, max = 268_435_456))]
    pub max_message_bytes: usize,
    /// Maximum number of bytes in a result that an agent reads. Default 16384 (16 KiB), 256 to 16777216 (16 MiB).
    #[schemars(range(min = 256, max = 16_777_216))]
    pub max_output_bytes: usize,
}

impl Default for McpServerSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            command: String::new(),
            args: vec![],
            confined: true,
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
            max_tools: 64,
            start_seconds: 30,
            call_seconds: 60,
            max_concurrent_calls: 16,
            check_seconds: 30,
            restart_ms: 1_000,
            max_restart_ms: 60_000,
            max_message_bytes: 4 * 1024 * 1024,
            max_output_bytes: 16 * 1024,
        }
    }
}

impl McpServerSettings {
    /// Checks the settings of a server with this name.
    ///
    /// # Errors
    /// Fails with the first invalid setting, in a message for the operator.
    pub fn check(&self, name: &str) -> Result<(), String> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > 24 || !name.chars().all(plain) {
            return Err("its name is not valid; use at most 24 of the characters a-z, 0-9 and -".into());
        }
        match (self.command.is_empty(), self.url.is_empty()) {
            (true, true) => return Err("it has neither a command nor a url; set one of them".into()),
            (false, false) => return Err("it has both a command and a url; remove one of them".into()),
            (true, false) => {
                let url = reqwest::Url::parse(&self.url).ok();
                url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
                    .ok_or("its url is not an http or https URL; use a form like https://host/mcp")?;
            }
            (false, true) => {}
        }
        self.oauth.check(self)?;
        if self.restart_ms > self.max_restart_ms {
            return Err(format!(
                "its restart_ms, {}, is more than its max_restart_ms, {}",
                self.restart_ms, self.max_restart_ms
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

    pub(super) fn check_interval(&self) -> Duration {
        Duration::from_secs(self.check_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_program_or_an_address() {
        let program = McpServerSettings { command: "server".into(), ..McpServerSettings::default() };
        let address = McpServerSettings { url: "https://example.org/mcp".into(), ..McpServerSettings::default() };
        assert_eq!((program.check("files"), address.check("files-2")), (Ok(()), Ok(())));
        let both = McpServerSettings { url: address.url.clone(), ..program.clone() };
        assert!(both.check("files").is_err() && McpServerSettings::default().check("files").is_err());
        assert!(
            McpServerSettings { url: "example.org".into(), ..McpServerSettings::default() }.check("files").is_err()
        );
        assert!(
            ["", "my_files", "Files", "../x", "a-name-that-goes-on-and-on"].iter().all(|n| program.check(n).is_err())
        );
    }

    #[test]
    fn an_unknown_setting_is_an_error() {
        assert!(toml::from_str::<McpServerSettings>("commando = \"x\"").is_err());
    }
}
