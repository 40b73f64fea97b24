//! Admission of people, and the rights that their groups give them.

use roundtable::audit::{AuditAction, AuditOutcome};
use roundtable::identity::{CredentialKind, ServerRole, issue};
use roundtable::kernel::ParticipantId;
use serde_json::{Value, json};

use super::{Browser, entries, server_url, start};

#[tokio::test]
async fn groups_give_the_server_role_at_each_sign_in() {
    let (provider, server) = start(|config| {
        config.oidc.roles.admin = vec!["ops".into()];
        config.oidc.roles.member = vec!["staff".into()];
        config.oidc.default_role = ServerRole::Guest;
        config.oidc.sign_out_at_provider = false;
    })
    .await;
    let role = async |browser: &mut Browser| {
        browser.sign_in(&server, "u1").await;
        browser.me(&server).await.expect("is signed in")["server_role"].clone()
    };
    let (mut here, mut there) = (Browser::new(), Browser::new());
    provider.set_account("u1", json!({ "groups": ["staff", "ops"] })).await;
    assert_eq!(role(&mut here).await, "admin");
    let me = here.me(&server).await.expect("is signed in");
    let id: ParticipantId = me["you"]["id"].as_str().expect("an id").parse().expect("an id");
    let token = issue(&*server.node.identities, id, CredentialKind::Token, None).await.expect("issues");

    // Their rights are lower now, so credentials issued with the higher rights are revoked.
    provider.set_account("u1", json!({ "groups": ["staff"] })).await;
    assert_eq!(role(&mut there).await, "member");
    assert_eq!(here.me(&server).await, None);
    let authenticated = server.node.identities.authenticate(token.hash(), CredentialKind::Token).await;
    assert_eq!(authenticated.expect("answers"), None);

    provider.set_account("u1", json!({})).await;
    assert_eq!(role(&mut here).await, "member", "nothing about groups changes nothing");
    provider.set_account("u1", json!({ "groups": [] })).await;
    assert_eq!(role(&mut here).await, "guest");
    provider.set_account("u1", json!({ "groups": "ops" })).await;
    assert_eq!(role(&mut here).await, "admin");
    assert_eq!(here.me(&server).await.expect("is signed in")["you"]["id"], me["you"]["id"]);
    assert_eq!(entries(&server, AuditAction::ServerRoleChanged).await.len(), 3);
}

#[tokio::test]
async fn without_mapped_groups_a_sign_in_keeps_the_role() {
    let (provider, server) = start(|_| ()).await;
    provider.set_account("u1", json!({ "groups": ["ops"] })).await;
    let mut browser = Browser::new();
    browser.sign_in(&server, "u1").await;
    let me = browser.me(&server).await.expect("is signed in");
    let id = me["you"]["id"].as_str().expect("an id").parse().expect("an id");
    let old = server.node.identities.set_server_role(id, ServerRole::Admin).await.expect("answers");
    assert_eq!(old, Some(ServerRole::Member));
    assert_eq!(browser.me(&server).await, None, "connections with the old role end");
    browser.sign_in(&server, "u1").await;
    assert_eq!(browser.me(&server).await.expect("is signed in")["server_role"], "admin");
}

#[tokio::test]
async fn groups_give_a_role_in_every_session() {
    let (provider, server) = start(|config| {
        config.oidc.session_roles.viewer = vec!["audit".into()];
        config.oidc.session_roles.reviewer = vec!["qa".into()];
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let show = async |browser: &mut Browser| -> Value {
        browser.get(&server_url(&server, &path)).await.json().await.expect("JSON")
    };
    let sign_in = async |groups: Value| {
        provider.set_account("u1", json!({ "groups": groups })).await;
        let mut browser = Browser::new();
        browser.sign_in(&server, "u1").await;
        browser
    };
    let mut stranger = sign_in(json!(["staff"])).await;
    assert_eq!(show(&mut stranger).await["code"], "unknown_session");
    let mut viewer = sign_in(json!(["audit"])).await;
    assert_eq!(stranger.me(&server).await, None, "its open pages would have the old rights");
    assert_eq!(show(&mut viewer).await["role"], "viewer");
    let mut reviewer = sign_in(json!(["audit", "qa"])).await;
    assert_eq!(show(&mut reviewer).await["role"], "reviewer");
    let participants = server.get(&ann, &path).await["state"]["participants"].clone();
    assert_eq!(participants.as_array().map(Vec::len), Some(2), "everyone there sees them: {participants}");
    let mut former = sign_in(json!([])).await;
    assert_eq!(reviewer.me(&server).await, None);
    assert_eq!(show(&mut former).await["role"], "viewer", "the role with which they first opened the session");
}

#[tokio::test]
async fn only_allowed_groups_and_domains_sign_in() {
    let (provider, server) = start(|config| {
        config.oidc.allowed_groups = vec!["staff".into()];
        config.oidc.allowed_domains = vec!["example.org".into()];
    })
    .await;
    let mut first = Browser::new();
    let groups = json!(["staff"]);
    for (claims, place) in [
        (json!({ "groups": groups, "email": "a@example.org", "email_verified": true }), "/"),
        (json!({ "groups": groups, "email": "a@example.org" }), "/sign-in?error=not_allowed"),
        (json!({ "groups": groups, "email": "a@example.com", "email_verified": true }), "/sign-in?error=not_allowed"),
        (json!({ "email": "a@example.org", "email_verified": true }), "/sign-in?error=not_allowed"),
    ] {
        provider.set_account("u1", claims.clone()).await;
        let mut browser = Browser::new();
        assert_eq!(browser.sign_in(&server, "u1").await, place, "{claims}");
        assert_eq!(browser.me(&server).await.is_some(), place == "/");
        if place == "/" {
            assert_eq!(first.sign_in(&server, "u1").await, "/");
        } else {
            assert_eq!(first.me(&server).await, None, "whoever may not sign in any more is signed out elsewhere too");
        }
    }
}

#[tokio::test]
async fn strangers_are_admitted_only_if_the_server_creates_people() {
    let (_provider, server) = start(|config| config.oidc.create_people = false).await;
    let mut browser = Browser::new();
    assert_eq!(browser.sign_in(&server, "u1").await, "/sign-in?error=unknown_person");
    assert_eq!(browser.me(&server).await, None);
}

#[tokio::test]
async fn a_disabled_participant_does_not_sign_in() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    browser.sign_in(&server, "u1").await;
    let me = browser.me(&server).await.expect("is signed in");
    let id = me["you"]["id"].as_str().expect("an id").parse().expect("an id");
    server.node.identities.set_disabled(id, true).await.expect("answers");
    assert_eq!(browser.me(&server).await, None);
    assert_eq!(browser.sign_in(&server, "u1").await, "/sign-in?error=disabled");
    assert_eq!(browser.me(&server).await, None);
    let refused = entries(&server, AuditAction::SignIn).await.pop().expect("an entry");
    assert_eq!((refused.outcome, refused.actor.and_then(|actor| actor.id)), (AuditOutcome::Denied, Some(id)));
}
