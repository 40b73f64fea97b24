//! Rate limits of requests, and their headers.

use futures_util::future::join_all;
use reqwest::{Method, Response, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::limits::RateLimit;
use serde_json::json;

use crate::server::Server;

fn pace(burst: u32, per_second: u32) -> RateLimit {
    let number = |number| std::num::NonZeroU32::new(number).expect("is not 0");
    RateLimit { burst: number(burst), per_second: number(per_second) }
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).unwrap_or_else(|| panic!("no {name}")).to_str().expect("text")
}

fn rejected_responses(answers: &[Response]) -> Vec<&Response> {
    answers.iter().filter(|answer| answer.status() == StatusCode::TOO_MANY_REQUESTS).collect()
}

#[tokio::test]
async fn only_snapshots_count_against_the_limit_of_expensive_requests() {
    let server = Server::start_with(|config| config.rate_limits.expensive = pace(3, 1)).await;
    let (ann, bob) = (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    // The requests are concurrent, so that the refill of one per second admits at most one more.
    let many = join_all((0..20).map(|_| server.as_person(&ann, Method::GET, &path).send())).await;
    let many: Vec<Response> = many.into_iter().map(|answer| answer.expect("answers")).collect();
    let too_fast = rejected_responses(&many);
    assert!((10..20).contains(&too_fast.len()), "{}", too_fast.len());
    assert_eq!(header(too_fast[0], "ratelimit-policy"), "\"expensive\";q=3;w=3");
    assert_eq!(header(too_fast[0], "ratelimit"), "\"expensive\";r=0;t=1");
    assert_eq!(header(too_fast[0], "retry-after"), "1");
    for path in [format!("{path}/log"), format!("{path}/events"), format!("{path}/messages")] {
        let answer = server.as_person(&ann, Method::GET, &path).send().await.expect("answers");
        assert!([StatusCode::OK, StatusCode::TOO_MANY_REQUESTS].contains(&answer.status()));
        assert!(header(&answer, "ratelimit").starts_with("\"expensive\""), "{path} counts with them");
    }
    for (method, path) in [(Method::GET, "/api/v1/audit"), (Method::PATCH, "/api/v1/me")] {
        let answer = server.as_person(&ann, method, path).send().await.expect("answers");
        assert!(header(&answer, "ratelimit").starts_with("\"expensive\""), "{path} counts with them");
    }
    let me = server.as_person(&ann, Method::GET, "/api/v1/me").send().await.expect("answers");
    assert_eq!(me.status(), StatusCode::OK, "what costs little goes on");
    assert_eq!(header(&me, "ratelimit-policy"), "\"request\";q=600;w=6");
    assert!(header(&me, "ratelimit").starts_with("\"request\";r=5"), "{}", header(&me, "ratelimit"));
    let interrupt = json!({ "id": "c1", "do": "interrupt", "data": {} });
    let (status, answer) = server.post(&ann, &format!("{path}/commands"), &interrupt).await;
    assert_ne!(status, StatusCode::TOO_MANY_REQUESTS, "and so does the stop button: {answer}");
    let other = server.session(&bob, &json!({})).await;
    server.get(&bob, &format!("/api/v1/sessions/{other}")).await;
}

#[tokio::test]
async fn a_command_over_its_limit_names_the_limit_and_not_that_of_requests() {
    let server = Server::start_with(|config| config.rate_limits.chat = pace(2, 1)).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let path = format!("/api/v1/sessions/{}/commands", server.session(&ann, &json!({})).await);
    let many = join_all((0..8).map(|number| {
        let say = json!({ "id": format!("c{number}"), "do": "say", "data": { "text": "hello" } });
        server.as_person(&ann, Method::POST, &path).json(&say).send()
    }));
    let mut many: Vec<Response> = many.await.into_iter().map(|answer| answer.expect("answers")).collect();
    let first = many.iter().position(|answer| answer.status() == StatusCode::TOO_MANY_REQUESTS).expect("too fast");
    let too_fast = many.remove(first);
    assert_eq!(header(&too_fast, "ratelimit-policy"), "\"chat\";q=2;w=2");
    assert!(header(&too_fast, "ratelimit").starts_with("\"chat\";r=0;t="), "{}", header(&too_fast, "ratelimit"));
    let body: serde_json::Value = too_fast.json().await.expect("JSON");
    assert_eq!(body["details"], json!({ "limit": "rate_limits.chat", "burst": 2, "per_second": 1 }));
}

async fn strangers(settings: impl FnOnce(&mut Config), method: Method, path: &str) -> (Server, Vec<Response>) {
    let server = Server::start_with(settings).await;
    let body = json!({ "code": "rt_code_0" });
    let many = join_all((0..20).map(|_| server.request(method.clone(), path).json(&body).send())).await;
    let many = many.into_iter().map(|answer| answer.expect("answers")).collect();
    (server, many)
}

#[tokio::test]
async fn strangers_are_limited_by_their_address_and_participants_are_not() {
    let few = |config: &mut Config| config.rate_limits.stranger = pace(3, 1);
    let (server, many) = strangers(few, Method::POST, "/api/v1/sign-in").await;
    let too_fast = rejected_responses(&many);
    assert!((10..20).contains(&too_fast.len()), "{}", too_fast.len());
    assert_eq!(header(too_fast[0], "ratelimit-policy"), "\"stranger\";q=3;w=3");
    assert!(too_fast[0].headers().contains_key("retry-after"));
    let ann = server.person("Ann", ServerRole::Member).await;
    assert_eq!(server.get(&ann, "/api/v1/me").await["you"]["name"], "Ann", "from the same address");
}

#[tokio::test]
async fn an_address_is_limited_for_all_requests_but_health_checks() {
    let few = |config: &mut Config| config.rate_limits.address = pace(3, 1);
    let (server, many) = strangers(few, Method::GET, "/nothing").await;
    assert!((10..20).contains(&rejected_responses(&many).len()));
    assert!(!rejected_responses(&many).is_empty());
    for _ in 0..20 {
        let health = server.request(Method::GET, "/healthz").send().await.expect("answers");
        assert_eq!(health.status(), StatusCode::OK);
    }
}
