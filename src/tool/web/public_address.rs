//! Addresses that web tools may open. The results of a search service are untrusted, so they must not lead the server
//! to its own machine, its local network, or the metadata service of its cloud.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// DNS resolver that returns only addresses of the public internet. The connection goes to the checked address, so a
/// name that resolves to another address a moment later cannot bypass the check.
pub(super) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            match public.is_empty() {
                true => Err("the name has no public address".into()),
                false => Ok(Box::new(public.into_iter()) as Addrs),
            }
        })
    }
}

/// Returns whether a page may be opened, judged by its URL alone. Names are checked when they are resolved. With
/// `private`, private addresses are allowed too.
pub(super) fn is_allowed(url: &Url, private: bool) -> bool {
    let is_web = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    is_web
        && url.host_str().is_some_and(|host| match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(ip) => private || is_public(ip),
            Err(_) => true,
        })
}

/// Returns whether an address belongs to the public internet. IANA's registries of special-purpose addresses (RFC 6890)
/// list those that do not.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || ip.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19));
    !is_special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    if let Some(ip) = ip.to_ipv4_mapped() {
        return is_public_v4(ip);
    }
    let parts = ip.segments();
    match parts {
        // Translated addresses (RFC 6052) and 6to4 (RFC 3056) contain an IPv4 address.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        // Teredo, documentation, benchmarking and similar ranges.
        [0x2001, 0..0x200, ..] | [0x2001, 0xdb8, ..] => false,
        // All allocated public addresses are in 2000::/3.
        _ => parts[0] & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_is_open() {
        let open = [
            "https://example.org/a",
            "http://93.184.215.14/",
            "https://[2606:2800:21f:cb07::1]/",
            "http://8.8.8.8:8080/",
        ];
        let shut = [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://10.1.2.3/",
            "http://192.168.0.1/",
            "http://172.20.0.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[2002:7f00:1::]/",
            "http://[fe80::1]/",
            "http://[fd00::1]/",
            "https://ann:secret@example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
        ];
        for (urls, expected) in [(&open[..], true), (&shut[..], false)] {
            for url in urls {
                assert_eq!(is_allowed(&Url::parse(url).expect("a valid URL"), false), expected, "{url}");
            }
        }
        assert!(is_allowed(&Url::parse("http://127.0.0.1:1/").expect("a valid URL"), true));
    }

    #[tokio::test]
    async fn a_name_of_this_machine_has_no_address() {
        assert!(PublicResolver.resolve("localhost".parse().expect("a valid name")).await.is_err());
    }
}
