//! Redactions that a command with a name has overtaken: they are repeated, so that the name does not stay.

use std::time::Duration;

use tracing::Instrument;

use super::Dispatcher;
use crate::backoff;
use crate::identity::Participant;
use crate::kernel::{Actor, Command, CommandKind, ParticipantId, REDACTED};
use crate::redactions::RedactionRequestTarget;
use crate::store_error::StoreError;

/// Maximum number of checks for a redaction that a command missed. With backoff they take about ten minutes.
const FOLLOW_ATTEMPTS: u32 = 20;

impl Dispatcher {
    /// Redacts a participant again if their redaction ended while a command brought their name into a new session. The
    /// redaction erases the name before it searches for the participant's sessions, so if it missed this session, the
    /// name is already erased here.
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

/// Returns the participant whose name this command can bring into a session for the first time.
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
