//! Operations on sessions, their logs, commands and files.

use super::super::commands::{Ack, CommandBody};
use super::super::files::{
    FileCommandParameters, FileDownloadParameters, FileListParameters, FilePutResponse, FilesResponse,
};
use super::super::quotas::MonthlyQuotasResponse;
use super::super::redactions::SessionRedactionRequest;
use super::super::rule_forecast::RuleForecastResponse;
use super::super::rule_suggestions::RuleSuggestionsResponse;
use super::super::session_log::{LogParameters, LogResponse, MessageParameters, MessagesResponse};
use super::super::sessions::{
    GuestsResponse, SessionCreatedResponse, SessionListParameters, SessionResponse, SessionsResponse,
};
use super::super::sse::EventParameters;
use crate::node::NewSession;
use crate::openapi::Endpoint;
use crate::protocol::{Code, Family, ServerFrame};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let rejections: Vec<Code> = Code::ALL.iter().copied().filter(|code| code.family() == Family::Rejection).collect();
    vec![
        Endpoint::get("/api/v1/sessions", "List your sessions")
            .about("Most recently changed first. An administrator sees all sessions.")
            .query::<SessionListParameters>()
            .json::<SessionsResponse>(200, "Page of sessions"),
        Endpoint::post("/api/v1/sessions", "Create a session")
            .about("You own it. `message` starts its first run. Guests cannot create sessions.")
            .body::<NewSession>()
            .json::<SessionCreatedResponse>(201, "The session")
            .fails(&[Code::Forbidden, Code::UnknownKnowledge, Code::UnknownTeam, Code::QuotaExceeded]),
        of_session(Endpoint::get("/api/v1/sessions/{session}", "Get a session"))
            .about("Its current state, in the form of a snapshot, and your rights in it.")
            .json::<SessionResponse>(200, "State of the session"),
        of_session(Endpoint::get("/api/v1/sessions/{session}/guests", "List the guests of a session"))
            .about("Guests joined by a link and chose their own name, which can be somebody else's name too.")
            .json::<GuestsResponse>(200, "Guests"),
        of_session(Endpoint::get("/api/v1/sessions/{session}/log", "Read the log of a session"))
            .query::<LogParameters>()
            .json::<LogResponse>(200, "Page of the log"),
        of_session(Endpoint::get("/api/v1/sessions/{session}/messages", "Read older messages"))
            .about("Messages before one, for clients that show more than the snapshot has.")
            .query::<MessageParameters>()
            .json::<MessagesResponse>(200, "Page of messages"),
        of_session(Endpoint::get("/api/v1/sessions/{session}/events", "Follow a session"))
            .about(
                "The log from a position on, then live frames, as server-sent events. The `id` of an event is its seq; a \
                 client that reconnects with `Last-Event-ID` continues after it.",
            )
            .query::<EventParameters>()
            .request_header("last-event-id", "Seq of the last event that the client has.")
            .events::<ServerFrame>("Frames of the session"),
        of_session(Endpoint::post("/api/v1/sessions/{session}/commands", "Send a command"))
            .about("The response comes when the command is applied and durable. A retry with the same id counts once.")
            .body::<CommandBody>()
            .json::<Ack>(200, "The command is applied")
            .fails(&rejections)
            .fails(&[Code::UnknownCommand]),
        of_session(Endpoint::post("/api/v1/sessions/{session}/redact", "Redact a session"))
            .about("Erases the content of the session permanently. Requires the right to manage it.")
            .body::<SessionRedactionRequest>()
            .json::<Ack>(200, "The session is redacted")
            .fails(&[Code::Forbidden, Code::NotAMember, Code::RunActive, Code::SessionClosed]),
        of_session(Endpoint::get("/api/v1/sessions/{session}/rule-suggestions", "List suggested rules"))
            .about(
                "Rules that the votes so far suggest, each with the past calls that it would have allowed. The command \
                 `propose_rule` opens a gate about one.",
            )
            .json::<RuleSuggestionsResponse>(200, "Suggested rules"),
        of_session(Endpoint::get(
            "/api/v1/sessions/{session}/rule-suggestions/{suggestion}/forecast",
            "Forecast a suggested rule for other sessions",
        ))
        .about("Tries a rule that is suggested or proposed on the past calls of your other sessions with the same team.")
        .json::<RuleForecastResponse>(200, "Forecast")
        .fails(&[Code::UnknownSuggestion]),
        of_session(Endpoint::get("/api/v1/sessions/{session}/quotas", "List the monthly quotas of your runs"))
            .about("Lists the quotas of you, the session and its team that are set, with what is used of them this month.")
            .json::<MonthlyQuotasResponse>(200, "Quotas that limit the runs that you start"),
        of_session(Endpoint::get("/api/v1/sessions/{session}/files", "List files"))
            .query::<FileListParameters>()
            .json::<FilesResponse>(200, "Files of the session"),
        of_session(Endpoint::get("/api/v1/sessions/{session}/files/{name}", "Download a file"))
            .query::<FileDownloadParameters>()
            .download("Content of the file")
            .fails(&[Code::UnknownFile]),
        of_session(Endpoint::put("/api/v1/sessions/{session}/files/{name}", "Upload a file"))
            .about("Adds a file, or a new version of it. The media type follows from its name and content.")
            .query::<FileCommandParameters>()
            .upload()
            .json::<FilePutResponse>(200, "Version with this content")
            .fails(&[Code::Forbidden, Code::NotAMember, Code::SessionClosed, Code::FilesFull, Code::QuotaExceeded]),
        of_session(Endpoint::delete("/api/v1/sessions/{session}/files/{name}", "Remove a file"))
            .about("Removes the file from the list. Its versions stay and can be restored.")
            .query::<FileCommandParameters>()
            .json::<Ack>(200, "The file is removed")
            .fails(&[Code::Forbidden, Code::NotAMember, Code::SessionClosed, Code::UnknownFile]),
    ]
}

/// Adds the errors of the access check in front of every path of a session.
pub(super) fn of_session(endpoint: Endpoint) -> Endpoint {
    endpoint.fails(&[Code::UnknownSession])
}
