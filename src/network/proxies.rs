//! Address and scheme of the client, from the connection and from forwarding headers of trusted proxies.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::{HeaderMap, HeaderName, header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ip_networks::IpNetworks;

/// IP address of the client that sent a request, as a request extension. Behind a trusted proxy, it is the address of
/// the proxy's client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

/// IP address of the other end of the connection, as a request extension. If there is a proxy, it is the address of the
/// proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

impl ClientAddress {
    /// Returns the key of limits per address: an IPv4 address, or the /64 network of an IPv6 address, because one
    /// client usually has the whole network.
    pub fn network(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        }
    }
}

/// Scheme under which the client sent a request, as a request extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Without TLS, as far as trusted proxies report.
    Http,
    /// Over TLS, as a trusted proxy reports.
    Https,
}

/// Header in which trusted proxies report their clients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`, with `X-Forwarded-Proto` for the scheme.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// Networks of the proxies whose forwarding headers are trusted.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies {
    networks: IpNetworks,
    header: ForwardedHeader,
}

/// Entry of a forwarding header: a client, as the next proxy saw it. Parts that cannot be parsed are absent.
#[derive(Debug, Default)]
struct Hop {
    address: Option<IpAddr>,
    scheme: Option<Scheme>,
}

impl TrustedProxies {
    /// Creates the trusted proxies in these networks, which set this header. A network is a CIDR block or one address.
    ///
    /// # Errors
    /// Fails with a message that contains the first entry that is neither.
    pub fn new(networks: &[String], header: ForwardedHeader) -> Result<Self, String> {
        Ok(Self { networks: IpNetworks::parse(networks)?, header })
    }

    /// Returns whether the forwarding headers of this peer are trusted.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        self.networks.contains(peer)
    }

    /// Returns the client behind a connection. Each proxy appends the address that it sees, so entries are read from
    /// the right, as long as they come from a trusted proxy. Any client could have written the entries further to the
    /// left.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> (ClientAddress, Scheme) {
        let mut client = peer.to_canonical();
        let mut scheme = Scheme::Http;
        let mut hops = self.hops(headers).into_iter().rev();
        while self.trusts(client) {
            let Some(hop) = hops.next() else { break };
            scheme = hop.scheme.unwrap_or(scheme);
            let Some(address) = hop.address else { break };
            client = address;
        }
        (ClientAddress(client), scheme)
    }

    fn hops(&self, headers: &HeaderMap) -> Vec<Hop> {
        match self.header {
            ForwardedHeader::XForwardedFor => x_forwarded(headers),
            ForwardedHeader::Forwarded => list(headers, &header::FORWARDED).iter().map(|hop| forwarded(hop)).collect(),
        }
    }
}

/// Parses the entries of `X-Forwarded-For`. Most proxies overwrite `X-Forwarded-Proto` instead of appending to it, so
/// it can have fewer entries. Its last entry belongs to the last hop, and its first entry also applies to all earlier
/// hops.
fn x_forwarded(headers: &HeaderMap) -> Vec<Hop> {
    let addresses = list(headers, &HeaderName::from_static("x-forwarded-for"));
    let schemes = list(headers, &HeaderName::from_static("x-forwarded-proto"));
    let count = addresses.len().max(schemes.len());
    let hop = |from_right: usize| Hop {
        address: addresses.iter().rev().nth(from_right).and_then(|text| address(text)),
        scheme: schemes.iter().rev().nth(from_right).or_else(|| schemes.first()).and_then(|text| scheme(text)),
    };
    (0..count).rev().map(hop).collect()
}

/// Parses one element of `Forwarded`.
fn forwarded(element: &str) -> Hop {
    let mut hop = Hop::default();
    for (name, value) in element.split(';').filter_map(|pair| pair.split_once('=')) {
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "for" => hop.address = address(value),
            "proto" => hop.scheme = scheme(value),
            _ => {}
        }
    }
    hop
}

/// Returns the elements of a list header, over all its lines. A line that is not text counts as one invalid element.
/// Otherwise, the element to the left of the line would be taken for the last one.
fn list<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or("unreadable"));
    lines.flat_map(|line| line.split(',')).map(str::trim).collect()
}

/// Parses an address with or without a port: `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let socket = || text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(socket).map(|address: IpAddr| address.to_canonical())
}

fn scheme(text: &str) -> Option<Scheme> {
    match text.to_ascii_lowercase().as_str() {
        "https" | "wss" => Some(Scheme::Https),
        "http" | "ws" => Some(Scheme::Http),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(header: ForwardedHeader, peer: &str, lines: &[(&'static str, &str)]) -> (String, Scheme) {
        let networks = ["10.0.0.0/8".to_owned(), "::1".to_owned()];
        let proxies = TrustedProxies::new(&networks, header).expect("are networks");
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().expect("a value"));
        }
        let (ClientAddress(address), scheme) = proxies.client(peer.parse().expect("an address"), &headers);
        (address.to_string(), scheme)
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        let lines = [("x-forwarded-for", "192.0.2.1"), ("x-forwarded-proto", "https")];
        let x = ForwardedHeader::XForwardedFor;
        assert_eq!(client(x, "10.1.2.3", &lines), ("192.0.2.1".into(), Scheme::Https));
        assert_eq!(client(x, "::ffff:10.1.2.3", &lines), ("192.0.2.1".into(), Scheme::Https));
        assert_eq!(client(x, "::1", &lines), ("192.0.2.1".into(), Scheme::Https));
        assert_eq!(client(x, "203.0.113.9", &lines), ("203.0.113.9".into(), Scheme::Http));
        assert_eq!(client(x, "::ffff:203.0.113.9", &lines), ("203.0.113.9".into(), Scheme::Http));
        let nobody = TrustedProxies::default();
        assert!(!nobody.trusts(IpAddr::from([127, 0, 0, 1])), "loopback is not trusted by itself");
    }

    #[test]
    fn entries_are_read_from_the_right_through_trusted_proxies_only() {
        let x = ForwardedHeader::XForwardedFor;
        let through = |value: &str| client(x, "10.0.0.1", &[("x-forwarded-for", value)]).0;
        assert_eq!(through("1.1.1.1, 192.0.2.1"), "192.0.2.1", "the left one anybody may have sent");
        assert_eq!(through("1.1.1.1, 192.0.2.1, 10.0.0.2"), "192.0.2.1");
        assert_eq!(through("10.0.0.3, 10.0.0.2"), "10.0.0.3", "all are proxies: the first of them");
        assert_eq!(through("1.1.1.1, nonsense, 10.0.0.2"), "10.0.0.2", "nothing is known beyond what cannot be read");
        assert_eq!(through("1.1.1.1,"), "10.0.0.1");
        assert_eq!(through("192.0.2.1:4711"), "192.0.2.1");
        assert_eq!(through("[2001:db8::7]:4711"), "2001:db8::7");
        assert_eq!(through("::ffff:192.0.2.1"), "192.0.2.1");
        let lines = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "192.0.2.1")];
        assert_eq!(client(x, "10.0.0.1", &lines).0, "192.0.2.1", "a second line continues the first");
    }

    #[test]
    fn the_header_that_the_proxies_do_not_set_is_not_read() {
        // A proxy that sets one of the headers passes the other one on as its client sent it.
        let lines = [("x-forwarded-for", "192.0.2.1"), ("forwarded", "for=1.1.1.1;proto=https")];
        assert_eq!(client(ForwardedHeader::XForwardedFor, "10.0.0.1", &lines), ("192.0.2.1".into(), Scheme::Http));
        let lines = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-proto", "https"), ("forwarded", "for=192.0.2.1")];
        assert_eq!(client(ForwardedHeader::Forwarded, "10.0.0.1", &lines), ("192.0.2.1".into(), Scheme::Http));
    }

    #[test]
    fn forwarded_is_read_as_its_standard_says() {
        let through = |value: &str| client(ForwardedHeader::Forwarded, "10.0.0.1", &[("forwarded", value)]);
        assert_eq!(through("For=\"[2001:db8::7]:80\"; Proto=https"), ("2001:db8::7".into(), Scheme::Https));
        assert_eq!(through("for=1.1.1.1;proto=https, for=192.0.2.1;proto=http"), ("192.0.2.1".into(), Scheme::Http));
        assert_eq!(through("for=1.1.1.1, for=unknown").0, "10.0.0.1");
        assert_eq!(through("for=1.1.1.1, for=_hidden").0, "10.0.0.1");
        assert_eq!(through("for=192.0.2.1;proto=https, for=10.0.0.2"), ("192.0.2.1".into(), Scheme::Https));
    }

    #[test]
    fn the_scheme_belongs_to_the_hop_of_the_client() {
        let x = ForwardedHeader::XForwardedFor;
        let through = |addresses: &str, schemes: &str| {
            client(x, "10.0.0.1", &[("x-forwarded-for", addresses), ("x-forwarded-proto", schemes)]).1
        };
        assert_eq!(through("192.0.2.1, 10.0.0.2", "https, http"), Scheme::Https);
        assert_eq!(through("192.0.2.1, 10.0.0.2", "https"), Scheme::Https);
        assert_eq!(through("192.0.2.1", "https, http"), Scheme::Http, "the left one anybody may have sent");
        assert_eq!(through("192.0.2.1", "nonsense"), Scheme::Http);
    }

    #[test]
    fn a_network_that_cannot_be_read_is_named() {
        for bad in ["10.0.0.0/33", "proxy", "", "10.0.0.0/8, ::1"] {
            let error = TrustedProxies::new(&[bad.to_owned()], ForwardedHeader::default()).expect_err(bad);
            assert!(error.contains(bad), "{error}");
        }
    }
}
