//! Repeats a participant's redaction if a command added their name to a session in the meantime, so that the name does
//! not remain there.

use std::time::Duration;

use tracing::Instrument;

use super::Dispatcher;
use crate::backoff;
use crate::identity::Participant;
use crate::kernel::{Actor, Command, CommandKind, ParticipantId, REDACTED};
use crate::redactions::RedactionRequestTarget;
use crate::store_error::StoreError;

/// Maximum number of attempts to check for a concurrent redaction. With backoff, they take about ten minutes.
const FOLLOW_ATTEMPTS: u32 = 20;

impl Dispatcher {
    /// Requests another redaction of a participant if they were redacted while a command added their name to a session.
    /// A redaction erases the participant's own record before it searches for their sessions. If it missed this
    /// session, the record is therefore already redacted at this point.
    pub(super) async fn follow_redaction(&self, participant: ParticipantId) {
        let (identities, redactions) = (self.identities.clone(), self.redactions.clone());
        let follow = async move || {
            let known = identities.participant(participant).await?;
            if known.is_none_or(|known| &*known.name != REDACTED) || !identities.is_disabled(participant).await? {
                return Ok::<_, StoreError>(());
            }
            let target = RedactionRequestTarget::Participant { participant, content: false };
            redactions.request(target, &Actor::system()).await.map(drop)
        };
        let Err(error) = follow().await else { return };
        tracing::warn!(%error, %participant, "cannot check for a concurrent redaction; retrying");
        let retries = async move {
            let mut failures = 1;
            while failures < FOLLOW_ATTEMPTS {
                tokio::time::sleep(Duration::from_millis(backoff::delay_ms(failures, 100, 60_000))).await;
                if follow().await.is_ok() {
                    return;
                }
                failures += 1;
            }
            tracing::error!(%participant, "the participant's name can remain in this session; redact them again");
        };
        tokio::spawn(retries.in_current_span());
    }
}

/// Returns the participant whose name this command can add to a session for the first time, if any.
pub(super) fn new_participant(who: &Participant, command: &Command) -> Option<ParticipantId> {
    match command.kind() {
        CommandKind::Creation | CommandKind::Entry => {}
        CommandKind::Control | CommandKind::Redaction | CommandKind::Title | CommandKind::Ordinary => return None,
    }
    let (participant, name) = match command {
        Command::Invite { participant, name, .. } => (*participant, name),
        _ => (who.id, &who.name),
    };
    (&**name != REDACTED).then_some(participant)
}
