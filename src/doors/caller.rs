//! Authentication of callers at doors.

use axum::Extension;
use axum::http::Extensions;

use crate::identity::{CredentialProof, Participant, RevocationGuard, ServerRole, ensure_participant};
use crate::network::ClientAddress;
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Returns the participant of the request's token or cookie. Without a credential, and if guest doors are open, returns
/// the guest of the caller's address. Guests from different addresses share neither uploads nor sessions.
pub(super) async fn caller(node: &Node, request: &Extensions, door: &str) -> Result<Participant, Problem> {
    match request.get::<Participant>() {
        Some(who) => Ok(who.clone()),
        None if node.takes_guests() => {
            let address = request.get::<ClientAddress>().map(|address| address.network().to_string());
            let key = format!("guest at {}", address.as_deref().unwrap_or("an unknown address"));
            let guest = ensure_participant(&*node.identities, &key, "Guest", ServerRole::Guest).await?;
            if node.identities.is_disabled(guest.id).await? {
                return Err(Problem::new(Code::Unauthenticated, "guests from this address are disabled; sign in"));
            }
            node.audit.guest_door(&guest, door);
            Ok(guest)
        }
        None => Err(Problem::new(Code::Unauthenticated, "no credential; send Authorization: Bearer with a token")),
    }
}

/// Checks that the participant can create sessions through doors. Guests can do so only while guest doors are open.
pub(super) fn check_may_create(node: &Node, who: &Participant) -> Result<(), Problem> {
    if who.server_role != ServerRole::Guest || node.takes_guests() {
        return Ok(());
    }
    Err(Problem::new(Code::Forbidden, "a guest's token cannot create sessions here; use a member's token"))
}

/// Returns a guard that ends the caller's stream with their credential or, for a guest without one, when the server
/// stops.
pub(super) fn stream_lifetime(node: &Node, proof: Option<Extension<CredentialProof>>) -> RevocationGuard {
    match proof {
        Some(Extension(proof)) => node.revocations.hold(proof.hash),
        None => node.revocations.hold_for_guest(),
    }
}
