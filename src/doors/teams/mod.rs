//! The `teams` door: participants create teams from a topology of nodes, agents and supervisors, through
//! `/api/v1/teams` in the vocabulary of its own specification.

mod access;
mod body;
mod caller;
mod copy;
mod create;
mod error;
mod executions;
mod export;
mod if_match;
mod list;
mod lookup;
mod page;
mod prepared_team;
mod remove;
mod replace;
mod response;
mod schema;
mod show;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post, put};

use crate::agent::teams::topology::TeamDocument;
use crate::node::Node;
use crate::openapi::Endpoint;
use crate::protocol::Code;

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/v1/teams", get(list::list).post(create::create))
        .route("/api/v1/teams/import", post(create::import))
        .route("/api/v1/teams/schema", get(schema::schema))
        .route(
            "/api/v1/teams/{team}",
            get(show::show).put(replace::replace).patch(status::change).delete(remove::remove),
        )
        .route("/api/v1/teams/{team}/clone", post(copy::copy))
        .route("/api/v1/teams/{team}/export", get(export::export))
        .route("/api/v1/teams/{team}/access", get(access::list))
        .route("/api/v1/teams/{team}/access/{participant}", put(access::share).delete(access::unshare))
        .merge(executions::routes())
}

/// Returns the operations of the door, for the OpenAPI document.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    let all = |endpoint: Endpoint| endpoint.error::<error::TeamError>();
    let of_team = |endpoint: Endpoint| all(endpoint).fails(&[Code::UnknownTeam]);
    let made = |endpoint: Endpoint| {
        let made = [Code::InvalidTopology, Code::QuotaExceeded, Code::Forbidden];
        all(endpoint).json::<response::CreatedTeamResponse>(201, "The team").fails(&made)
    };
    let managed = |endpoint: Endpoint| of_team(endpoint).fails(&[Code::Forbidden]);
    let tagged = |endpoint: Endpoint| endpoint.header("etag", "Version of the team in quotes, for `If-Match`.");
    let version = |endpoint: Endpoint| tagged(endpoint.json::<response::TeamResponse>(200, "The team"));
    let if_match = |endpoint: Endpoint| {
        let message = "ETag of the version that the request is about. Absent: the newest.";
        endpoint.request_header("if-match", message).fails(&[Code::StaleRevision])
    };
    let teams = vec![
        made(Endpoint::post("/api/v1/teams", "Create a team from a topology"))
            .about("All errors of the document are reported at once. Guests cannot create teams.")
            .query::<create::CreateParameters>()
            .body::<TeamDocument>()
            .json::<response::ValidTeamResponse>(200, "With `dry_run`: the document is valid"),
        all(Endpoint::get("/api/v1/teams", "List teams"))
            .about("Your own teams and those that are shared with you, newest first. Administrators see all.")
            .query::<list::ListParameters>()
            .json::<response::TeamListResponse>(200, "A page of teams"),
        made(Endpoint::post("/api/v1/teams/import", "Import a team"))
            .about("The body is a document in JSON, or a team file in TOML with the content type `application/toml`.")
            .query::<create::CreateParameters>()
            .body::<TeamDocument>()
            .text_body("application/toml")
            .json::<response::ValidTeamResponse>(200, "With `dry_run`: the document is valid"),
        all(Endpoint::get("/api/v1/teams/schema", "Get the JSON Schema of a team"))
            .json::<schema::TeamSchemaResponse>(200, "The schema, of draft 2020-12"),
        version(of_team(Endpoint::get("/api/v1/teams/{team}", "Get a team"))),
        tagged(
            if_match(managed(Endpoint::put("/api/v1/teams/{team}", "Replace a team")))
                .json::<response::ReplacedTeamResponse>(200, "The team, or the result of the check with `dry_run`"),
        )
        .about(
            "Makes another version. Executions keep the version that they began with. With `dry_run`, the response is \
             only `status`: `valid`, and `topology_summary`.",
        )
        .query::<create::CreateParameters>()
        .body::<TeamDocument>()
        .fails(&[Code::InvalidTopology, Code::QuotaExceeded]),
        version(if_match(managed(Endpoint::patch("/api/v1/teams/{team}", "Switch a team on or off"))))
            .body::<status::StatusRequest>(),
        if_match(managed(Endpoint::delete("/api/v1/teams/{team}", "Delete a team")))
            .query::<remove::RemoveParameters>()
            .empty(204, "The team is deleted")
            .fails(&[Code::TeamBusy]),
        made(Endpoint::post("/api/v1/teams/{team}/clone", "Copy a team"))
            .about("The copy belongs to the caller.")
            .body::<copy::CopyRequest>()
            .fails(&[Code::UnknownTeam]),
        of_team(Endpoint::get("/api/v1/teams/{team}/export", "Export a team"))
            .about("The document in JSON, or a team file in TOML. Both can be imported.")
            .query::<export::ExportParameters>()
            .json::<TeamDocument>(200, "The document, or the team file")
            .text("application/toml", "The document, or the team file")
            .file(),
        managed(Endpoint::get("/api/v1/teams/{team}/access", "List who can use a team"))
            .json::<access::AccessListResponse>(200, "The participants with a right"),
        managed(Endpoint::put("/api/v1/teams/{team}/access/{participant}", "Share a team"))
            .body::<access::AccessRequest>()
            .json::<access::AccessResponse>(200, "The right")
            .fails(&[Code::UnknownParticipant, Code::QuotaExceeded]),
        managed(Endpoint::delete("/api/v1/teams/{team}/access/{participant}", "Stop sharing a team"))
            .empty(204, "The participant has no right any more")
            .fails(&[Code::UnknownParticipant]),
    ];
    [teams, executions::endpoints()].into_iter().flatten().collect()
}
