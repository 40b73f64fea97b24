//! Operations for administrators.

use super::super::audit::{AuditPage, AuditParameters};
use super::super::credentials::CredentialsResponse;
use super::super::participants::{
    ParticipantChangeRequest, ParticipantChangeResponse, ParticipantPage, ParticipantParameters,
};
use super::super::people::{PeopleImportRequest, PeopleImportResponse};
use super::super::quotas::{QuotaPage, QuotaParameters};
use super::super::redactions::{ParticipantRedactionRequest, ParticipantRedactionResponse};
use crate::openapi::Endpoint;
use crate::protocol::Code;

const ON_OTHERS: &[Code] = &[Code::Forbidden, Code::UnknownParticipant];

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/api/v1/people/import", "Import people")
            .about(
                "Creates, changes and disables people by a list, as `roundtable people import` does. A list with errors \
                 changes nothing; `details.errors` has all of them.",
            )
            .body::<PeopleImportRequest>()
            .json::<PeopleImportResponse>(200, "Results, in the order of the list")
            .fails(&[Code::Forbidden]),
        Endpoint::get("/api/v1/participants", "List participants")
            .query::<ParticipantParameters>()
            .json::<ParticipantPage>(200, "Page of participants, newest first")
            .fails(&[Code::Forbidden]),
        Endpoint::patch("/api/v1/participants/{participant}", "Disable or enable a participant")
            .about("A disabled participant's credentials are rejected. You cannot disable yourself.")
            .body::<ParticipantChangeRequest>()
            .json::<ParticipantChangeResponse>(200, "The new state")
            .fails(ON_OTHERS),
        Endpoint::post("/api/v1/participants/{participant}/redact", "Redact a participant")
            .about(
                "Replaces their name, revokes their credentials, disables them, and redacts them in every session whose \
                 log mentions them. The sessions follow one after the other.",
            )
            .body::<ParticipantRedactionRequest>()
            .json::<ParticipantRedactionResponse>(202, "The redaction has started")
            .fails(ON_OTHERS),
        Endpoint::get("/api/v1/participants/{participant}/credentials", "List a participant's credentials")
            .json::<CredentialsResponse>(200, "Their credentials, without secrets")
            .fails(ON_OTHERS),
        Endpoint::delete("/api/v1/participants/{participant}/credentials", "Sign a participant out everywhere")
            .about("Revokes their cookies and unused sign-in links. Tokens stay valid.")
            .empty(204, "They are revoked")
            .fails(ON_OTHERS),
        Endpoint::delete(
            "/api/v1/participants/{participant}/credentials/{credential}",
            "Revoke a participant's credential",
        )
        .empty(204, "It is revoked")
        .fails(ON_OTHERS)
        .fails(&[Code::NotFound]),
        Endpoint::get("/api/v1/quotas", "List monthly quotas")
            .about("Lists the participants, sessions or teams whose runs used models this month.")
            .query::<QuotaParameters>()
            .json::<QuotaPage>(200, "Page of quotas, most tokens first")
            .fails(&[Code::Forbidden]),
        Endpoint::get("/api/v1/audit", "Read the audit log")
            .query::<AuditParameters>()
            .json::<AuditPage>(200, "Page of entries, newest first")
            .fails(&[Code::Forbidden]),
    ]
}
