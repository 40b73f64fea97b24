//! The files in `deploy/` match the program: their settings exist, stop timeouts are long enough, and proxies accept
//! everything that the program accepts.

use std::fs;
use std::path::Path;

use roundtable::config::{Config, ConfigInput, load};

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)).expect("is there")
}

#[test]
fn every_setting_that_is_set_exists() {
    for name in ["Dockerfile", "compose.yaml", "roundtable.service", "kubernetes/roundtable.yaml"] {
        let text = file(name);
        let words = text.split(|letter: char| !letter.is_ascii_uppercase() && letter != '_');
        let variables: Vec<&str> = words.filter(|word| word.starts_with("ROUNDTABLE_")).collect();
        assert!(!variables.is_empty(), "{name}");
        for variable in variables {
            let given =
                ConfigInput { environment: vec![(variable.to_owned(), "x".to_owned())], ..ConfigInput::default() };
            let wrong = load(&given).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!wrong.contains("no such setting"), "{name}: {wrong}");
        }
    }
}

/// Returns the number that follows this word.
fn number(name: &str, word: &str) -> u64 {
    let text = file(name);
    let (_, rest) = text.split_once(word).unwrap_or_else(|| panic!("{name} has no {word}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn stop_timeouts_allow_for_draining() {
    let config = Config::default();
    // The time for draining, plus the time for exporting the last traces.
    let drain = config.http.drain_seconds + config.socket.drain_ms.div_ceil(1000) + 2;
    assert!(number("roundtable.service", "TimeoutStopSec=") > drain);
    assert!(number("compose.yaml", "stop_grace_period: ") > drain);
    let before = number("kubernetes/roundtable.yaml", "[\"sleep\", \"");
    assert!(number("kubernetes/roundtable.yaml", "terminationGracePeriodSeconds: ") > before + drain);
}

/// Behind another proxy, the addresses of clients come from that proxy's header. By default, the file must not trust
/// any proxy.
#[test]
fn nginx_takes_the_address_of_a_client_only_from_a_listed_proxy() {
    let text = file("nginx/nginx.conf");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert!(lines.contains(&"real_ip_header X-Forwarded-For;") && lines.contains(&"real_ip_recursive on;"), "{text}");
    assert!(lines.iter().any(|line| line.starts_with("# set_real_ip_from ")), "operators uncomment a line");
    assert!(!lines.iter().any(|line| line.starts_with("set_real_ip_from ")), "no proxy is trusted by default");
    assert!(
        lines.iter().any(|line| line.starts_with("limit_conn_zone $binary_remote_addr ")),
        "each client has a limit"
    );
}

#[test]
fn the_proxy_accepts_everything_that_the_server_accepts() {
    let config = Config::default();
    let largest = [config.files.max_file_bytes, config.knowledge.max_document_bytes, config.http.max_body_bytes];
    let word = "client_max_body_size ";
    let mebibytes = number("nginx/nginx.conf", word);
    assert!(file("nginx/nginx.conf").contains(&format!("{word}{mebibytes}m;")));
    for bytes in largest {
        assert!(mebibytes * 1024 * 1024 > bytes as u64, "{bytes}");
    }
}

#[test]
fn no_example_has_a_password() {
    for name in ["Dockerfile", "compose.yaml", "roundtable.service", "kubernetes/roundtable.yaml", "nginx/nginx.conf"] {
        for line in file(name).lines().map(str::trim) {
            let says = |word: &str| line.to_lowercase().contains(word);
            // A password from the environment must not have a default here; comments explain how to generate one.
            let named = says("password") || says("requirepass") || says("://");
            let has_default = line.contains(":-") && says("password");
            let written = named && !line.starts_with('#') && line.split("://").skip(1).any(has_password);
            assert!(!has_default && !written && !says("change-me"), "{name}: {line}");
        }
    }
}

/// Returns whether the text after a URL scheme has a password before the host.
fn has_password(rest: &str) -> bool {
    let Some((user, _)) = rest.split(['/', ' ']).next().unwrap_or_default().rsplit_once('@') else { return false };
    user.split_once(':').is_some_and(|(_, password)| !password.is_empty() && !password.starts_with("${"))
}

/// Splits a text at the lines with this indentation. Returns each part with its first line.
fn parts<'a>(text: &'a str, indentation: &str) -> Vec<(&'a str, String)> {
    let mut parts: Vec<(&str, String)> = vec![];
    for line in text.lines() {
        match (line.strip_prefix(indentation), parts.last_mut()) {
            (Some(name), _) if name.starts_with(|first: char| first.is_ascii_lowercase()) => {
                parts.push((name.trim_end_matches(':'), String::new()));
            }
            (_, Some((_, part))) => part.push_str(&format!("{line}\n")),
            _ => {}
        }
    }
    parts
}

#[test]
fn every_example_limits_the_resources_of_the_server() {
    let text = file("roundtable.service");
    for limit in ["MemoryMax=", "CPUQuota=", "TasksMax=", "LimitNOFILE=", "NoNewPrivileges=yes"] {
        assert!(text.lines().any(|line| line.starts_with(limit)), "roundtable.service has no {limit}");
    }

    let text = file("compose.yaml");
    let (before, rest) = text.split_once("\nservices:\n").expect("services");
    let (node, (services, _)) =
        (before.split_once("x-node:").expect("a node").1, rest.split_once("\nnetworks:\n").expect("networks"));
    let services = parts(services, "  ");
    assert!(services.len() >= 5, "{services:?}");
    for (name, service) in services {
        let whole = if service.contains("<<: *node") { format!("{node}{service}") } else { service };
        for limit in ["mem_limit: ", "pids_limit: ", "no-new-privileges:true", "networks: "] {
            assert!(whole.contains(limit), "{name} has no {limit}");
        }
    }

    let text = file("kubernetes/roundtable.yaml");
    let deployment = text.split("\n---\n").find(|one| one.contains("kind: Deployment")).expect("a deployment");
    let limits = deployment.lines().find(|line| line.trim().starts_with("limits: ")).expect("limits");
    for limit in ["cpu: ", "memory: ", "ephemeral-storage: "] {
        assert!(limits.contains(limit), "{limit}");
    }
    for bound in ["allowPrivilegeEscalation: false", "readOnlyRootFilesystem: true", "drop: [ALL]"] {
        assert!(deployment.contains(bound), "{bound}");
    }
}

#[test]
fn only_nodes_reach_the_stores_and_agents_reach_no_internal_service() {
    let text = file("compose.yaml");
    let (_, networks) = text.split_once("\nnetworks:\n").expect("networks");
    assert!(networks.contains("  back: { internal: true }"), "the stores' network has a way out");
    let (_, services) = text.split_once("\nservices:\n").expect("services");
    for (name, service) in parts(services.split("\nnetworks:\n").next().unwrap_or_default(), "  ") {
        if ["postgres", "redis"].contains(&name) {
            assert!(service.contains("networks: [back]") && !service.contains("ports:"), "{name} is reached");
        }
    }

    let text = file("kubernetes/roundtable.yaml");
    let policies: Vec<&str> = text.split("\n---\n").filter(|one| one.contains("kind: NetworkPolicy")).collect();
    let [nodes, stores] = policies[..] else { panic!("two policies: {policies:?}") };
    assert!(nodes.contains("policyTypes: [Ingress, Egress]"));
    assert!(nodes.contains("podSelector:\n    matchLabels: { app.kubernetes.io/name: roundtable }"));
    let (_, metrics) = nodes.split_once("- ports: [{ port: metrics }]").expect("metrics");
    assert!(metrics.trim_start().starts_with("from:"), "whoever reaches the metrics is named");
    let outside = nodes.lines().find(|line| line.trim().starts_with("except: ")).expect("exceptions");
    for inside in ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"] {
        assert!(outside.contains(inside), "agents reach {inside}");
    }
    assert!(stores.contains("values: [postgres, redis]") && stores.contains("policyTypes: [Ingress]"));
    assert!(stores.contains("- from: [{ podSelector: { matchLabels: { app.kubernetes.io/name: roundtable } } }]"));
    assert_eq!(stores.matches("- from:").count(), 1);
}
