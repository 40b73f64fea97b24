//! The conformance suite of the Model Context Protocol, with all of its client scenarios.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use roundtable::kernel::{Inquiry, InquiryReply};
use roundtable::tool::mcp::{
    McpAuthorization, McpServerRegistry, McpServerSettings, McpServerState, OAuthGrant, OAuthSettings,
};
use roundtable::tool::{Confinement, People, Tool, ToolError, ToolSource};
use serde_json::{Map, Value, json};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use super::{call_context_with, mcp_folder};

/// URL of the document that the suite expects as the client id.
const CLIENT_METADATA: &str = "https://conformance-test.local/client-metadata.json";

/// Redirect address of the browser. Nothing listens there, because the code is read from the redirection.
const REDIRECT: &str = "http://127.0.0.1:3000/callback";

/// Package of the released suite, for protocol versions up to 2025-11-25.
const RELEASED: &str = "@modelcontextprotocol/conformance";

/// Package of the next version of the suite, which also covers 2026-07-28.
const NEXT: &str = "conformance-next";

/// Scenarios of the next suite that are excluded: protocol extensions for features that this client does not have, as
/// docs/mcp.md says. The extensions for features that it has are run.
const EXCLUDED: [(&str, &str); 7] = [
    ("auth/dpop", DPOP),
    ("auth/dpop-nonce", DPOP),
    (
        "auth/wif-jwt-bearer",
        "tokens are obtained by one of three grants; that of a workload's own assertion is none of them",
    ),
    ("sep-2640-client-no-prefetch", SKILLS),
    ("sep-2640-client-verify-digest", SKILLS),
    ("sep-2640-client-verify-size", SKILLS),
    ("sep-2640-client-verify-frontmatter", SKILLS),
];
const DPOP: &str = "tokens are bearer tokens and bound to no key";
const SKILLS: &str = "skills of servers are not read, so that the scenario would check nothing";

/// Number of scenarios that run concurrently; each starts two programs.
const AT_ONCE: usize = 3;

/// The scenario that measures time. It runs alone, and the two suites take turns.
const TIMED: &str = "sse-retry";

static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

fn suite(package: &str, args: &[&str]) -> Command {
    let mut command = Command::new("node");
    command.arg(mcp_folder().join("conformance.mjs")).arg(package).args(args);
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Returns the names of the scenarios, each with the versions that it applies to.
async fn scenarios(package: &str) -> Vec<(String, String)> {
    let listed = suite(package, &["list", "--client"]).output().await.expect("the suite runs");
    let listed = String::from_utf8(listed.stdout).expect("text");
    let named = listed.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split_once(' '));
    named.map(|(name, versions)| (name.to_owned(), versions.to_owned())).collect()
}

/// Runs these scenarios, and returns the failed checks in the suite's words.
async fn failed_checks(package: &str, scenarios: &[(String, String)]) -> Vec<String> {
    let this = std::env::current_exe().expect("a path");
    let client = format!("{} --exact tools_mcp::conformance::the_client_of_the_suite --nocapture", this.display());
    let run = async |scenario: &str| {
        let args = ["client", "--scenario", scenario, "--command", &client, "--timeout", "60000"];
        let run = suite(package, &args).env("MCP_CONFORMANCE_CLIENT", "1").output().await.expect("the suite runs");
        let output = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        let faults = output.split_once("Test Results").map_or(&*output, |(_, results)| results).to_owned();
        (!run.status.success()).then(|| format!("{scenario}:{faults}"))
    };
    let _turn = TURN.lock().await;
    let timed = run(TIMED).await;
    let runs = scenarios.iter().filter(|(name, _)| name != TIMED).map(|(name, _)| run(name));
    let failed = stream::iter(runs).buffer_unordered(AT_ONCE).filter_map(std::future::ready);
    failed.chain(stream::iter(timed)).collect().await
}

#[tokio::test]
async fn every_client_scenario_of_the_suite_passes() {
    let scenarios = scenarios(RELEASED).await;
    assert!(scenarios.len() >= 26, "{scenarios:?}");
    let failed = failed_checks(RELEASED, &scenarios).await;
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), scenarios.len(), failed.join("\n"));
}

#[tokio::test]
async fn every_scenario_of_the_next_suite_passes_but_those_that_are_excluded() {
    let mut scenarios = scenarios(NEXT).await;
    for (excluded, why) in EXCLUDED {
        let known = scenarios.iter().any(|(name, versions)| name == excluded && versions == "[extension]");
        assert!(known, "the suite has no extension {excluded}; it is excluded because {why}");
    }
    scenarios.retain(|(name, _)| EXCLUDED.iter().all(|(excluded, _)| name != excluded));
    assert!(scenarios.len() >= 41, "{scenarios:?}");
    // Most scenarios are in both suites, and each starts two programs.
    if std::env::var_os("EVERY_SCENARIO").is_none() {
        let released = self::scenarios(RELEASED).await;
        scenarios.retain(|(name, _)| released.iter().all(|(known, _)| known != name));
    }
    let failed = failed_checks(NEXT, &scenarios).await;
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), scenarios.len(), failed.join("\n"));
}

/// Not a test in itself, but the program that the suite starts, with the address of the suite's server as the last
/// argument.
#[tokio::test]
async fn the_client_of_the_suite() {
    if std::env::var_os("MCP_CONFORMANCE_CLIENT").is_none() {
        return;
    }
    let url = std::env::args().next_back().expect("an address");
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").expect("its name");
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").ok();
    let context: Value = context.map_or(Value::Null, |context| serde_json::from_str(&context).expect("JSON"));
    ConformanceClient::new(&scenario, url, context).run().await;
}

struct ConformanceClient {
    server: McpServerSettings,
    /// Settings from the suite, which take the place of the environment.
    context: Value,
    folder: tempfile::TempDir,
    servers: McpServerRegistry,
}

impl ConformanceClient {
    fn new(scenario: &str, url: String, context: Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let oauth = settings(scenario, &context, folder.path());
        let server =
            McpServerSettings { url, oauth, restart_ms: 10, max_restart_ms: 50, ..McpServerSettings::default() };
        let named = [("s".to_owned(), server.clone())].into();
        let environment = |variable: &str| context[variable].as_str().map(str::to_owned);
        let (confinement, stopping) = (Confinement::Off, CancellationToken::new());
        let started = McpServerRegistry::start_with(&named, folder.path(), &confinement, environment, &stopping);
        Self { server, servers: started.expect("the settings are good"), folder, context }
    }

    async fn run(&self) {
        let mut condition = self.wait_until_settled(needs_authorization).await;
        // In each round, the server asks for more than in the previous one; the client gives up on a server that is
        // never satisfied.
        for _ in 0..2 {
            if !needs_authorization(&condition) {
                break;
            }
            if let Err(why) = self.authorize().await {
                return eprintln!("not authorized: {why}");
            }
            condition = self.wait_until_settled(|_| false).await;
        }
        eprintln!("{condition:?}");
        let tools = self.servers.tools();
        for (tool, arguments) in tools.iter().flat_map(|tool| self.expected_calls(&**tool, &tools)) {
            let mut answer = call(tool, &arguments).await;
            if answer.as_ref().is_err_and(|error| error.code == "tool_unauthorized") && self.authorize().await.is_ok() {
                answer = call(tool, &arguments).await;
            }
            eprintln!("{}: {answer:?}", tool.spec().name);
        }
        self.servers.stop().await;
    }

    /// Returns the calls that the scenario expects of a tool, or, if it does not specify any, one call with arbitrary
    /// valid arguments.
    fn expected_calls<'a>(&self, tool: &'a dyn Tool, tools: &[Arc<dyn Tool>]) -> Vec<(&'a dyn Tool, Value)> {
        let name = tool.spec().name.trim_start_matches("mcp_s_");
        if let Some(calls) = self.context["toolCalls"].as_array() {
            let own = calls.iter().filter(|call| call["name"] == name);
            return own.map(|call| (tool, call["arguments"].clone())).collect();
        }
        let schema = match name {
            "json_schema_echo" => tools.iter().find(|other| other.spec().name.ends_with("2020_12_tool")),
            _ => None,
        };
        let arguments = match schema {
            Some(focal) => json!({ "schema": focal.spec().schema }),
            None => valid_arguments(tool),
        };
        vec![(tool, arguments)]
    }

    /// Waits until the server is ready or in the wanted state, with some time to leave its previous state.
    async fn wait_until_settled(&self, wanted: impl Fn(&McpServerState) -> bool) -> McpServerState {
        let mut watch = self.servers.watch("s").expect("is there");
        let settled = watch.wait_for(|status| status.condition == McpServerState::Ready || wanted(&status.condition));
        match tokio::time::timeout(Duration::from_secs(2), settled).await {
            Ok(status) => status.expect("is supervised").condition.clone(),
            Err(_) => self.servers.status()[0].condition.clone(),
        }
    }

    /// Acts as a person: opens the link and agrees.
    async fn authorize(&self) -> Result<(), String> {
        let environment = |variable: &str| self.context[variable].as_str().map(str::to_owned);
        let authorization =
            McpAuthorization::begin("s", &self.server, self.folder.path(), environment, REDIRECT).await?;
        let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build();
        let page = browser.expect("a client").get(authorization.url()).send().await.expect("an answer");
        let returned = page.headers().get("location").and_then(|to| to.to_str().ok()).ok_or("not sent back")?;
        authorization.finish(returned).await
    }
}

/// Returns whether the server waits for a person to authorize it.
fn needs_authorization(condition: &McpServerState) -> bool {
    matches!(condition, McpServerState::Away(why) if why.contains("roundtable mcp authorize"))
}

fn settings(scenario: &str, context: &Value, folder: &Path) -> OAuthSettings {
    let text = |name: &str| context[name].as_str().unwrap_or_default().to_owned();
    let named = |name: &str| if context[name].is_string() { name.to_owned() } else { String::new() };
    let mut oauth = OAuthSettings {
        client_id: text("client_id"),
        client_secret_env: named("client_secret"),
        private_key_env: named("private_key_pem"),
        client_metadata_url: CLIENT_METADATA.into(),
        ..OAuthSettings::default()
    };
    if scenario.contains("client-credentials") {
        oauth.grant = OAuthGrant::ClientCredentials;
    } else if context["idp_id_token"].is_string() {
        let file = folder.join("id_token");
        std::fs::write(&file, text("idp_id_token")).expect("writes");
        oauth.grant = OAuthGrant::IdentityAssertion;
        oauth.identity_issuer = text("idp_issuer");
        oauth.identity_token_endpoint = text("idp_token_endpoint");
        oauth.identity_client_id = text("idp_client_id");
        oauth.identity_token_file = Some(file);
    }
    oauth
}

fn valid_arguments(tool: &dyn Tool) -> Value {
    let fields = tool.spec().schema["properties"].as_object().cloned().unwrap_or_default();
    let value = |field: &Value| match field["type"].as_str() {
        Some("string") => json!("a"),
        Some("boolean") => json!(true),
        Some("object") => json!({}),
        _ => json!(1),
    };
    fields.iter().map(|(name, field)| (name.clone(), value(field))).collect::<Map<_, _>>().into()
}

async fn call(tool: &dyn Tool, arguments: &Value) -> Result<String, ToolError> {
    tool.call(&call_context_with(1, Arc::new(AcceptingPeople)), arguments.clone()).await.map(|output| output.text)
}

/// People who accept every form as it is.
struct AcceptingPeople;

#[async_trait::async_trait]
impl People for AcceptingPeople {
    async fn ask(&self, _: Inquiry) -> InquiryReply {
        InquiryReply::Accepted(json!({}))
    }
}
