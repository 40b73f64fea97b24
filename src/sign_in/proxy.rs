//! Sign-in through a header of a reverse proxy that authenticates people itself.

use std::collections::{BTreeSet, HashSet};
use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::role_of;
use super::{ExternalPerson, OidcError, ServerRoleSettings, SessionRoleSettings};
use crate::identity::ServerRole;
use crate::ip_networks::IpNetworks;

/// Maximum length of a header, in bytes.
const MAX_HEADER_BYTES: usize = 8192;
/// Maximum length of the id of a person, in bytes, as for a subject in OpenID Connect.
const MAX_SUBJECT_BYTES: usize = 255;
/// Maximum number of addresses whose ignored headers are recorded. Each address is recorded only once.
const MAX_NOTED_PEERS: usize = 1000;

/// Sign-in through a header of a reverse proxy that authenticates people. Off unless `header` is set.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProxySignInSettings {
    /// Header with the id of the person, for example `X-Forwarded-User`. The proxy must remove this header from the
    /// requests of its clients. If absent, this sign-in method is off.
    pub header: Option<String>,
    /// Networks of the proxies whose headers are accepted: CIDR blocks or addresses, for example `["10.0.0.5"]`.
    /// Headers in connections from other addresses are ignored.
    pub from: Vec<String>,
    /// Header with the name of a new person, for example `X-Forwarded-Preferred-Username`. If absent, the name is the
    /// id, without the part after an `@`.
    pub name_header: Option<String>,
    /// Header with the groups of the person, separated by commas, for example `X-Forwarded-Groups`.
    pub groups_header: Option<String>,
    /// Groups that determine the server role at each sign-in. If all lists are empty, a sign-in does not change roles.
    pub roles: ServerRoleSettings,
    /// Groups that grant a role in every session of the server, for example to auditors. The role is set at each
    /// sign-in.
    pub session_roles: SessionRoleSettings,
    /// Server role of people who are in none of these groups, and of new people. Default `member`.
    pub default_role: ServerRole,
    /// Groups whose members can sign in. If empty, membership in a group is not required.
    pub allowed_groups: Vec<String>,
    /// True to create a participant for everyone whom the proxy names. Otherwise, only people who were imported or have
    /// signed in before can sign in. Default true.
    pub create_people: bool,
}

impl Default for ProxySignInSettings {
    fn default() -> Self {
        Self {
            header: None,
            from: vec![],
            name_header: None,
            groups_header: None,
            roles: ServerRoleSettings::default(),
            session_roles: SessionRoleSettings::default(),
            default_role: ServerRole::Member,
            allowed_groups: vec![],
            create_people: true,
        }
    }
}

impl ProxySignInSettings {
    /// Returns whether the person's groups allow them to sign in.
    pub fn allows(&self, person: &ExternalPerson) -> bool {
        self.allowed_groups.is_empty() || person.is_in(&self.allowed_groups)
    }

    /// Returns the server role that the person's groups grant. Returns `None` if no groups are configured, or if the
    /// proxy does not state the person's groups.
    pub fn role(&self, person: &ExternalPerson) -> Option<ServerRole> {
        role_of(&self.roles, self.default_role, person)
    }
}

/// Reverse proxies that sign people in.
pub struct ProxySignIn {
    settings: ProxySignInSettings,
    from: IpNetworks,
    header: HeaderName,
    name_header: Option<HeaderName>,
    groups_header: Option<HeaderName>,
    noted: Mutex<HashSet<IpAddr>>,
}

impl ProxySignIn {
    /// Issuer of the accounts of these people.
    pub const ISSUER: &'static str = "proxy";

    /// Creates the sign-in of these settings, or `None` if it is off.
    ///
    /// # Errors
    /// Fails with the invalid setting, in a message for the operator.
    pub fn new(settings: &ProxySignInSettings) -> Result<Option<Self>, String> {
        let Some(header) = &settings.header else { return Ok(None) };
        let name = |setting: &str, text: &String| {
            let name = HeaderName::from_bytes(text.to_lowercase().as_bytes());
            name.map_err(|_| {
                format!("{setting}: {text:?} is not the name of a header; use for example X-Forwarded-User")
            })
        };
        let from = IpNetworks::parse(&settings.from).map_err(|error| format!("from: {error}"))?;
        if from.is_empty() {
            return Err("from: it is empty; list the addresses of the proxies, for example [\"10.0.0.5\"]".into());
        }
        let optional = |setting, text: &Option<String>| text.as_ref().map(|text| name(setting, text)).transpose();
        Ok(Some(Self {
            header: name("header", header)?,
            name_header: optional("name_header", &settings.name_header)?,
            groups_header: optional("groups_header", &settings.groups_header)?,
            settings: settings.clone(),
            from,
            noted: Mutex::default(),
        }))
    }

    /// Returns the settings.
    pub fn settings(&self) -> &ProxySignInSettings {
        &self.settings
    }

    /// Returns the person whom the proxy names. Returns `None` if the header is absent or empty, or if the peer of the
    /// connection is not a listed proxy, because the header counts only from listed proxies.
    ///
    /// # Errors
    /// Fails with `invalid` if a listed proxy sends a header twice, or a header that is too long or contains invalid
    /// characters.
    pub fn person(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Result<Option<ExternalPerson>, OidcError> {
        if !self.trusts(peer) {
            return Ok(None);
        }
        let Some(subject) = single_header(headers, &self.header)? else { return Ok(None) };
        if subject.len() > MAX_SUBJECT_BYTES {
            return Err(OidcError::Invalid);
        }
        let value = |name: &Option<HeaderName>| name.as_ref().map_or(Ok(None), |name| single_header(headers, name));
        let (name, groups) = (value(&self.name_header)?, value(&self.groups_header)?);
        let local = subject.split_once('@').map_or(subject, |(local, _)| local);
        // An empty header means that the person is not, or no longer, in any group. Only an absent header leaves the
        // groups unknown.
        let stated = self.groups_header.as_ref().is_some_and(|name| headers.contains_key(name));
        let groups = groups.or(stated.then_some("")).map(|text| {
            let groups = text.split(',').map(str::trim).filter(|group| !group.is_empty());
            groups.map(str::to_owned).collect::<BTreeSet<_>>()
        });
        Ok(Some(ExternalPerson {
            subject: subject.to_owned(),
            names: name.into_iter().chain([local, subject]).map(str::to_owned).collect(),
            groups,
            verified_domain: None,
        }))
    }

    /// Returns whether a request has a header that is ignored because the peer is not a listed proxy. Returns true only
    /// once for each peer.
    pub fn is_new_stranger(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> bool {
        let Some(peer) = peer.filter(|peer| !self.trusts(Some(*peer)) && headers.contains_key(&self.header)) else {
            return false;
        };
        let mut noted = self.noted.lock();
        noted.len() < MAX_NOTED_PEERS && noted.insert(peer)
    }

    fn trusts(&self, peer: Option<IpAddr>) -> bool {
        peer.is_some_and(|peer| self.from.contains(peer))
    }
}

/// Returns the value of a header without surrounding spaces, or `None` if the header is absent or empty.
fn single_header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, OidcError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    // If there are two values, one of them could come from the client.
    if values.next().is_some() || value.len() > MAX_HEADER_BYTES {
        return Err(OidcError::Invalid);
    }
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| OidcError::Invalid)?.trim();
    if text.contains(char::is_control) {
        return Err(OidcError::Invalid);
    }
    Ok((!text.is_empty()).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy() -> ProxySignIn {
        let settings = ProxySignInSettings {
            header: Some("X-Forwarded-User".into()),
            from: vec!["10.0.0.5".into()],
            groups_header: Some("X-Forwarded-Groups".into()),
            ..ProxySignInSettings::default()
        };
        ProxySignIn::new(&settings).expect("is valid").expect("is on")
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().expect("a value"));
        }
        headers
    }

    const PROXY: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 5)));
    const STRANGER: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 6)));

    #[test]
    fn only_a_listed_peer_names_people() {
        let (proxy, ann) =
            (proxy(), headers(&[("x-forwarded-user", "ann@example.org"), ("x-forwarded-groups", "a, b,")]));
        let person = proxy.person(PROXY, &ann).expect("is valid").expect("is named");
        assert_eq!((&*person.subject, &*person.names[0]), ("ann@example.org", "ann"));
        assert_eq!(person.groups, Some(["a".to_owned(), "b".to_owned()].into()));
        let without =
            proxy.person(PROXY, &headers(&[("x-forwarded-user", "ann")])).expect("is valid").expect("is named");
        assert_eq!(without.groups, None, "nothing is said about them");
        let empty = headers(&[("x-forwarded-user", "ann"), ("x-forwarded-groups", "")]);
        let none = proxy.person(PROXY, &empty).expect("is valid").expect("is named");
        assert_eq!(none.groups, Some(BTreeSet::new()), "the last one was taken away");
        assert_eq!(proxy.person(STRANGER, &ann), Ok(None));
        assert_eq!(proxy.person(None, &ann), Ok(None));
        assert_eq!(proxy.person(PROXY, &headers(&[("x-forwarded-user", " ")])), Ok(None));
        assert!(proxy.is_new_stranger(STRANGER, &ann), "it is recorded");
        assert!(!proxy.is_new_stranger(STRANGER, &ann) && !proxy.is_new_stranger(PROXY, &ann), "it is recorded once");
    }

    #[test]
    fn a_header_that_is_there_twice_or_unreadable_is_refused() {
        let proxy = proxy();
        let twice = headers(&[("x-forwarded-user", "ann"), ("x-forwarded-user", "root")]);
        assert_eq!(proxy.person(PROXY, &twice), Err(OidcError::Invalid));
        let groups = headers(&[("x-forwarded-user", "ann"), ("x-forwarded-groups", "a"), ("x-forwarded-groups", "b")]);
        assert_eq!(proxy.person(PROXY, &groups), Err(OidcError::Invalid));
        let mut bytes = headers(&[]);
        bytes.append("x-forwarded-user", axum::http::HeaderValue::from_bytes(b"\xff").expect("a value"));
        assert_eq!(proxy.person(PROXY, &bytes), Err(OidcError::Invalid));
    }

    #[test]
    fn it_is_off_without_a_header_and_needs_addresses() {
        assert!(ProxySignIn::new(&ProxySignInSettings::default()).expect("is valid").is_none());
        for (header, from) in [("X-User", vec![]), ("X User", vec!["10.0.0.5"]), ("X-User", vec!["proxy"])] {
            let from = from.into_iter().map(str::to_owned).collect();
            let settings = ProxySignInSettings { header: Some(header.into()), from, ..ProxySignInSettings::default() };
            assert!(ProxySignIn::new(&settings).is_err(), "{header}");
        }
    }
}
