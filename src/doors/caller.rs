//! Who calls at a door.

use axum::Extension;
use axum::http::Extensions;

use crate::http::ClientAddress;
use crate::identity::{Held, Participant, Proof, Standing, standing_participant};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// The participant that the request's token or cookie names; where guests are let in, else the guest of all doors at the
/// caller's address. Guests of different addresses share nothing: neither uploads nor sessions.
pub(super) async fn caller(node: &Node, request: &Extensions, door: &str) -> Result<Participant, Problem> {
    match request.get::<Participant>() {
        Some(who) => Ok(who.clone()),
        None if node.takes_guests() => {
            let address = request.get::<ClientAddress>().map(|address| address.network().to_string());
            let key = format!("guest at {}", address.as_deref().unwrap_or("an unknown address"));
            let guest = standing_participant(&*node.identities, &key, "Guest", Standing::Guest).await?;
            if node.identities.is_disabled(guest.id).await? {
                return Err(Problem::new(Code::Unauthenticated, "guests of this address are disabled; sign in"));
            }
            node.audit.guest_door(&guest, door);
            Ok(guest)
        }
        None => Err(Problem::new(Code::Unauthenticated, "send Authorization: Bearer with a token")),
    }
}

/// Whether they may begin something: guests only where everybody may come in as one.
pub(super) fn may_begin(node: &Node, who: &Participant) -> Result<(), Problem> {
    if who.standing != Standing::Guest || node.takes_guests() {
        return Ok(());
    }
    Err(Problem::new(Code::Forbidden, "a guest's token cannot begin anything here; use a member's"))
}

/// What the caller's stream lasts as long as: their credential, or the server where they came as a guest.
pub(super) fn held(node: &Node, proof: Option<Extension<Proof>>) -> Held {
    match proof {
        Some(Extension(proof)) => node.revocations.hold(proof.hash),
        None => node.revocations.hold_for_guest(),
    }
}
