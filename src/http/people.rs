//! Provisioning of people by a list, for administrators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::auth::Caller;
use super::extract::JsonBody;
use crate::kernel::ParticipantId;
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::provisioning::{PersonEntry, PersonOutcome, ProvisionedPerson, Provisioner};

/// Maximum number of people in one request, because each of them takes a few database statements.
const MAX_PEOPLE: usize = 500;

/// Body of a request that provisions people.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PeopleImportRequest {
    /// People as they should be, at most 500. People who are not in the list stay as they are.
    #[schemars(length(max = 500))]
    people: Vec<PersonEntry>,
    /// True to only check the list. Default false.
    #[serde(default)]
    dry_run: bool,
}

/// Response to a list of people.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PeopleImportResponse {
    /// Results, in the order of the list.
    people: Vec<ImportedPerson>,
}

/// Result of one entry of a list.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportedPerson {
    /// Id of the participant. Absent for a person who would be created without `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<ParticipantId>,
    /// Change that was made, or that would be made without `dry_run`.
    outcome: PersonOutcome,
}

pub(super) async fn import(
    State(node): State<Arc<Node>>,
    who: Caller,
    JsonBody(PeopleImportRequest { people, dry_run }): JsonBody<PeopleImportRequest>,
) -> Result<Json<PeopleImportResponse>, Problem> {
    let asker = who.administrator("import people")?;
    if people.len() > MAX_PEOPLE {
        let message = format!("the list has more than {MAX_PEOPLE} people; send several lists");
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    let provisioner = Provisioner {
        identities: &*node.identities,
        external: &*node.external,
        events: &*node.events,
        issuer: node.config.account_issuer(),
        asker: Some(asker.id),
        trial: dry_run,
    };
    let list = provisioner.apply(people).await?.map_err(|errors| {
        let message = format!("the list has errors, so nothing was changed; fix them: {}", errors[0]);
        Problem::new(Code::InvalidArgument, message).details(json!({ "errors": errors }))
    })?;
    list.audit.into_iter().for_each(|entry| node.audit.record(entry.by(&asker)));
    let people = list.people?;
    let shown = |ProvisionedPerson { id, outcome }| {
        let is_real = !dry_run || outcome != PersonOutcome::Created;
        ImportedPerson { id: is_real.then_some(id), outcome }
    };
    Ok(Json(PeopleImportResponse { people: people.into_iter().map(shown).collect() }))
}
