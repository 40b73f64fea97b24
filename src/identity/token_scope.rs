//! Scope of a token: limits on what its holder can do. All rules are in this file. Authentication checks the address,
//! the HTTP layer checks the route, [`crate::access`] checks the session, and [`crate::dispatch`] checks the command.
//! Nothing reaches a session without these checks.

use std::collections::BTreeSet;
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use super::ServerRole;
use crate::ip_networks::IpNetworks;
use crate::kernel::{Command, Role, SessionId};
use crate::protocol::{Code, Problem};

/// Limits of a token. An absent limit means no limit. An empty list is an error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TokenScope {
    /// Sessions that the token opens, at most 100. If sessions or teams are set, the token opens nothing else.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "not_empty")]
    #[schemars(length(min = 1, max = 100))]
    pub sessions: BTreeSet<SessionId>,
    /// Ids of stored teams that the token can execute, at most 100. The token also opens the sessions of their
    /// executions.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "not_empty")]
    #[schemars(with = "Vec<String>", length(min = 1, max = 100))]
    pub teams: BTreeSet<Uuid>,
    /// Highest role that the holder has in a session. `viewer` is read-only: no commands and no other changes. With a
    /// role below `member`, the token can neither change anything outside of sessions nor create sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_role: Option<Role>,
    /// Networks that the token is accepted from, at most 100: CIDR blocks or addresses, for example `10.0.0.0/8`.
    #[serde(skip_serializing_if = "IpNetworks::is_empty", deserialize_with = "not_empty")]
    #[schemars(with = "Vec<String>", length(min = 1, max = 100))]
    pub networks: IpNetworks,
}

// A program that computes an empty list must not get a token that opens everything.
fn not_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default + PartialEq>(list: D) -> Result<T, D::Error> {
    let list = T::deserialize(list)?;
    if list == T::default() {
        return Err(serde::de::Error::custom("an empty list would open nothing; leave it out for no limit"));
    }
    Ok(list)
}

/// Kind of a request, for the check against a scope.
#[derive(Debug, Clone, Copy)]
pub enum ScopedRoute {
    /// Access to a session, which [`crate::access`] checks, or to a socket.
    Session,
    /// Access to the stored team with this id. `None` if the id is invalid.
    Team(Option<Uuid>),
    /// Information about the server or the caller that every credential can read.
    Common,
    /// Creation of a token, which the scope limits.
    Token,
    /// Change of the caller's own credentials or name.
    OwnIdentity,
    /// Anything else.
    Other,
}

impl TokenScope {
    /// Maximum number of entries in each list.
    pub const MAX_ENTRIES: usize = 100;

    /// Checks the number of entries in each list.
    ///
    /// # Errors
    /// Fails with `invalid_argument` if a list has too many entries.
    pub fn check_size(&self) -> Result<(), Problem> {
        let entries = self.sessions.len().max(self.teams.len()).max(self.networks.len());
        if entries <= Self::MAX_ENTRIES {
            return Ok(());
        }
        let message = format!("a list of the scope has more than {} entries; create several tokens", Self::MAX_ENTRIES);
        Err(Problem::new(Code::InvalidArgument, message))
    }

    /// Returns whether the scope has no limits.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the scope opens only certain sessions or teams.
    pub fn is_confined(&self) -> bool {
        !self.sessions.is_empty() || !self.teams.is_empty()
    }

    /// Returns whether the holder can only read.
    pub fn is_read_only(&self) -> bool {
        self.max_role == Some(Role::Viewer)
    }

    /// Returns the lower of a role and the highest role of the scope.
    pub fn limited_role(&self, role: Role) -> Role {
        self.max_role.filter(|max_role| role.covers(*max_role)).unwrap_or(role)
    }

    /// Returns the server role that remains within the scope. Administration requires a token whose highest role is not
    /// below `owner`.
    pub fn limited_server_role(&self, server_role: ServerRole) -> ServerRole {
        match (server_role, self.max_role) {
            (ServerRole::Admin, Some(max_role)) if max_role != Role::Owner => ServerRole::Member,
            _ => server_role,
        }
    }

    /// Checks the address of the client.
    ///
    /// # Errors
    /// Fails with `token_scope` if the address is in none of the networks or is unknown.
    pub fn check_address(&self, address: Option<IpAddr>) -> Result<(), Problem> {
        if self.networks.is_empty() || address.is_some_and(|address| self.networks.contains(address)) {
            return Ok(());
        }
        Err(forbidden("this token is not accepted from your address; use it from a network of its scope"))
    }

    /// Returns whether the scope opens a session by its id. [`Self::opens_team`] applies to the sessions of executions.
    pub fn opens_session(&self, session: SessionId) -> bool {
        !self.is_confined() || self.sessions.contains(&session)
    }

    /// Returns whether the scope opens the sessions of this team's executions.
    pub fn opens_team(&self, team: Uuid) -> bool {
        !self.is_confined() || self.teams.contains(&team)
    }

    /// Checks a request.
    ///
    /// # Errors
    /// Fails with `token_scope` if the scope does not allow the request.
    pub fn check_route(&self, route: ScopedRoute, is_change: bool) -> Result<(), Problem> {
        if is_change && self.is_read_only() {
            return Err(read_only());
        }
        let is_low = self.max_role.is_some_and(|max_role| !max_role.covers(Role::Member));
        match route {
            ScopedRoute::Session | ScopedRoute::Token => Ok(()),
            ScopedRoute::Common if !is_change => Ok(()),
            ScopedRoute::Team(team) if !is_low || !is_change => match team.is_none_or(|team| self.opens_team(team)) {
                true => Ok(()),
                false => Err(forbidden("this token is limited to other teams; use one whose scope has this team")),
            },
            ScopedRoute::OwnIdentity => {
                Err(forbidden("a limited token changes neither your name nor your credentials; sign in to do this"))
            }
            _ if self.is_confined() => {
                Err(forbidden("this token is limited to certain sessions or teams; use one without this limit"))
            }
            _ if is_low && is_change => Err(forbidden(
                "this token has a role below member, so it changes nothing outside of sessions; use another",
            )),
            _ => Ok(()),
        }
    }

    /// Checks a command before it is sent to its session, where the kernel applies the highest role.
    ///
    /// # Errors
    /// Fails with `token_scope` if the scope does not allow the request.
    pub fn check_command(&self, command: &Command) -> Result<(), Problem> {
        match command {
            // The server adds an administrator who reads a session, so that everyone in the session sees them.
            Command::Enter { role: Role::Viewer } => Ok(()),
            _ if self.is_read_only() => Err(read_only()),
            Command::Create { .. } if self.max_role.is_some_and(|max_role| !max_role.covers(Role::Member)) => {
                Err(forbidden("this token has a role below member, so it creates no session; use another"))
            }
            Command::Create { team, .. } if self.is_confined() => {
                match team.origin.is_some_and(|origin| self.teams.contains(&origin.team)) {
                    true => Ok(()),
                    false => {
                        Err(forbidden("this token is limited to certain sessions, so it creates none; use another"))
                    }
                }
            }
            _ => Ok(()),
        }
    }

    /// Returns the scope of a token that the holder of this one creates with the limits `wanted`. Limits that `wanted`
    /// does not set are taken from this scope. Sessions and teams count as one limit.
    ///
    /// # Errors
    /// Fails with `token_scope` if a limit is wider than in this scope.
    pub fn narrowed(&self, wanted: Self) -> Result<Self, Problem> {
        let wider = |what: &str| {
            forbidden(&format!(
                "the new token would have more {what} than this one; ask for less, or use another token"
            ))
        };
        let mut narrowed = wanted;
        if self.is_confined() {
            if !narrowed.is_confined() {
                (narrowed.sessions, narrowed.teams) = (self.sessions.clone(), self.teams.clone());
            }
            if !narrowed.sessions.is_subset(&self.sessions) {
                return Err(wider("sessions"));
            }
            if !narrowed.teams.is_subset(&self.teams) {
                return Err(wider("teams"));
            }
        }
        if let Some(max_role) = self.max_role {
            let role = narrowed.max_role.unwrap_or(max_role);
            if !max_role.covers(role) {
                return Err(wider("rights"));
            }
            narrowed.max_role = Some(role);
        }
        if !self.networks.is_empty() {
            if narrowed.networks.is_empty() {
                narrowed.networks = self.networks.clone();
            }
            if !self.networks.covers(&narrowed.networks) {
                return Err(wider("networks"));
            }
        }
        Ok(narrowed)
    }
}

fn forbidden(message: &str) -> Problem {
    Problem::new(Code::TokenScope, message)
}

fn read_only() -> Problem {
    forbidden("this token is read only; use one with a higher role")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u128) -> SessionId {
        SessionId(Uuid::from_u128(number))
    }

    fn networks(text: &str) -> IpNetworks {
        IpNetworks::parse(&[text.to_owned()]).expect("is a network")
    }

    fn scope() -> TokenScope {
        TokenScope {
            sessions: [session(1), session(2)].into(),
            teams: [Uuid::from_u128(7)].into(),
            max_role: Some(Role::Reviewer),
            networks: networks("10.0.0.0/8"),
        }
    }

    #[test]
    fn a_token_creates_none_with_more_than_its_own_scope() {
        let parent = scope();
        assert_eq!(parent.narrowed(TokenScope::default()).expect("is inherited"), parent);
        let fewer = TokenScope {
            sessions: [session(2)].into(),
            max_role: Some(Role::Viewer),
            networks: networks("10.9.0.0/16"),
            ..TokenScope::default()
        };
        assert_eq!(parent.narrowed(fewer.clone()).expect("is less"), fewer);
        let wider = [
            TokenScope { sessions: [session(1), session(3)].into(), ..TokenScope::default() },
            TokenScope { teams: [Uuid::from_u128(8)].into(), ..TokenScope::default() },
            TokenScope { max_role: Some(Role::Member), ..TokenScope::default() },
            TokenScope { networks: networks("0.0.0.0/0"), ..TokenScope::default() },
        ];
        for wanted in wider {
            assert_eq!(
                parent.narrowed(wanted.clone()).map_err(|problem| problem.code()),
                Err(Code::TokenScope),
                "{wanted:?}"
            );
            assert_eq!(TokenScope::default().narrowed(wanted.clone()).expect("is less than everything"), wanted);
        }
    }

    #[test]
    fn a_highest_role_limits_and_never_raises() {
        for max_role in Role::ALL {
            let scope = TokenScope { max_role: Some(max_role), ..TokenScope::default() };
            for role in Role::ALL {
                let limited = scope.limited_role(role);
                assert!(role.covers(limited) && max_role.covers(limited), "{role:?} under {max_role:?} is {limited:?}");
                assert!(limited == role || limited == max_role);
            }
        }
        let member = TokenScope { max_role: Some(Role::Member), ..TokenScope::default() };
        assert_eq!(member.limited_server_role(ServerRole::Admin), ServerRole::Member);
        assert_eq!(member.limited_server_role(ServerRole::Guest), ServerRole::Guest);
        assert_eq!(TokenScope::default().limited_server_role(ServerRole::Admin), ServerRole::Admin);
    }

    #[test]
    fn an_address_outside_of_the_networks_is_rejected() {
        let scope = scope();
        assert!(scope.check_address(Some([10, 2, 3, 4].into())).is_ok());
        assert!(scope.check_address(Some([11, 2, 3, 4].into())).is_err());
        assert!(scope.check_address(None).is_err());
        assert!(TokenScope::default().check_address(None).is_ok());
    }

    #[test]
    fn a_confined_token_reaches_only_its_sessions_and_teams() {
        let scope = TokenScope { max_role: None, ..scope() };
        assert!(scope.opens_session(session(1)) && !scope.opens_session(session(3)));
        let team = |number| ScopedRoute::Team(Some(Uuid::from_u128(number)));
        for route in [ScopedRoute::Session, ScopedRoute::Token, team(7)] {
            assert!(scope.check_route(route, true).is_ok(), "{route:?}");
        }
        assert!(scope.check_route(ScopedRoute::Common, false).is_ok());
        for route in [team(8), ScopedRoute::OwnIdentity, ScopedRoute::Other, ScopedRoute::Common] {
            assert!(scope.check_route(route, true).is_err(), "{route:?}");
        }
        assert!(scope.check_route(ScopedRoute::Other, false).is_err());
    }

    #[test]
    fn a_read_only_token_changes_nothing() {
        let scope = TokenScope { max_role: Some(Role::Viewer), ..TokenScope::default() };
        for route in [ScopedRoute::Session, ScopedRoute::Token, ScopedRoute::Team(None), ScopedRoute::Other] {
            assert!(scope.check_route(route, true).is_err(), "{route:?}");
            assert!(scope.check_route(route, false).is_ok(), "{route:?}");
        }
        assert!(scope.check_command(&Command::Leave).is_err());
        assert!(scope.check_command(&Command::Enter { role: Role::Viewer }).is_ok());
        assert!(scope.check_command(&Command::Enter { role: Role::Owner }).is_err());
    }
}
