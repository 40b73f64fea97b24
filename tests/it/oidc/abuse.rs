//! Attempts to sign in as somebody else. Each one ends at the sign-in page, with a code.

use reqwest::StatusCode;
use roundtable::audit::{AuditAction, AuditOutcome};
use serde_json::json;

use super::{Browser, entries, parameter, redirect_target, server_url, start, with_parameter};
use crate::server;

#[tokio::test]
async fn a_state_is_used_once() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    let callback = browser.callback(&server, "u1").await;
    let cookies = browser.cookies.clone();
    assert_eq!(redirect_target(&browser.get(&callback).await), "/");
    assert_eq!(redirect_target(&browser.get(&callback).await), "/sign-in?error=expired", "the cookie is gone");
    let mut copy = Browser { cookies, ..Browser::new() };
    assert_eq!(redirect_target(&copy.get(&callback).await), "/sign-in?error=expired", "the state is used");
    assert_eq!(copy.me(&server).await, None);
    let outcomes = entries(&server, AuditAction::SignIn).await;
    let outcomes: Vec<_> = outcomes.iter().map(|entry| entry.outcome).collect();
    assert_eq!(outcomes, [AuditOutcome::Ok, AuditOutcome::Denied, AuditOutcome::Denied]);
}

#[tokio::test]
async fn a_response_works_only_in_the_browser_that_asked() {
    let (_provider, server) = start(|_| ()).await;
    let (mut attacker, mut victim) = (Browser::new(), Browser::new());
    // This would sign the victim in as the attacker, who could then read everything that the victim writes.
    let callback = attacker.callback(&server, "attacker").await;
    assert_eq!(redirect_target(&victim.get(&callback).await), "/sign-in?error=expired");
    // The same is true while the victim has a sign-in of their own in progress.
    let sign_in_url = victim.begin(&server, "/").await;
    assert_eq!(redirect_target(&victim.get(&callback).await), "/sign-in?error=expired");
    // The victim's own state with the attacker's code fails, because the PKCE verifier belongs to the victim.
    let state = parameter(&sign_in_url, "state");
    let mixed = with_parameter(&callback, "state", state.as_deref());
    assert_eq!(redirect_target(&victim.get(&mixed).await), "/sign-in?error=invalid");
    for url in [with_parameter(&callback, "state", None), with_parameter(&callback, "state", Some(""))] {
        assert_eq!(redirect_target(&attacker.get(&url).await), "/sign-in?error=expired");
    }
    assert_eq!(victim.me(&server).await, None);
}

#[tokio::test]
async fn an_id_token_with_another_nonce_is_rejected() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    for nonce in [Some("another"), None] {
        let url = with_parameter(&browser.begin(&server, "/").await, "nonce", nonce);
        let callback = browser.at_provider(url, "login=u1").await;
        assert_eq!(redirect_target(&browser.get(&callback).await), "/sign-in?error=invalid");
        assert_eq!(browser.me(&server).await, None);
    }
}

#[tokio::test]
async fn a_response_of_another_issuer_is_rejected() {
    let (_provider, server) = start(|_| ()).await;
    for issuer in [Some("https://evil.example"), None] {
        let mut browser = Browser::new();
        let callback = with_parameter(&browser.callback(&server, "u1").await, "iss", issuer);
        assert_eq!(redirect_target(&browser.get(&callback).await), "/sign-in?error=wrong_issuer");
        assert_eq!(browser.me(&server).await, None);
    }
}

#[tokio::test]
async fn a_code_of_another_issuer_is_rejected() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    let callback = with_parameter(&browser.callback(&server, "u1").await, "code", Some("made-up"));
    assert_eq!(redirect_target(&browser.get(&callback).await), "/sign-in?error=invalid");
}

#[tokio::test]
async fn a_person_who_refuses_is_not_signed_in() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    let url = browser.begin(&server, "/knowledge").await;
    let callback = browser.at_provider(url, "deny=1").await;
    assert_eq!(redirect_target(&browser.get(&callback).await), "/sign-in?error=denied&return_to=%2Fknowledge");
}

#[tokio::test]
async fn a_sign_in_leads_to_no_other_server() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    for path in
        ["//evil.example", "/\\evil.example", "/.//evil.example", "https://evil.example", "/\t/evil.example", "x"]
    {
        let mut url = server_url(&server, "/api/v1/sign-in/oidc");
        url.query_pairs_mut().append_pair("return_to", path);
        let refused = server::json(browser.get(&url).await, StatusCode::BAD_REQUEST).await;
        assert_eq!(refused["code"], "invalid_argument", "{path}");
    }
    assert!(browser.cookies.values().all(std::collections::HashMap::is_empty));
}

#[tokio::test]
async fn tokens_with_unknown_keys_fetch_no_keys_without_end() {
    let (provider, server) = start(|_| ()).await;
    assert_eq!(Browser::new().sign_in(&server, "u1").await, "/");
    provider.conceal().await;
    for _ in 0..10 {
        assert_eq!(Browser::new().sign_in(&server, "u1").await, "/sign-in?error=invalid");
    }
    let fetches = provider.key_fetches().await;
    assert!(fetches <= 5, "{fetches} fetches");
}

#[tokio::test]
async fn the_client_secret_and_the_tokens_are_never_shown() {
    let (_provider, server) = start(|_| ()).await;
    let mut browser = Browser::new();
    let url = browser.begin(&server, "/").await;
    assert!(!url.as_str().contains("secret"), "{url}");
    let cookie = browser.cookies[&server.url].values().next().expect("a cookie").clone();
    for name in ["state", "nonce", "code_challenge"] {
        assert_ne!(parameter(&url, name), Some(cookie.clone()), "{name}");
    }
    let admin = server.person("Ann", roundtable::identity::ServerRole::Admin).await;
    let about = server.get(&admin, "/api/v1/server").await;
    assert_eq!(about.get("oidc"), None, "{}", json!(about));
}
