//! Lists of IP networks, as operators write them.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// IP networks: CIDR blocks, or single addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IpNetworks(Vec<IpNet>);

impl IpNetworks {
    /// Parses networks, each a CIDR block or one address.
    ///
    /// # Errors
    /// Fails with a message that names the first entry that is neither.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        let read = |text: &String| {
            let network = IpNet::from_str(text).or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
            network
                .map(|network| network.trunc())
                .map_err(|_| format!("{text:?} is not a network; use for example 10.0.0.0/8, fd00::/8 or one address"))
        };
        Ok(Self(texts.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Returns whether there is no network.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of networks.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether an address is in one of the networks. An IPv4 address inside IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns whether each of the other networks is inside one of these.
    pub fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|inner| self.0.iter().any(|network| network.contains(inner)))
    }

    /// Returns the networks as CIDR blocks.
    pub fn to_texts(&self) -> Vec<String> {
        self.0.iter().map(IpNet::to_string).collect()
    }
}

impl Serialize for IpNetworks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_texts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for IpNetworks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&Vec::<String>::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::IpNetworks;

    fn networks(texts: &[&str]) -> IpNetworks {
        IpNetworks::parse(&texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()).expect("are networks")
    }

    #[test]
    fn addresses_are_in_their_networks() {
        let list = networks(&["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"]);
        for inside in ["10.1.2.3", "2001:db8::5", "192.0.2.7", "::ffff:10.0.0.1"] {
            assert!(list.contains(inside.parse().expect("an address")), "{inside}");
        }
        for outside in ["11.0.0.1", "192.0.2.8", "2001:db9::1"] {
            assert!(!list.contains(outside.parse().expect("an address")), "{outside}");
        }
        assert_eq!(networks(&["10.1.2.3/8", "::1"]).to_texts(), ["10.0.0.0/8", "::1/128"]);
    }

    #[test]
    fn networks_cover_what_is_inside_them() {
        let list = networks(&["10.0.0.0/8", "192.0.2.7"]);
        assert!(list.covers(&networks(&["10.4.0.0/16", "192.0.2.7"])) && list.covers(&networks(&[])));
        assert!(!list.covers(&networks(&["10.0.0.0/7"])) && !list.covers(&networks(&["192.0.2.0/24"])));
        assert!(!networks(&[]).covers(&list));
    }

    #[test]
    fn other_texts_are_rejected() {
        for bad in ["", "localhost", "10.0.0.0/33", "10.0.0", "*"] {
            assert!(IpNetworks::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }
}
