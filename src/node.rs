//! One running server: everything that it is made of, built once.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::config::Config;
use crate::http::Hosts;

/// One running server.
pub struct Node {
    /// What is in force.
    pub config: Config,
    /// Under which names it may be reached.
    pub hosts: Hosts,
}

impl Node {
    /// Build a server that listens on `address`.
    pub async fn start(config: Config, address: SocketAddr) -> anyhow::Result<Arc<Self>> {
        let hosts = Hosts::new(&config, address);
        Ok(Arc::new(Self { config, hosts }))
    }

    /// Stop in order: nothing new starts, what is under way is written down.
    pub async fn stop(&self) {}
}
