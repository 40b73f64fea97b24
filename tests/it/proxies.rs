//! The client's address behind proxies: only headers of trusted proxies count, and limits apply to the resulting
//! address.

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::limits::RateLimit;
use serde_json::json;

use crate::server::Server;

/// Returns how many of 12 new guests join, each by its own link, with these values of `X-Forwarded-For`.
async fn come_in(settings: impl FnOnce(&mut Config), forwarded_for: impl Fn(usize) -> String) -> usize {
    let once = std::num::NonZeroU32::MIN;
    let server = Server::start_with(|config| {
        config.rate_limits.newcomer = RateLimit { burst: once, per_second: once };
        settings(config);
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let mut secrets = vec![];
    for _ in 0..12 {
        let path = format!("/api/v1/sessions/{session}/invites");
        let (status, made) = server.post(&ann, &path, &json!({ "role": "viewer" })).await;
        assert_eq!(status, StatusCode::CREATED, "{made}");
        let (_, secret) = made["link"].as_str().expect("a link").split_once('#').expect("a secret");
        secrets.push(secret.to_owned());
    }
    // The requests are concurrent, so that the refill of one per second admits at most one more guest.
    let answers = join_all(secrets.iter().enumerate().map(|(at, secret)| {
        let accept = server.request(Method::POST, "/api/v1/invites/accept");
        accept.header("x-forwarded-for", forwarded_for(at)).json(&json!({ "secret": secret, "name": "Eve" })).send()
    }));
    let answers = answers.await.into_iter().map(|answer| answer.expect("answers").status());
    answers.filter(|status| *status == StatusCode::OK).count()
}

fn behind_loopback(config: &mut Config) {
    config.http.trusted_proxies = vec!["127.0.0.0/8".into()];
}

#[tokio::test]
async fn a_trusted_proxys_clients_are_counted_by_their_own_addresses() {
    assert_eq!(come_in(behind_loopback, |at| format!("192.0.2.{at}")).await, 12);
}

#[tokio::test]
async fn a_forged_client_address_does_not_count() {
    let come_in_directly = come_in(|_| {}, |at| format!("192.0.2.{at}")).await;
    assert!((1..12).contains(&come_in_directly), "nobody is trusted: {come_in_directly}");
    let through_a_proxy = come_in(behind_loopback, |at| format!("192.0.2.{at}, 198.51.100.7")).await;
    assert!((1..12).contains(&through_a_proxy), "the proxy saw one client: {through_a_proxy}");
}

#[tokio::test]
async fn one_network_of_version_6_is_one_address() {
    let come_in = come_in(behind_loopback, |at| format!("2001:db8:0:1::{at:x}")).await;
    assert!((1..12).contains(&come_in), "whoever has one address of a /64 has them all: {come_in}");
}

#[tokio::test]
async fn browsers_that_used_tls_get_an_hsts_header() {
    let hsts_header = async |settings: fn(&mut Config), host: Option<&str>| {
        let server = Server::start_with(settings).await;
        let mut request = server.request(Method::GET, "/").header("x-forwarded-proto", "https");
        if let Some(host) = host {
            request = request.header("host", host);
        }
        let answer = request.send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::OK);
        answer.headers().get("strict-transport-security").map(|value| value.to_str().expect("text").to_owned())
    };
    assert_eq!(hsts_header(|_| {}, None).await, None, "anybody could say so");
    let for_a_year = Some("max-age=31536000".to_owned());
    assert_eq!(hsts_header(behind_loopback, None).await, for_a_year);
    let public = |config: &mut Config| config.public_url = Some("https://round.example".into());
    assert_eq!(hsts_header(public, Some("round.example")).await, for_a_year);
    assert_eq!(hsts_header(public, None).await, None, "reached without the proxy");
}

#[tokio::test]
async fn a_page_without_tls_is_another_origin_behind_a_tls_proxy() {
    let server = Server::start_with(behind_loopback).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let sign_in = async |scheme: &str, origin: &str| {
        let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": ann.token }));
        let request = request.header("x-forwarded-proto", scheme).header("origin", origin);
        request.send().await.expect("answers").status()
    };
    let encrypted = server.url.replace("http://", "https://");
    assert_eq!(sign_in("https", &encrypted).await, StatusCode::OK);
    assert_eq!(sign_in("https", &server.url).await, StatusCode::FORBIDDEN);
    assert_eq!(sign_in("http", &server.url).await, StatusCode::OK);
}
