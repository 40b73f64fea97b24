//! Who calls at a door.

use axum::Extension;

use crate::identity::{Held, Participant, Proof, Standing, standing_participant};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Whoever the request's token or cookie names, else the door's guest where guests are let in.
pub(super) async fn caller(
    node: &Node,
    who: Option<Extension<Participant>>,
    door: &str,
) -> Result<Participant, Problem> {
    match who {
        Some(Extension(who)) => Ok(who),
        None if node.takes_guests() => {
            let key = format!("{door} guest");
            standing_participant(&*node.identities, &key, "Guest", Standing::Guest).await.map_err(Problem::from)
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
