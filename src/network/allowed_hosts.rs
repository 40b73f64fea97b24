//! Host names of the server. Requests for other host names are rejected, because a page of another site could make its
//! own host name resolve to this machine (DNS rebinding), and then sends requests for that name.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::header;

use super::Scheme;
use crate::identity::Secret;

/// Host names at which the server is reachable.
#[derive(Debug, Clone)]
pub struct AllowedHosts {
    address: SocketAddr,
    public: String,
    named: Vec<String>,
}

impl AllowedHosts {
    /// Creates the host names of a server that listens on `address`, with the `public_url` and `allowed_hosts`
    /// settings.
    pub fn new(public_url: Option<&str>, allowed_hosts: &[String], address: SocketAddr) -> Self {
        let listening = || {
            let ip = address.ip();
            if ip.is_unspecified() {
                format!("http://localhost:{}", address.port())
            } else {
                format!("http://{address}")
            }
        };
        let public = public_url.map_or_else(listening, |url| url.trim_end_matches('/').to_owned());
        let named = allowed_hosts.iter().map(|host| host.to_lowercase()).collect();
        Self { address, public, named }
    }

    /// Returns the URL at which people reach the server, without a trailing slash.
    pub fn public_url(&self) -> &str {
        &self.public
    }

    /// Returns the sign-in link with this code.
    pub fn sign_in_link(&self, code: &Secret) -> String {
        // Browsers do not send the part after the #, so the code appears in no log of a server or proxy.
        format!("{}/sign-in#{}", self.public, code.reveal())
    }

    /// Returns whether pages are served over TLS, so that cookies can require it.
    pub fn is_secure(&self) -> bool {
        self.public.starts_with("https://")
    }

    /// Returns whether only this machine can reach the server.
    pub fn is_loopback(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// Returns the port in the public URL, if it contains one.
    pub fn public_port(&self) -> Option<&str> {
        let (_, port) = authority(&self.public)?.rsplit_once(':')?;
        port.bytes().all(|byte| byte.is_ascii_digit()).then_some(port)
    }

    /// Returns whether a request with this host is for this server.
    pub fn accepts_host(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        self.is_named(&host) || self.is_local(&host)
    }

    /// Returns whether a page of this origin is allowed to act with its visitor's cookie, in a request with this host.
    /// The scheme matters: anyone on the network path can forge an `http` page of a host that is served over TLS.
    pub fn accepts_origin(&self, origin: &str, host: &str, request_scheme: Scheme) -> bool {
        let origin = origin.to_lowercase();
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let is_encrypted = scheme == "https" || scheme == "http" && !self.is_https(authority, request_scheme);
        is_encrypted && (authority == host.to_lowercase() || self.is_named(authority))
    }

    /// Returns whether a request for this host used TLS, according to a trusted proxy or `public_url`.
    pub fn is_https(&self, host: &str, request_scheme: Scheme) -> bool {
        request_scheme == Scheme::Https || self.is_secure() && !self.is_local(&host.to_lowercase())
    }

    /// Returns a warning for operators at startup if other machines can reach the server and nothing indicates TLS,
    /// otherwise `None`.
    pub fn warning(&self) -> Option<&'static str> {
        let is_open = !self.is_loopback() && !self.is_secure();
        is_open.then_some(
            "other machines can reach this server without TLS, so tokens and cookies can be read on the network; put a \
             proxy with TLS in front of it and set public_url to its https:// address",
        )
    }

    fn is_named(&self, host: &str) -> bool {
        authority(&self.public.to_lowercase()) == Some(host) || self.named.iter().any(|named| named == host)
    }

    fn is_local(&self, host: &str) -> bool {
        // A host header omits port 80.
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
        // A numeric address needs no DNS, so DNS rebinding cannot affect it. A server that listens on the unspecified
        // address has every address of this machine.
        ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified()
    }
}

/// Returns the host of a request: the authority of its target, which HTTP/2 always has, or its `Host` header. Returns
/// `None` if it has no host, or two different ones.
pub(crate) fn requested_host(request: &Request) -> Option<&str> {
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

    fn hosts(listen: &str, public_url: Option<&str>, allowed: &[&str]) -> AllowedHosts {
        let allowed: Vec<String> = allowed.iter().map(|host| (*host).to_owned()).collect();
        AllowedHosts::new(public_url, &allowed, listen.parse().expect("an address"))
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
        let requested_host = |uri: &str, hosts: &[&str]| {
            let mut request = Request::builder().uri(uri);
            for host in hosts {
                request = request.header("host", *host);
            }
            let request = request.body(axum::body::Body::empty()).expect("a request");
            super::requested_host(&request).map(str::to_owned)
        };
        assert_eq!(requested_host("/", &["a"]).as_deref(), Some("a"));
        assert_eq!(requested_host("http://a/", &[]).as_deref(), Some("a"), "as HTTP/2 has it");
        assert_eq!(requested_host("http://a/", &["A"]).as_deref(), Some("A"));
        assert_eq!(requested_host("http://evil/", &["a"]), None);
        assert_eq!(requested_host("/", &["a", "evil"]), None);
        assert_eq!(requested_host("/", &[]), None);
    }
}
