//! Operations on invitation links.

use super::super::accept_invite::{
    InviteAcceptRequest, InviteAcceptResponse, InvitePreviewRequest, InvitePreviewResponse, KnockResponse,
};
use super::super::invites::{InviteLinkResponse, InviteRequest, InvitesResponse};
use super::sessions::of_session;
use crate::openapi::Endpoint;
use crate::protocol::Code;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        of_session(Endpoint::get("/api/v1/sessions/{session}/invites", "List invitations"))
            .about("Owners see all open invitations, others their own.")
            .json::<InvitesResponse>(200, "Open invitations")
            .fails(&[Code::Forbidden]),
        of_session(Endpoint::post("/api/v1/sessions/{session}/invites", "Create an invitation"))
            .about("The link stops working when its creator can no longer give its role.")
            .body::<InviteRequest>()
            .json::<InviteLinkResponse>(201, "The link, which is shown only once")
            .fails(&[Code::Forbidden, Code::SessionFull]),
        of_session(Endpoint::delete("/api/v1/sessions/{session}/invites", "Delete all invitations"))
            .about("Deletes all open invitations that you can see.")
            .empty(204, "They are deleted")
            .fails(&[Code::Forbidden]),
        of_session(Endpoint::delete("/api/v1/sessions/{session}/invites/{invite}", "Delete an invitation"))
            .empty(204, "It is deleted")
            .fails(&[Code::Forbidden, Code::NotFound]),
        Endpoint::post("/api/v1/invites/preview", "Preview an invitation")
            .optional_credential()
            .body::<InvitePreviewRequest>()
            .json::<InvitePreviewResponse>(200, "What the link opens")
            .fails(&[Code::LinkInvalid]),
        Endpoint::post("/api/v1/invites/accept", "Accept an invitation")
            .about(
                "Joins the session. With a credential you join as yourself; a bot gets at most the `bot` role. Without one \
                 you join as a new guest with this name and receive a cookie.",
            )
            .optional_credential()
            .body::<InviteAcceptRequest>()
            .json::<InviteAcceptResponse>(200, "You are in the session")
            .header("set-cookie", "Cookie of a new guest.")
            .json::<InviteAcceptResponse>(202, "An owner has to admit you first")
            .header("set-cookie", "Cookie of a new guest.")
            .fails(&[Code::LinkInvalid, Code::UnknownSession, Code::SessionClosed, Code::SessionFull, Code::InboxFull]),
        Endpoint::get("/api/v1/sessions/{session}/knock", "Get the state of your request to join")
            .about("Poll every few seconds. The session is unknown to you if you never knocked.")
            .json::<KnockResponse>(200, "State of the request")
            .fails(&[Code::UnknownSession]),
    ]
}
