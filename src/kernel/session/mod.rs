//! Commands about the session as a whole: create, set and close.

pub(super) mod learning;
pub(super) mod settings;
pub(super) mod title;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::draft::Draft;
use super::gate::GateKind;
use super::participant::join;
use super::{Fact, Member, Rejection, Right, Role, Settings, Team, flow, is_label};

/// Maximum number of characters in a title.
const MAX_TITLE_CHARS: usize = 200;

/// Creates the session; the sender becomes its owner.
pub(super) fn create(draft: &mut Draft, title: &Arc<str>, team: &Team, settings: &Settings) -> Result<(), Rejection> {
    let invalid = |message: &str| Rejection::Invalid(message.into());
    settings.check().map_err(|message| invalid(&message))?;
    check_title(title)?;
    if team.agents.is_empty() {
        return Err(invalid("the team has no agent; add one"));
    }
    flow::check(team).map_err(|text| Rejection::Invalid(format!("team {}: {text}", team.name).into()))?;
    draft.emit(Fact::SessionCreated { title: title.clone(), team: team.clone(), settings: settings.clone() });
    join(draft, Role::Owner)
}

/// Applies the `set` command.
pub(super) fn set(
    draft: &mut Draft,
    title: Option<&Arc<str>>,
    settings: Option<&Map<String, Value>>,
) -> Result<(), Rejection> {
    if let Some(title) = title {
        check_title(title)?;
    }
    let settings = settings.map(|changes| draft.view().settings.with(changes)).transpose();
    let settings = settings.map_err(|error| Rejection::Invalid(format!("settings: {error}").into()))?;
    if let Some(settings) = &settings {
        settings.check().map_err(|message| Rejection::Invalid(message.into()))?;
        let voting = |member: &Member| member.role.voting(member.kind);
        let approves = |member: &Member| settings.may(voting(member), Right::Approve);
        // After a change of rights, fewer people might be able to approve.
        let rights = settings.rights != draft.view().settings.rights;
        if rights || settings.approval != draft.view().settings.approval {
            settings
                .approval
                .check_reachable(draft.view(), approves)
                .map_err(|text| Rejection::Invalid(format!("approval: {text}").into()))?;
        }
        let known = &draft.view().settings.approval_rules;
        for (at, rule) in settings.approval_rules.iter().enumerate() {
            if !rights && known.contains(rule) {
                continue;
            }
            let invalid = |text: String| Rejection::Invalid(format!("approval_rules/{at}: {text}").into());
            for quorum in rule.escalation.iter().map(|step| &step.quorum).chain([&rule.quorum]) {
                let owners_only = rule.gate == Some(GateKind::Command);
                let decides = |member: &Member| {
                    settings.may_vote(voting(member), rule.bots)
                        && (!owners_only || voting(member) == Role::Owner)
                        && !(rule.separate_duties && member.guest)
                };
                quorum.check_reachable(draft.view(), decides).map_err(invalid)?;
            }
        }
    }
    if title.is_none() && settings.is_none() {
        return Err(Rejection::Invalid("there is nothing to change; send a title or settings".into()));
    }
    let changed = settings.as_ref().map(|settings| settings.changed_fields(&draft.view().settings)).unwrap_or_default();
    draft.emit(Fact::SessionUpdated { title: title.cloned(), settings, changed });
    Ok(())
}

/// Applies the `close` command.
pub(super) fn close(draft: &mut Draft, reason: &Arc<str>) -> Result<(), Rejection> {
    if draft.view().active_run().is_some() {
        return Err(Rejection::RunActive);
    }
    // Even without a run, gates about proposed rules and about commands that wait for owners can be open.
    for gate in draft.view().gates.clone() {
        draft.emit(Fact::GateClosed { gate: gate.id });
    }
    draft.emit(Fact::SessionClosed { reason: reason.clone() });
    Ok(())
}

fn check_title(title: &str) -> Result<(), Rejection> {
    if is_label(title, MAX_TITLE_CHARS) {
        return Ok(());
    }
    let message = "without line breaks or invisible characters";
    Err(Rejection::Invalid(format!("invalid title; use 1 to {MAX_TITLE_CHARS} characters {message}").into()))
}
