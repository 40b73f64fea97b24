//! Under which names the server may be reached. A page of another site that makes its own name resolve to this machine
//! (DNS rebinding) speaks to us with its own name as host, and is refused by that.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::header;

use super::Scheme;
use crate::config::Config;
use crate::identity::Secret;

/// The names under which the server may be reached.
#[derive(Debug, Clone)]
pub struct Hosts {
    address: SocketAddr,
    public: String,
    named: Vec<String>,
}

impl Hosts {
    /// Those of a server that listens on `address`.
    pub fn new(config: &Config, address: SocketAddr) -> Self {
        let listening = || {
            let ip = address.ip();
            if ip.is_unspecified() {
                format!("http://localhost:{}", address.port())
            } else {
                format!("http://{address}")
            }
        };
        let public = config.public_url.clone().map_or_else(listening, |url| url.trim_end_matches('/').to_owned());
        let named = config.allowed_hosts.iter().map(|host| host.to_lowercase()).collect();
        Self { address, public, named }
    }

    /// How people reach the server, without a slash at the end.
    pub fn public_url(&self) -> &str {
        &self.public
    }

    /// The link that uses this code.
    pub fn sign_in_link(&self, code: &Secret) -> String {
        // Behind the # it reaches no server's and no proxy's log.
        format!("{}/sign-in#{}", self.public, code.reveal())
    }

    /// Whether pages come over TLS, so that cookies may insist on it.
    pub fn is_secure(&self) -> bool {
        self.public.starts_with("https://")
    }

    /// Whether only this machine can reach the server.
    pub fn is_loopback(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// The port in the address that people use, where it is not the usual one.
    pub fn public_port(&self) -> Option<&str> {
        let (_, port) = authority(&self.public)?.rsplit_once(':')?;
        port.bytes().all(|byte| byte.is_ascii_digit()).then_some(port)
    }

    /// Whether a request that names this host is meant for us.
    pub fn accepts_host(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        self.is_named(&host) || self.is_local(&host)
    }

    /// Whether a page of this origin may act through its visitor's cookie on a request that names `host`. The scheme
    /// counts: anybody on the way can write an `http` page of a host that is served over TLS.
    pub fn accepts_origin(&self, origin: &str, host: &str, told: Scheme) -> bool {
        let origin = origin.to_lowercase();
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let is_encrypted = scheme == "https" || scheme == "http" && !self.is_https(authority, told);
        is_encrypted && (authority == host.to_lowercase() || self.is_named(authority))
    }

    /// Whether a request for this host came over TLS: a trusted proxy says so, or `public_url` does.
    pub fn is_https(&self, host: &str, told: Scheme) -> bool {
        told == Scheme::Https || self.is_secure() && !self.is_local(&host.to_lowercase())
    }

    /// What an operator should know when the server starts: other machines reach it, and nothing says that they do so
    /// over TLS.
    pub fn warning(&self) -> Option<&'static str> {
        let is_open = !self.is_loopback() && !self.is_secure();
        is_open.then_some(
            "other machines can reach this server and nothing encrypts what they send: tokens and cookies can be read \
             on the way; put a proxy with TLS in front of it and set public_url to its https:// address",
        )
    }

    fn is_named(&self, host: &str) -> bool {
        authority(&self.public.to_lowercase()) == Some(host) || self.named.iter().any(|named| named == host)
    }

    fn is_local(&self, host: &str) -> bool {
        // Port 80 is not written in a host header.
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        if name == "localhost" {
            return true;
        }
        let Ok(ip) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() else { return false };
        // A number needs no DNS, so it cannot be rebound. Listening everywhere means every address of this machine.
        ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified()
    }
}

/// The host that a request names: the authority of its target, which HTTP/2 always has, or its header `Host`. None
/// where it names none, or two.
pub(super) fn named(request: &Request) -> Option<&str> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let header = match (headers.next(), headers.next()) {
        (Some(only), None) => Some(only.to_str().ok()?),
        (None, _) => None,
        _ => return None,
    };
    match (request.uri().authority(), header) {
        (Some(target), Some(header)) => header.eq_ignore_ascii_case(target.as_str()).then_some(header),
        (Some(target), None) => Some(target.as_str()),
        (None, header) => header,
    }
}

fn authority(url: &str) -> Option<&str> {
    url.split_once("://").map(|(_, authority)| authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(listen: &str, public_url: Option<&str>, allowed: &[&str]) -> Hosts {
        let config = Config {
            public_url: public_url.map(str::to_owned),
            allowed_hosts: allowed.iter().map(|host| (*host).to_owned()).collect(),
            ..Config::default()
        };
        Hosts::new(&config, listen.parse().expect("an address"))
    }

    #[test]
    fn loopback_names_are_accepted_with_the_listening_port_only() {
        let hosts = hosts("127.0.0.1:8080", None, &[]);
        for good in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
            assert!(hosts.accepts_host(good), "{good}");
        }
        for bad in
            ["localhost", "localhost:8081", "evil.example:8080", "192.168.1.4:8080", "", ":8080", "127.0.0.1.evil:8080"]
        {
            assert!(!hosts.accepts_host(bad), "{bad}");
        }
    }

    #[test]
    fn public_and_allowed_names_are_accepted() {
        let hosts = hosts("0.0.0.0:8080", Some("https://round.example/"), &["other.example:8443"]);
        for good in ["round.example", "other.example:8443", "192.168.1.4:8080"] {
            assert!(hosts.accepts_host(good), "{good}");
        }
        assert!(!hosts.accepts_host("other.example"));
        assert!(hosts.is_secure());
        assert_eq!(hosts.public_port(), None);
    }

    #[test]
    fn a_page_of_another_origin_is_refused() {
        let hosts = hosts("127.0.0.1:8080", None, &[]);
        let accepts = |origin| hosts.accepts_origin(origin, "localhost:8080", Scheme::Http);
        assert!(accepts("http://localhost:8080"));
        assert!(accepts("http://127.0.0.1:8080"));
        for bad in ["http://evil.example", "null", "", "http://localhost:3000", "http://localhost:8080.evil.example"] {
            assert!(!accepts(bad), "{bad}");
        }
    }

    #[test]
    fn a_page_without_tls_is_no_page_of_a_host_with_tls() {
        let public = hosts("0.0.0.0:8080", Some("https://round.example"), &["other.example"]);
        let accepts = |origin, host| public.accepts_origin(origin, host, Scheme::Http);
        assert!(accepts("https://round.example", "round.example"));
        assert!(accepts("https://other.example", "round.example"));
        for bad in ["http://round.example", "http://other.example", "ws://round.example", "round.example"] {
            assert!(!accepts(bad, "round.example"), "{bad}");
        }
        assert!(accepts("http://192.168.1.4:8080", "192.168.1.4:8080"), "reached without the proxy");

        let plain = hosts("0.0.0.0:8080", None, &["round.example"]);
        assert!(plain.accepts_origin("http://round.example", "round.example", Scheme::Http));
        assert!(
            !plain.accepts_origin("http://round.example", "round.example", Scheme::Https),
            "a proxy says it is TLS"
        );
        assert!(plain.accepts_origin("https://round.example", "round.example", Scheme::Https));
    }

    #[test]
    fn a_server_that_others_reach_without_tls_is_warned_about() {
        assert!(hosts("0.0.0.0:8080", None, &[]).warning().is_some());
        assert!(hosts("192.168.1.4:8080", Some("http://round.example"), &[]).warning().is_some());
        assert!(hosts("0.0.0.0:8080", Some("https://round.example"), &[]).warning().is_none());
        assert!(hosts("127.0.0.1:8080", None, &[]).warning().is_none());
        assert!(hosts("[::1]:8080", None, &[]).warning().is_none());
    }

    #[test]
    fn a_request_names_one_host() {
        let named = |uri: &str, hosts: &[&str]| {
            let mut request = Request::builder().uri(uri);
            for host in hosts {
                request = request.header("host", *host);
            }
            let request = request.body(axum::body::Body::empty()).expect("a request");
            super::named(&request).map(str::to_owned)
        };
        assert_eq!(named("/", &["a"]).as_deref(), Some("a"));
        assert_eq!(named("http://a/", &[]).as_deref(), Some("a"), "as HTTP/2 has it");
        assert_eq!(named("http://a/", &["A"]).as_deref(), Some("A"));
        assert_eq!(named("http://evil/", &["a"]), None);
        assert_eq!(named("/", &["a", "evil"]), None);
        assert_eq!(named("/", &[]), None);
    }
}
