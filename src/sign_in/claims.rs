//! Claims of a person.

use std::collections::BTreeSet;

use openidconnect::{AdditionalClaims, EndUserName, LocalizedClaim};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum number of groups that are read.
const MAX_GROUPS: usize = 1000;

/// Claims that the standard does not define, by name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct OtherClaims {
    #[serde(flatten)]
    claims: Map<String, Value>,
}

impl AdditionalClaims for OtherClaims {}

impl OtherClaims {
    /// Returns the groups in this claim, which is an array of strings or one string. Returns no groups if it is
    /// anything else, and `None` if there is no such claim.
    pub(super) fn groups(&self, claim: &str) -> Option<BTreeSet<String>> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match self.claims.get(claim)? {
            Value::Array(list) => Some(list.iter().filter_map(text).take(MAX_GROUPS).collect()),
            Value::String(one) => Some([one.clone()].into()),
            _ => Some(BTreeSet::new()),
        }
    }
}

/// Person as the provider describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalPerson {
    /// Subject: id of the person, unique at the issuer.
    pub subject: String,
    /// Names, the most suitable one first. The server's rules for names can reject all of them.
    pub names: Vec<String>,
    /// Groups of the person. `None` if the provider does not state them.
    pub groups: Option<BTreeSet<String>>,
    /// Domain of the e-mail address. `None` if the provider has not verified the address.
    pub verified_domain: Option<String>,
}

impl ExternalPerson {
    /// Returns whether the person is in one of these groups.
    pub(super) fn is_in(&self, groups: &[String]) -> bool {
        self.groups.as_ref().is_some_and(|own| groups.iter().any(|group| own.contains(group)))
    }
}

/// Claims of a person from one or two sources.
#[derive(Debug, Default)]
pub(super) struct PersonClaims {
    names: Vec<String>,
    groups: Option<BTreeSet<String>>,
    email: Option<(String, bool)>,
}

/// Reads the claims of an ID token or of the user info endpoint, which do not share a type. `$groups` names the claim
/// with the groups.
macro_rules! person_claims {
    ($claims:expr, $groups:expr) => {
        $crate::sign_in::claims::PersonClaims::new(
            $claims.name(),
            $claims.preferred_username().map(|name| name.to_string()),
            $claims.email().map(|email| (email.to_string(), $claims.email_verified() == Some(true))),
            $claims.additional_claims().groups($groups),
        )
    };
}
pub(super) use person_claims;

impl PersonClaims {
    pub(super) fn new(
        name: Option<&LocalizedClaim<EndUserName>>,
        user_name: Option<String>,
        email: Option<(String, bool)>,
        groups: Option<BTreeSet<String>>,
    ) -> Self {
        let name = name.and_then(|name| name.get(None)).map(|name| name.to_string());
        Self { names: name.into_iter().chain(user_name).collect(), groups, email }
    }

    /// Returns whether a claim is missing that the user info endpoint might provide.
    pub(super) fn is_incomplete(&self) -> bool {
        self.names.is_empty() || self.groups.is_none() || self.email.is_none()
    }

    /// Adds the names of another source, and its groups and e-mail address if this source has none.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.names.extend(other.names);
        Self { names: self.names, groups: self.groups.or(other.groups), email: self.email.or(other.email) }
    }

    /// Returns the person with this subject.
    pub(super) fn person(self, subject: String) -> ExternalPerson {
        let parts = self.email.as_ref().and_then(|(email, verified)| Some((email.rsplit_once('@')?, *verified)));
        let mut names = self.names;
        names.extend(parts.map(|((local, _), _)| local.to_owned()));
        let verified_domain = parts.filter(|(_, verified)| *verified).map(|((_, domain), _)| domain.to_lowercase());
        ExternalPerson { subject, names, groups: self.groups, verified_domain }
    }
}
