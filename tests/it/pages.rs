//! The browser client as served by the server.

use reqwest::{Method, StatusCode};

use crate::server::Server;

#[tokio::test]
async fn the_page_is_served_at_the_path_of_every_view() {
    let server = Server::start().await;
    let session = "/s/s_00000000000000000000000000000001";
    let graph = "/s/s_00000000000000000000000000000001/graph";
    let teams = ["/teams", "/teams/new", "/teams/0190f3c0-7a1b-7c3d-8e5f-60718293a4b5/executions/a/b"];
    let others = ["/", session, graph, "/admin", "/knowledge", "/knowledge/1", "/sign-in", "/invite"];
    for path in others.into_iter().chain(teams) {
        let answer = server.request(Method::GET, path).send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8", "{path}");
        assert!(answer.text().await.expect("text").contains("<title>Roundtable"), "{path}");
    }
    let answer = server.request(Method::GET, "/no/such/page").send().await.expect("answers");
    assert_eq!(crate::server::json(answer, StatusCode::NOT_FOUND).await["code"], "not_found");

    // A browser gets the page, which shows the error to the user; programs get JSON.
    for (path, mime) in [("/no/such/page", "text/html; charset=utf-8"), ("/api/v1/nothing", "application/json")] {
        let request = server.request(Method::GET, path).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        let answer = request.send().await.expect("answers");
        assert_eq!(
            (answer.status(), answer.headers()["content-type"].to_str().ok()),
            (StatusCode::NOT_FOUND, Some(mime))
        );
    }
}

#[tokio::test]
async fn the_page_is_public() {
    let server = Server::start().await;
    // The server does not look up the caller, because the database can be unavailable.
    for path in ["/", "/s/s_00000000000000000000000000000001", "/knowledge"] {
        let answer = server.request(Method::GET, path).bearer_auth("unknown").send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
    }
    let answer = server.request(Method::GET, "/api/v1/me").bearer_auth("unknown").send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn cached_assets_are_not_sent_again() {
    let server = Server::start().await;
    let page = server.request(Method::GET, "/").send().await.expect("answers");
    let headers = page.headers().clone();
    let text = page.text().await.expect("text");
    // A binary without the built-in client serves a plain page, and nothing to cache.
    let Some(tag) = headers.get("etag") else {
        assert!(text.contains("make run"), "{text}");
        return;
    };
    assert_eq!(headers["cache-control"], "no-cache");
    let request = server.request(Method::GET, "/").header("if-none-match", tag);
    assert_eq!(request.send().await.expect("answers").status(), StatusCode::NOT_MODIFIED);

    let (_, rest) = text.split_once("/assets/").expect("the page names its script");
    let name = rest.split('"').next().expect("a name");
    let script = server.request(Method::GET, &format!("/assets/{name}"));
    let script = script.header("accept-encoding", "gzip").send().await.expect("answers");
    assert_eq!(script.headers()["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(script.headers()["content-encoding"], "gzip");
}
