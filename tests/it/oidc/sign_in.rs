//! A complete sign-in and the sign-out.

use reqwest::{Method, StatusCode};
use roundtable::audit::{AuditAction, AuditOutcome};
use serde_json::json;

use super::{Browser, entries, parameter, redirect_target, server_url, start};
use crate::server::{self, Server};

#[tokio::test]
async fn a_person_signs_in_and_is_the_same_person_again() {
    let (provider, server) = start(|config| config.oidc.label = "Example SSO".into()).await;
    provider.set_account("u1", json!({ "name": "Ann Lee", "email": "ann@example.org" })).await;
    let options = server.request(Method::GET, "/api/v1/sign-in").send().await.expect("answers");
    assert_eq!(server::json(options, StatusCode::OK).await, json!({ "oidc": { "label": "Example SSO" } }));

    let mut browser = Browser::new();
    let url = browser.begin(&server, "/knowledge?x=1#y").await;
    assert_eq!(parameter(&url, "code_challenge_method").as_deref(), Some("S256"));
    let callback = browser.at_provider(url, "login=u1").await;
    let response = browser.get(&callback).await;
    assert_eq!(redirect_target(&response), "/knowledge?x=1#y");
    let set: Vec<_> =
        response.headers().get_all("set-cookie").iter().map(|line| line.to_str().expect("text")).collect();
    assert!(set.iter().all(|line| line.contains("HttpOnly")), "{set:?}");
    let me = browser.me(&server).await.expect("is signed in");
    assert_eq!((&me["you"]["name"], &me["server_role"]), (&json!("Ann Lee"), &json!("member")));

    // A changed name at the provider does not make it a different person, and does not overwrite the name here.
    provider.set_account("u1", json!({ "name": "Ann Other" })).await;
    let mut elsewhere = Browser::new();
    assert_eq!(elsewhere.sign_in(&server, "u1").await, "/");
    let again = elsewhere.me(&server).await.expect("is signed in");
    assert_eq!(again["you"], me["you"]);
    let last = &again["last_sign_in"];
    assert_eq!((&last["method"], &last["provider"]), (&json!("oidc"), &json!("Example SSO")));
    assert_eq!(entries(&server, AuditAction::ParticipantCreated).await.len(), 1);
    let signed_in = entries(&server, AuditAction::SignIn).await;
    assert_eq!(signed_in.iter().map(|entry| entry.outcome).collect::<Vec<_>>(), [AuditOutcome::Ok; 2]);
    assert_eq!(
        signed_in[0].actor.as_ref().and_then(|actor| actor.id).map(|id| json!(id)),
        Some(me["you"]["id"].clone())
    );
}

#[tokio::test]
async fn a_name_that_the_rules_reject_is_not_taken() {
    let (provider, server) = start(|_| ()).await;
    provider.set_account("u1", json!({ "name": "admin", "preferred_username": "@all", "email": "zoe@x.org" })).await;
    let mut browser = Browser::new();
    browser.sign_in(&server, "u1").await;
    assert_eq!(browser.me(&server).await.expect("is signed in")["you"]["name"], "zoe");
    let mut nameless = Browser::new();
    nameless.sign_in(&server, "u2").await;
    assert_eq!(nameless.me(&server).await.expect("is signed in")["you"]["name"], "New member");
}

#[tokio::test]
async fn new_keys_of_the_provider_are_fetched() {
    let (provider, server) = start(|_| ()).await;
    assert_eq!(Browser::new().sign_in(&server, "u1").await, "/");
    let fetches = provider.key_fetches().await;
    provider.rotate().await;
    assert_eq!(Browser::new().sign_in(&server, "u1").await, "/");
    assert_eq!(Browser::new().sign_in(&server, "u1").await, "/");
    assert_eq!(provider.key_fetches().await, fetches + 1);
}

#[tokio::test]
async fn a_sign_out_ends_the_sign_in_at_the_provider_too() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    browser.sign_in(&server, "u1").await;
    let sign_out = server_url(&server, "/api/v1/sign-out");
    let answer = server::json(browser.send(Method::POST, &sign_out, None).await, StatusCode::OK).await;
    assert_eq!(browser.me(&server).await, None);
    let url: reqwest::Url = answer["continue_at"].as_str().expect("an address").parse().expect("an address");
    assert!(parameter(&url, "id_token_hint").is_some());
    let back = format!("{}/sign-in", server.url);
    assert_eq!(parameter(&url, "post_logout_redirect_uri"), Some(back));
    let page = browser.get(&url).await;
    assert_eq!(page.status(), StatusCode::OK, "the provider takes the request");
    assert!(page.text().await.expect("a page").contains("op.logoutForm"));
    // One sign-out is enough: the second has nothing to end.
    assert_eq!(browser.send(Method::POST, &sign_out, None).await.status(), StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_sign_out_can_be_local() {
    let (_provider, server) = start(|config| config.oidc.sign_out_at_provider = false).await;
    let mut browser = Browser::new();
    browser.sign_in(&server, "u1").await;
    let response = browser.send(Method::POST, &server_url(&server, "/api/v1/sign-out"), None).await;
    assert_eq!((response.status(), browser.me(&server).await), (StatusCode::NO_CONTENT, None));
}

#[tokio::test]
async fn a_server_without_a_provider_offers_none() {
    let server = Server::start().await;
    let options = server.request(Method::GET, "/api/v1/sign-in").send().await.expect("answers");
    assert_eq!(server::json(options, StatusCode::OK).await, json!({}));
    for path in ["/api/v1/sign-in/oidc", "/api/v1/sign-in/oidc/callback?code=1&state=2"] {
        let answer = server.request(Method::GET, path).send().await.expect("answers");
        assert_eq!(server::json(answer, StatusCode::NOT_FOUND).await["code"], "not_found");
    }
}

#[tokio::test]
async fn a_provider_that_does_not_respond_gets_a_clear_error() {
    let (provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    let callback = browser.callback(&server, "u1").await;
    provider.stop().await;
    assert_eq!(redirect_target(&browser.get(&callback).await), "/sign-in?error=unavailable");
    let (provider, server) = start(|_| ()).await;
    provider.stop().await;
    let start = server_url(&server, "/api/v1/sign-in/oidc?return_to=/admin");
    assert_eq!(redirect_target(&browser.get(&start).await), "/sign-in?error=unavailable&return_to=%2Fadmin");
    let entries = entries(&server, AuditAction::SignIn).await;
    assert_eq!(entries.len(), 1, "a failed start is an entry: {entries:?}");
    assert_eq!(serde_json::json!(entries[0])["detail"]["reason"], "unavailable");
}

#[tokio::test]
async fn two_tabs_sign_in_at_once() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    let (first, second) = (browser.begin(&server, "/knowledge").await, browser.begin(&server, "/teams").await);
    for (url, expected) in [(first, "/knowledge"), (second, "/teams")] {
        let callback = browser.at_provider(url, "login=u1").await;
        assert_eq!(redirect_target(&browser.get(&callback).await), expected);
    }
    assert!(browser.me(&server).await.is_some());
    // Neither attempt leaves a cookie behind.
    let left = browser.cookies[&server_url(&server, "/").origin().ascii_serialization()].keys();
    assert_eq!(left.filter(|name| name.contains("_oidc_") && !name.ends_with("_oidc_id")).count(), 0);
}

#[tokio::test]
async fn a_slow_provider_is_waited_for_once() {
    // The provider accepts connections and never responds.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let issuer = format!("http://{}", silent.local_addr().expect("an address"));
    let server = Server::start_with(|config| {
        config.oidc.issuer = Some(issuer);
        config.oidc.client_id = "roundtable".into();
        config.oidc.timeout_seconds = 1;
    })
    .await;
    let began = std::time::Instant::now();
    let start = server_url(&server, "/api/v1/sign-in/oidc");
    let sign_ins = (0..4).map(async |_| redirect_target(&Browser::new().get(&start).await));
    for place in futures_util::future::join_all(sign_ins).await {
        assert_eq!(place, "/sign-in?error=unavailable");
    }
    assert!(began.elapsed() < std::time::Duration::from_millis(2_500), "they wait for the same: {:?}", began.elapsed());
}
