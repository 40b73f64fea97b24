//! Every kind of caller, and one session that some of them are in.

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::{Right, RightAccess, Role, SessionId, Settings};
use serde_json::{Value, json};

use super::credentials::cookie;
use crate::server::{Person, Server, expect_first_revision};

/// Kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerKind {
    /// No credential.
    Stranger,
    /// A token that the server does not know.
    UnknownToken,
    /// A guest of another session.
    OutsideGuest,
    /// A bot that is in no session.
    OutsideBot,
    /// A member of the server who is not in the session.
    OutsideMember,
    /// A member of the server who was removed from the session.
    Removed,
    /// A member of the server who is not in the session, but is listed as a reader of the owner's knowledge base.
    Reader,
    /// A guest who has knocked and waits to be let into the session.
    Knocking,
    /// An owner of the session whom an administrator has disabled.
    Disabled,
    /// A member of the session with a cookie, from the server's own page.
    OwnPage,
    /// Like `OwnPage`, but from a page of another site.
    ForeignPage,
    /// In the session with this role, as a member of the server or, for `bot`, as a bot.
    Inside(Role),
    /// In the session as a reviewer, having joined by a link.
    InsideGuest,
    /// An administrator who is not in the session.
    Admin,
}

impl CallerKind {
    /// Every kind.
    pub const ALL: [Self; 18] = [
        Self::Stranger,
        Self::UnknownToken,
        Self::OutsideGuest,
        Self::OutsideBot,
        Self::OutsideMember,
        Self::Removed,
        Self::Reader,
        Self::Knocking,
        Self::Disabled,
        Self::OwnPage,
        Self::ForeignPage,
        Self::Inside(Role::Viewer),
        Self::Inside(Role::Bot),
        Self::Inside(Role::Reviewer),
        Self::InsideGuest,
        Self::Inside(Role::Member),
        Self::Inside(Role::Owner),
        Self::Admin,
    ];

    /// Returns the role in the session, if any.
    pub fn role(self) -> Option<Role> {
        match self {
            Self::Inside(role) => Some(role),
            Self::InsideGuest => Some(Role::Reviewer),
            Self::OwnPage | Self::ForeignPage => Some(Role::Member),
            Self::Admin => Some(Role::Owner),
            _ => None,
        }
    }

    /// Returns whether the server knows the caller.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Stranger | Self::UnknownToken | Self::Disabled)
    }

    /// Returns whether the caller uses a page with a cookie instead of a token.
    pub fn is_page(self) -> bool {
        matches!(self, Self::OwnPage | Self::ForeignPage)
    }

    /// Returns whether a request with this method is rejected because of the page it comes from.
    pub fn is_wrong_page(self, method: &Method) -> bool {
        self == Self::ForeignPage && !method.is_safe()
    }

    /// Returns whether the caller is a guest or a bot, neither of which can create anything of its own.
    pub fn is_guest(self) -> bool {
        let inside = matches!(self, Self::InsideGuest | Self::Inside(Role::Bot));
        inside || matches!(self, Self::OutsideGuest | Self::OutsideBot | Self::Knocking)
    }
}

/// Outcome of a request with regard to access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessOutcome {
    /// Access was granted, whatever the outcome of the request.
    Passes,
    /// The caller has no identity.
    Unauthenticated,
    /// The server answers as if the resource did not exist.
    Hidden,
    /// The caller may see the resource but may not do this.
    Forbidden,
}

impl AccessOutcome {
    /// Returns the expected outcome of a request that requires `right` in the session.
    pub fn in_session(kind: CallerKind, right: Option<Right>) -> Self {
        Self::in_session_with(&Settings::default(), kind, right)
    }

    /// Returns the expected outcome in a session with these settings.
    pub fn in_session_with(settings: &Settings, kind: CallerKind, right: Option<Right>) -> Self {
        match kind.role() {
            _ if !kind.is_known() => Self::Unauthenticated,
            None => Self::Hidden,
            Some(role) if right.is_none_or(|right| allows(settings, role, right)) => Self::Passes,
            Some(_) => Self::Forbidden,
        }
    }

    /// Returns the outcome that a response with this status and body shows.
    pub fn of(status: StatusCode, body: &Value) -> Self {
        assert!(!status.is_server_error(), "{status}: {body}");
        match (status, body["code"].as_str()) {
            (StatusCode::UNAUTHORIZED, _) => Self::Unauthenticated,
            (_, Some("unknown_session" | "unknown_knowledge" | "unknown_team" | "unknown_execution")) => Self::Hidden,
            // The doors have their own error texts and no codes.
            (StatusCode::NOT_FOUND, None) => Self::Hidden,
            (StatusCode::FORBIDDEN, _) => Self::Forbidden,
            _ => Self::Passes,
        }
    }
}

/// Returns whether the role has the right according to the rules alone, without the function that the server uses.
fn allows(settings: &Settings, role: Role, right: Right) -> bool {
    let rule = settings.rights.iter().find(|rule| (rule.role, rule.right) == (role, right));
    rule.map_or(role.default_rights().contains(&right), |rule| rule.access == RightAccess::Allow)
}

/// A session, and a person of every kind.
pub struct AccessHarness {
    pub server: Server,
    pub session: SessionId,
    /// A participant of the session on whom others can act.
    pub spare: Person,
    people: Vec<(CallerKind, Person)>,
}

impl AccessHarness {
    /// Starts a server whose doors admit guests without a credential if `guest_doors` is true.
    pub async fn start(guest_doors: bool) -> Self {
        Self::start_with(guest_doors, false).await
    }

    /// Like [`Self::start`]. If `holds` is true, the model holds every response after its first token, so that runs
    /// stay in progress.
    pub async fn start_with(guest_doors: bool, holds: bool) -> Self {
        let server = Server::start_with(|config| {
            config.guest_doors = Some(guest_doors);
            config.demo.hold_after_tokens = holds.then_some(1);
            let generous = serde_json::json!({ "burst": 100_000, "per_second": 100_000 });
            let pace = || serde_json::from_value(generous.clone()).expect("a pace");
            for limit in [
                &mut config.rate_limits.chat,
                &mut config.rate_limits.control,
                &mut config.rate_limits.join,
                &mut config.rate_limits.request,
                &mut config.rate_limits.expensive,
                &mut config.rate_limits.stranger,
                &mut config.rate_limits.address,
            ] {
                *limit = pace();
            }
        })
        .await;
        let mut people = vec![];
        for kind in
            CallerKind::ALL.into_iter().filter(|kind| !matches!(kind, CallerKind::Stranger | CallerKind::UnknownToken))
        {
            let name = format!("{kind:?}").replace(['(', ')'], " ");
            let person = match kind {
                CallerKind::OutsideGuest | CallerKind::InsideGuest | CallerKind::Knocking => {
                    server.person(&name, ServerRole::Guest).await
                }
                CallerKind::OutsideBot | CallerKind::Inside(Role::Bot) => server.bot(&name).await,
                CallerKind::Admin => server.person(&name, ServerRole::Admin).await,
                _ => server.person(&name, ServerRole::Member).await,
            };
            people.push((kind, person));
        }
        let spare = server.person("Spare", ServerRole::Member).await;
        let owner = &people.iter().find(|(kind, _)| *kind == CallerKind::Inside(Role::Owner)).expect("is there").1;
        let session = server.session(owner, &json!({})).await;
        let harness = Self { server, session, spare, people };
        harness.add_members(session).await;
        harness
    }

    /// Returns the person of this kind, if there is one.
    pub fn person(&self, kind: CallerKind) -> Option<&Person> {
        self.people.iter().find(|(known, _)| *known == kind).map(|(_, person)| person)
    }

    /// Returns the token that this kind of caller sends, if any.
    pub fn token(&self, kind: CallerKind) -> Option<&str> {
        match kind {
            kind if kind.is_page() => None,
            CallerKind::UnknownToken => Some("rt_token_00"),
            _ => self.person(kind).map(|person| &*person.token),
        }
    }

    /// Creates another session with the same people.
    pub async fn add_session(&self) -> SessionId {
        let owner = self.person(CallerKind::Inside(Role::Owner)).expect("is there");
        let session = self.server.session(owner, &json!({})).await;
        self.add_members(session).await;
        session
    }

    /// Creates a session with these settings, one participant of each role and a guest. It is faster to set up than the
    /// one from [`Self::add_session`].
    pub async fn add_small_session(&self, settings: Value) -> SessionId {
        let owner = self.person(CallerKind::Inside(Role::Owner)).expect("is there");
        let session = self.server.session(owner, &json!({ "settings": settings })).await;
        let kinds = [Role::Viewer, Role::Bot, Role::Reviewer, Role::Member].map(CallerKind::Inside);
        for kind in kinds.into_iter().chain([CallerKind::InsideGuest]) {
            let (person, role) = (self.person(kind).expect("is there"), kind.role().expect("is in the session"));
            let data = json!({ "participant": person.participant.id, "role": role });
            self.submit_as_owner(session, "invite", data).await;
        }
        let spare = json!({ "participant": self.spare.participant.id, "role": "viewer" });
        self.submit_as_owner(session, "invite", spare).await;
        session
    }

    /// Returns the state of a session, as its owner sees it.
    pub async fn state(&self, session: SessionId) -> Value {
        let owner = self.person(CallerKind::Inside(Role::Owner)).expect("is there");
        self.server.get(owner, &format!("/api/v1/sessions/{session}")).await["state"].take()
    }

    async fn add_members(&self, session: SessionId) {
        self.disable(false).await;
        let members = self.people.iter().filter_map(|(kind, person)| match kind {
            CallerKind::Inside(Role::Owner) | CallerKind::Admin => None,
            CallerKind::Disabled => Some((person, Role::Owner)),
            CallerKind::Removed => Some((person, Role::Member)),
            kind => kind.role().map(|role| (person, role)),
        });
        for (person, role) in members.chain([(&self.spare, Role::Viewer)]) {
            let data = json!({ "participant": person.participant.id, "role": role });
            self.submit_as_owner(session, "invite", data).await;
        }
        let invites = format!("/api/v1/sessions/{session}/invites");
        let link = json!({ "role": "viewer", "knock": true });
        let (_, link) = self.request(CallerKind::Inside(Role::Owner), &Method::POST, &invites, Some(&link)).await;
        let secret = link["link"].as_str().and_then(|link| link.split_once('#')).expect("a secret").1;
        let visitor = self.person(CallerKind::Knocking).expect("is there");
        let (status, waits) = self.server.post(visitor, "/api/v1/invites/accept", &json!({ "secret": secret })).await;
        assert_eq!((status, &waits["waiting"]), (StatusCode::ACCEPTED, &json!(true)));
        let removed = self.person(CallerKind::Removed).expect("is there").participant.id;
        self.submit_as_owner(session, "remove", json!({ "participant": removed })).await;
        self.disable(true).await;
    }

    async fn disable(&self, disabled: bool) {
        let who = self.person(CallerKind::Disabled).expect("is there").participant.id;
        assert!(self.server.node.identities.set_disabled(who, disabled).await.expect("answers"));
    }

    pub async fn submit_as_owner(&self, session: SessionId, name: &str, data: Value) {
        let (outcome, body) = self.command(CallerKind::Inside(Role::Owner), session, name, &data).await;
        assert!(outcome == AccessOutcome::Passes && body["seq"].is_u64(), "{name}: {body}");
    }

    /// Sends a command over REST and returns its outcome and the response.
    pub async fn command(
        &self,
        kind: CallerKind,
        session: SessionId,
        name: &str,
        data: &Value,
    ) -> (AccessOutcome, Value) {
        let mut body = json!({ "id": uuid::Uuid::now_v7(), "do": name, "data": data });
        expect_first_revision(name, &mut body);
        self.request(kind, &Method::POST, &format!("/api/v1/sessions/{session}/commands"), Some(&body)).await
    }

    /// Sends a request and returns its outcome and the response.
    pub async fn request(
        &self,
        kind: CallerKind,
        method: &Method,
        path: &str,
        body: Option<&Value>,
    ) -> (AccessOutcome, Value) {
        let mut request = self.server.request(method.clone(), path);
        if let Some(token) = self.token(kind) {
            request = request.bearer_auth(token);
        }
        if kind.is_page() {
            // Each request gets a new cookie, because some requests invalidate theirs.
            let cookie = cookie(&self.server, self.person(kind).expect("is there")).await;
            let origin = if kind == CallerKind::OwnPage { &*self.server.url } else { "http://evil.example" };
            request = request.header("cookie", cookie).header("origin", origin);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.expect("answers");
        let status = answer.status();
        // A stream that was opened does not end by itself.
        let streams = answer.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if streams { Value::Null } else { answer.json().await.unwrap_or_default() };
        (AccessOutcome::of(status, &body), body)
    }
}
