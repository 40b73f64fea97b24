//! What this server is and offers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::auth::Signed;
use crate::agent::ModelSource;
use crate::kernel::Team;
use crate::node::Node;
use crate::protocol::{Limits, VERSION};

#[derive(Debug, Serialize)]
pub(super) struct About {
    name: &'static str,
    version: &'static str,
    protocol: u32,
    public_url: String,
    model: ModelSource,
    teams: Vec<Arc<Team>>,
    limits: Limits,
}

pub(super) async fn about(State(node): State<Arc<Node>>, Signed(_): Signed) -> Json<About> {
    Json(About {
        name: "roundtable",
        version: env!("CARGO_PKG_VERSION"),
        protocol: VERSION,
        public_url: node.hosts.public_url().to_owned(),
        model: node.model.clone(),
        teams: node.teams.clone(),
        limits: node.config.socket.limits(),
    })
}
