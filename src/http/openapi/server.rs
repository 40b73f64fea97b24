//! Operations that describe the server and its health.

use super::super::about::AboutResponse;
use crate::health::Readiness;
use crate::openapi::Endpoint;
use crate::protocol::Code;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/v1/server", "Describe the server")
            .about("Version, models, tools, teams, names of the code bases that you can use, and limits.")
            .json::<AboutResponse>(200, "Description of the server"),
        Endpoint::get("/api/openapi.json", "Get the OpenAPI document")
            .public()
            .text("application/json", "This document"),
        Endpoint::get("/api/docs", "Read the documentation")
            .about("The OpenAPI document as a page.")
            .public()
            .text("text/html; charset=utf-8", "Page"),
        Endpoint::get("/api/v1/ws", "Open a WebSocket")
            .about("Commands, events and text as it is written; see `docs/protocol.md`. Requires HTTP/1.1.")
            .optional_credential()
            .empty(101, "The connection is a WebSocket now")
            .fails(&[Code::BadFrame, Code::UpgradeRequired]),
        Endpoint::get("/healthz", "Check that the process responds")
            .public()
            .unlimited()
            .text("text/plain; charset=utf-8", "`ok`"),
        Endpoint::get("/readyz", "Check that the node accepts work")
            .public()
            .unlimited()
            .json::<Readiness>(200, "The node is ready")
            .json::<Readiness>(503, "The node is not ready: it is shutting down, or has lost its database"),
        Endpoint::get("/metrics", "Get metrics")
            .about(
                "Metrics for Prometheus, in its text format or as OpenMetrics. Only at the `metrics_listen` address.",
            )
            .public()
            .unlimited()
            .text("text/plain; version=0.0.4; charset=utf-8", "Metrics"),
    ]
}
