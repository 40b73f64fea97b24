//! Settings of the sign-in at an OpenID provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ExternalPerson;
use crate::identity::ServerRole;
use crate::kernel::Role;
use crate::secret_text::SecretText;

/// Sign-in at an OpenID provider: its issuer, the client id and secret, and the rights of its groups.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OidcSettings {
    /// Issuer of the provider, as its discovery document states it, for example
    /// `https://login.example.org/realms/main`. If absent, sign-in at a provider is off.
    pub issuer: Option<String>,
    /// Client id of this server at the provider.
    pub client_id: String,
    /// Client secret of this server at the provider. If absent, the server is a public client, which is protected by
    /// PKCE.
    #[schemars(extend("x-secret" = "key"))]
    pub client_secret: Option<SecretText>,
    /// Name of the provider on the sign-in page, for example `Example SSO`. If empty, the host name of the issuer.
    pub label: String,
    /// Scopes to request in addition to `openid`. Default `["profile", "email"]`.
    pub scopes: Vec<String>,
    /// Claim with the groups of a person, an array of strings. Default `groups`.
    pub groups_claim: String,
    /// Groups that determine the server role at each sign-in. If all lists are empty, a sign-in does not change roles.
    pub roles: ServerRoleSettings,
    /// Groups that grant a role in every session of the server, for example to auditors. The role is set at each
    /// sign-in.
    pub session_roles: SessionRoleSettings,
    /// Server role of people who are in none of these groups, and of new people. Default `member`.
    pub default_role: ServerRole,
    /// Groups whose members can sign in. If empty, membership in a group is not required.
    pub allowed_groups: Vec<String>,
    /// Domains of verified e-mail addresses whose owners can sign in, for example `["example.org"]`. If empty, a
    /// verified domain is not required.
    pub allowed_domains: Vec<String>,
    /// True to create a participant for everyone who can sign in. Otherwise, only people who were imported with their
    /// subject or have signed in before can sign in. Default true.
    pub create_people: bool,
    /// True to also sign people out at the provider when they sign out of this server, if the provider supports this.
    /// Default true.
    pub sign_out_at_provider: bool,
    /// Timeout of a request to the provider, in seconds. At most 60, default 10.
    #[schemars(range(min = 1, max = 60))]
    pub timeout_seconds: u64,
}

/// Groups of the provider, by the server role that they grant. A person in several groups has the highest role.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerRoleSettings {
    /// Groups of administrators.
    pub admin: Vec<String>,
    /// Groups of members.
    pub member: Vec<String>,
    /// Groups of guests.
    pub guest: Vec<String>,
}

/// Groups of the provider, by the role that they grant in every session. A person in several groups has the highest
/// role.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionRoleSettings {
    /// Groups whose members control runs and invite others.
    pub member: Vec<String>,
    /// Groups whose members send messages and decide.
    pub reviewer: Vec<String>,
    /// Groups whose members watch.
    pub viewer: Vec<String>,
}

impl SessionRoleSettings {
    /// Returns the role that a person's groups grant. The outer value is `None` if the provider does not state the
    /// groups, and the inner value is `None` if the groups grant no role.
    pub fn role(&self, person: &ExternalPerson) -> Option<Option<Role>> {
        person.groups.as_ref()?;
        let lists = [(Role::Member, &self.member), (Role::Reviewer, &self.reviewer), (Role::Viewer, &self.viewer)];
        Some(lists.into_iter().find(|(_, groups)| person.is_in(groups)).map(|(role, _)| role))
    }
}

impl Default for OidcSettings {
    fn default() -> Self {
        Self {
            issuer: None,
            client_id: String::new(),
            client_secret: None,
            label: String::new(),
            scopes: vec!["profile".into(), "email".into()],
            groups_claim: "groups".into(),
            roles: ServerRoleSettings::default(),
            session_roles: SessionRoleSettings::default(),
            default_role: ServerRole::Member,
            allowed_groups: vec![],
            allowed_domains: vec![],
            create_people: true,
            sign_out_at_provider: true,
            timeout_seconds: 10,
        }
    }
}

impl ServerRoleSettings {
    fn is_empty(&self) -> bool {
        self.admin.is_empty() && self.member.is_empty() && self.guest.is_empty()
    }
}

impl OidcSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// Fails with the first invalid setting, in a message for the operator.
    pub fn check(&self) -> Result<(), String> {
        let Some(issuer) = &self.issuer else { return Ok(()) };
        let url = reqwest::Url::parse(issuer).ok().filter(|url| url.query().is_none() && url.fragment().is_none());
        let Some(url) = url else {
            return Err(format!("issuer: {issuer:?} is not a URL; use for example https://login.example.org"));
        };
        // Without TLS, anyone on the network path could sign in as anyone.
        let is_local = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        if url.scheme() != "https" && !(url.scheme() == "http" && is_local) {
            return Err(format!("issuer: {issuer:?} does not use TLS; use an https:// URL"));
        }
        if self.client_id.is_empty() {
            return Err("client_id: it is empty; set the id that the provider gave this server".into());
        }
        if let Some(domain) =
            self.allowed_domains.iter().find(|domain| domain.is_empty() || domain.contains(['@', '/']))
        {
            return Err(format!("allowed_domains: {domain:?} is not a domain; use for example example.org"));
        }
        Ok(())
    }

    /// Returns whether the person's groups and domain allow them to sign in.
    pub fn allows(&self, person: &ExternalPerson) -> bool {
        let group = self.allowed_groups.is_empty() || person.is_in(&self.allowed_groups);
        let domain = person.verified_domain.as_deref();
        let domain =
            domain.is_some_and(|domain| self.allowed_domains.iter().any(|one| one.eq_ignore_ascii_case(domain)));
        group && (self.allowed_domains.is_empty() || domain)
    }

    /// Returns the server role that the person's groups grant. Returns `None` if no groups are configured, or if the
    /// provider does not state the person's groups.
    pub fn role(&self, person: &ExternalPerson) -> Option<ServerRole> {
        role_of(&self.roles, self.default_role, person)
    }
}

/// Returns the server role that a person's groups grant, or `None` if no groups are configured or the person's groups
/// are unknown. A response without groups, for example because of a change at the provider, thus does not take away
/// anyone's role.
pub(super) fn role_of(
    roles: &ServerRoleSettings,
    default_role: ServerRole,
    person: &ExternalPerson,
) -> Option<ServerRole> {
    if roles.is_empty() || person.groups.is_none() {
        return None;
    }
    let lists =
        [(ServerRole::Admin, &roles.admin), (ServerRole::Member, &roles.member), (ServerRole::Guest, &roles.guest)];
    let given = lists.into_iter().find(|(_, groups)| person.is_in(groups)).map(|(role, _)| role);
    Some(given.unwrap_or(default_role))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(groups: &[&str], domain: Option<&str>) -> ExternalPerson {
        ExternalPerson {
            subject: "1".into(),
            names: vec![],
            groups: Some(groups.iter().map(|&group| group.to_owned()).collect()),
            verified_domain: domain.map(str::to_owned),
        }
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn the_highest_role_of_a_persons_groups_counts() {
        let roles = ServerRoleSettings { admin: texts(&["ops"]), member: texts(&["staff"]), guest: vec![] };
        let settings = OidcSettings { roles, default_role: ServerRole::Guest, ..OidcSettings::default() };
        let role = |groups: &[&str]| settings.role(&person(groups, None));
        assert_eq!(role(&["staff", "ops"]), Some(ServerRole::Admin));
        assert_eq!(role(&["staff"]), Some(ServerRole::Member));
        assert_eq!(role(&["Ops"]), Some(ServerRole::Guest));
        assert_eq!(OidcSettings::default().role(&person(&["ops"], None)), None);
        let unknown = ExternalPerson { groups: None, ..person(&[], None) };
        assert_eq!(settings.role(&unknown), None, "a missing claim changes no role");
        let closed = OidcSettings { allowed_groups: texts(&["staff"]), ..OidcSettings::default() };
        assert!(!closed.allows(&unknown), "and opens nothing");
    }

    #[test]
    fn groups_give_a_role_in_every_session() {
        let groups = SessionRoleSettings { reviewer: texts(&["qa"]), viewer: texts(&["audit"]), member: vec![] };
        assert_eq!(groups.role(&person(&["audit", "qa"], None)), Some(Some(Role::Reviewer)));
        assert_eq!(groups.role(&person(&["staff"], None)), Some(None), "it takes an earlier one away");
        assert_eq!(groups.role(&ExternalPerson { groups: None, ..person(&[], None) }), None, "it stays");
    }

    #[test]
    fn groups_and_verified_domains_can_be_required() {
        let settings = OidcSettings {
            allowed_groups: texts(&["staff"]),
            allowed_domains: texts(&["Example.org"]),
            ..OidcSettings::default()
        };
        assert!(settings.allows(&person(&["staff"], Some("example.org"))));
        assert!(!settings.allows(&person(&["staff"], Some("evil.example.org"))));
        assert!(!settings.allows(&person(&["staff"], None)));
        assert!(!settings.allows(&person(&[], Some("example.org"))));
        assert!(OidcSettings::default().allows(&person(&[], None)));
    }

    #[test]
    fn an_issuer_uses_tls_unless_it_is_this_machine() {
        let check = |issuer: &str| {
            OidcSettings { issuer: Some(issuer.into()), client_id: "x".into(), ..OidcSettings::default() }.check()
        };
        assert_eq!(check("https://login.example.org/realms/main"), Ok(()));
        assert_eq!(check("http://127.0.0.1:4000"), Ok(()));
        for bad in ["http://login.example.org", "login.example.org", "https://login.example.org?x=1", "ftp://x.example"]
        {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
