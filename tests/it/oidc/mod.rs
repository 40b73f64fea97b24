//! Sign-in with a real OpenID provider, `tests/oidc/provider.mjs`.

mod abuse;
mod nodes;
mod people;
pub mod provider;
mod sign_in;

use std::collections::HashMap;

use reqwest::{Method, Response, StatusCode, Url};
use roundtable::audit::{AuditAction, AuditEntry, AuditQuery};
use roundtable::config::Config;
use serde_json::Value;

use self::provider::ProviderProcess;
use crate::server::{self, Server, TIMEOUT, with_timeout};

/// A browser that stores cookies and does not follow redirects by itself.
struct Browser {
    http: reqwest::Client,
    /// Cookies by origin and name.
    cookies: HashMap<String, HashMap<String, String>>,
}

impl Browser {
    fn new() -> Self {
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        Self { http: http.build().expect("a client"), cookies: HashMap::new() }
    }

    async fn send(&mut self, method: Method, url: &Url, form: Option<&str>) -> Response {
        let jar = self.cookies.entry(url.origin().ascii_serialization()).or_default();
        let cookie = jar.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ");
        let mut request = self.http.request(method, url.clone()).header("cookie", cookie).timeout(TIMEOUT);
        if let Some(form) = form {
            request = request.header("content-type", "application/x-www-form-urlencoded").body(form.to_owned());
        }
        let response = request.send().await.expect("answers");
        for line in response.headers().get_all("set-cookie") {
            let pair = line.to_str().expect("text").split(';').next().expect("a pair");
            let (name, value) = pair.split_once('=').expect("a pair");
            if value.is_empty() {
                jar.remove(name);
            } else {
                jar.insert(name.to_owned(), value.to_owned());
            }
        }
        response
    }

    async fn get(&mut self, url: &Url) -> Response {
        self.send(Method::GET, url, None).await
    }

    /// Begins a sign-in at a server. Returns the provider's address for the sign-in.
    async fn begin(&mut self, server: &Server, return_to: &str) -> Url {
        let mut url = server_url(server, "/api/v1/sign-in/oidc");
        url.query_pairs_mut().append_pair("return_to", return_to);
        redirect_url(&self.get(&url).await)
    }

    /// Signs in at the provider. Returns the address to which it redirects. If the provider shows a page, `form` fills
    /// it in.
    async fn at_provider(&mut self, mut url: Url, form: &str) -> Url {
        let provider = url.origin();
        while url.origin() == provider {
            let response = if url.path().starts_with("/interaction/") {
                self.send(Method::POST, &url, Some(form)).await
            } else {
                self.get(&url).await
            };
            assert!(response.status().is_redirection(), "{}", response.text().await.expect("a body"));
            url = url.join(response.headers()["location"].to_str().expect("text")).expect("an address");
        }
        url
    }

    /// Signs in at the provider as this account. Returns the address of the callback.
    async fn callback(&mut self, server: &Server, account: &str) -> Url {
        let url = self.begin(server, "/").await;
        self.at_provider(url, &format!("login={account}")).await
    }

    /// Signs in as this account. Returns the path that the server redirects to.
    async fn sign_in(&mut self, server: &Server, account: &str) -> String {
        let url = self.callback(server, account).await;
        redirect_target(&self.get(&url).await)
    }

    /// Returns the identity that the server sees for this browser.
    async fn me(&mut self, server: &Server) -> Option<Value> {
        let response = self.get(&server_url(server, "/api/v1/me")).await;
        if response.status() == StatusCode::UNAUTHORIZED {
            None
        } else {
            Some(server::json(response, StatusCode::OK).await)
        }
    }
}

fn server_url(server: &Server, path: &str) -> Url {
    Url::parse(&server.url).expect("an address").join(path).expect("a path")
}

/// Returns the redirect target of a response, including the query.
fn redirect_target(response: &Response) -> String {
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    response.headers()["location"].to_str().expect("text").to_owned()
}

fn redirect_url(response: &Response) -> Url {
    let place = redirect_target(response);
    Url::parse(&place).unwrap_or_else(|_| panic!("not an address: {place}"))
}

/// Returns the address with this parameter set, or removed if `value` is `None`.
fn with_parameter(url: &Url, name: &str, value: Option<&str>) -> Url {
    let others = url.query_pairs().filter(|(key, _)| key != name);
    let pairs: Vec<_> = others.map(|(key, value)| (key.into_owned(), value.into_owned())).collect();
    let mut changed = url.clone();
    changed.query_pairs_mut().clear().extend_pairs(pairs).extend_pairs(value.map(|value| (name, value)));
    changed
}

/// Returns a parameter of the address.
fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Starts a provider, and a server whose people sign in there.
async fn start(settings: impl FnOnce(&mut Config)) -> (ProviderProcess, Server) {
    let provider = ProviderProcess::start().await;
    let server = Server::start_with(|config| {
        provider.configure(config);
        settings(config);
    });
    let server = server.await;
    provider.set_origin(&server.url).await;
    (provider, server)
}

/// Returns the audit entries for this action, oldest first.
async fn entries(server: &Server, action: AuditAction) -> Vec<AuditEntry> {
    with_timeout(server.node.audit.flush()).await;
    let query = AuditQuery { action: Some(action), limit: 100, ..AuditQuery::default() };
    let mut entries = server.node.audit.store().audit_entries(&query).await.expect("reads");
    entries.reverse();
    entries
}
