//! A sign-in that begins at one node of a cluster and ends at another.

use reqwest::Url;
use roundtable::config::Config;

use super::provider::ProviderProcess;
use super::{Browser, redirect_target};
use crate::fresh_database::{FreshDatabase, laws};
use crate::server::Server;

/// The address of both nodes for browsers.
const PUBLIC: &str = "http://roundtable.example";

laws! {
    a_sign_in_ends_at_another_node,
}

async fn a_sign_in_ends_at_another_node(fresh: FreshDatabase) {
    let provider = ProviderProcess::start().await;
    provider.set_origin(PUBLIC).await;
    let prefix = format!("oidc-{}", uuid::Uuid::now_v7().simple());
    let settings = |config: &mut Config| {
        provider.configure(config);
        config.public_url = Some(PUBLIC.into());
        config.database_url = Some(fresh.url.clone());
        if fresh.url.starts_with("postgres") {
            config.redis_url = Some(servers::redis::shared());
            config.bus.prefix = prefix.clone();
        }
    };
    let (first, second) = (Server::start_with(settings).await, Server::start_with(settings).await);
    let mut browser = Browser::new();
    let url = browser.begin(&first, "/knowledge").await;
    let callback = browser.at_provider(url, "login=u1").await;
    assert!(callback.as_str().starts_with(PUBLIC), "{callback}");
    // A proxy sends the browser, and its cookies, to the other node.
    let cookies = browser.cookies.remove(&first.url).expect("has cookies");
    browser.cookies.insert(second.url.clone(), cookies);
    let there = format!("{}{}?{}", second.url, callback.path(), callback.query().expect("a query"));
    assert_eq!(redirect_target(&browser.get(&Url::parse(&there).expect("an address")).await), "/knowledge");
    assert!(browser.me(&second).await.is_some());
}
