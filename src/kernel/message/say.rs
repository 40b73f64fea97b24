//! Messages of participants: conversation, the input of a run, feedback at a gate, or messages for a busy run.

use std::sync::Arc;

use super::mention::{self, Addressee, Route, RouteReason};
use super::relay;
use crate::draft::Draft;
use crate::flow::{STRUCTURE, topology};
use crate::gate::approval_text::is_approval;
use crate::gate::{Gate, GateAction, vote, voting_right};
use crate::{
    ActorKind, Fact, MessageId, MessageRequest, Mode, PriorMessage, Rejection, Right, View, call, driver, flow,
    is_blank,
};

/// Applies the `say` command. Its effect depends on the recipients and on the phase of the run.
pub(crate) fn say(draft: &mut Draft, text: &Arc<str>, to: Option<&[Addressee]>, mode: Mode) -> Result<(), Rejection> {
    // A message that owners approved never becomes a vote or an answer, because they did not approve that.
    let gate = answered_gate(draft.view()).filter(|_| !draft.is_approved()).cloned();
    let mut route = mention::route(draft.view(), text, to);
    // Feedback often contains words such as `@NotNull`. The whole team reads it, and the receipt lists the unknown
    // names.
    if gate.is_some() && route.reason == RouteReason::Unresolved {
        route = route.for_agents();
    }
    if let Some(gate) = gate.filter(|_| route.is_for_agents()) {
        // An empty message is an approval, but not if it has files attached.
        let shows = draft.has_attached() && text.trim().is_empty();
        let votes = gate.allow.contains(&GateAction::Approve) && voting_right::may_vote(draft, &gate).is_ok();
        if !shows && votes && is_approval(&mention::without_names(draft.view(), text)) {
            return vote::approve_with_text(draft, &gate, text);
        }
        require_something(draft, text)?;
        if vote::may_decide(draft, &gate).is_ok() {
            // A question with a schema accepts matching answers only.
            match call::lifecycle::read_answer(&gate, text) {
                Ok(answer) => {
                    draft.require(Right::Answer)?;
                    vote::respond(draft, gate.id, &answer, route);
                    return Ok(());
                }
                Err(message) => return Err(Rejection::Invalid(message.into())),
            }
        }
    }
    require_something(draft, text)?;
    if !route.is_for_agents() {
        draft.require(Right::Say)?;
        post(draft, text, route, None);
        return Ok(());
    }
    draft.require(Right::Steer)?;
    let Some(run) = draft.view().active_run() else {
        topology::check_templates(&draft.view().team, text, None)?;
        let to = route.to.clone();
        let input = post(draft, text, route, None);
        driver::start_run(draft, input, to);
        return Ok(());
    };
    let limit = draft.view().settings.max_waiting_messages;
    if draft.view().inbox.len() >= usize::try_from(limit).unwrap_or(usize::MAX) {
        return Err(Rejection::InboxFull { limit });
    }
    // Without a running step, there is nothing to steer: the message waits for the next step.
    let mode = if run.is_busy() { mode } else { Mode::Queue };
    post(draft, text, route, Some(mode));
    Ok(())
}

/// Returns the gate that a message without a gate id answers: the one that blocks the run or, if no agent and no call
/// is running, the only one that accepts text. Never returns a gate about a call, because the text would be taken for
/// the tool's result.
fn answered_gate(view: &View) -> Option<&Gate> {
    let run = view.active_run()?;
    let mut gates = view.gates.iter().filter(|gate| gate.run == Some(run.id) && gate.kind.accepts_text());
    let first = gates.next()?;
    let only = gates.next().is_none() && run.running.is_empty() && run.started().next().is_none();
    (first.blocks_run() || only).then_some(first)
}

/// Applies the `start` command: starts a run with a message for the whole flow, regardless of mentions of people, after
/// the relayed messages.
pub(crate) fn start(
    draft: &mut Draft,
    flow: Option<&Arc<str>>,
    input: &Arc<str>,
    earlier: &[PriorMessage],
    request: Option<&Arc<MessageRequest>>,
) -> Result<(), Rejection> {
    require_something(draft, input)?;
    request.map_or(Ok(()), |request| request.check())?;
    if draft.view().active_run().is_some() {
        return Err(Rejection::RunActive);
    }
    let own = draft.view().team.flow.clone();
    let flow = flow.unwrap_or(&own).clone();
    if *flow == *STRUCTURE {
        check_structure(draft.view(), request.map(AsRef::as_ref))?;
    } else if flow != own {
        let known = if flow::flow_named(&flow).is_some() { "the flow of another team" } else { "unknown" };
        let message = format!("flow {flow} is {known}; omit flow, or use {own}");
        return Err(Rejection::Invalid(message.into()));
    } else {
        topology::check_templates(&draft.view().team, input, request.map(|request| &**request))?;
    }
    relay::post_prior(draft, earlier)?;
    let route = mention::route(draft.view(), input, None).for_agents();
    let to = route.to.clone();
    let message = post_with(draft, input, route, None, request.cloned());
    driver::start_run_of(draft, flow, message, to);
    Ok(())
}

/// Checks that the `structure` flow has results to work on, and a schema.
fn check_structure(view: &View, request: Option<&MessageRequest>) -> Result<(), Rejection> {
    let reason = match request.and_then(|request| request.output_schema.as_ref()) {
        None => "flow structure requires output_schema; add it, or omit flow",
        Some(_) => match &view.run {
            None => "flow structure requires the result of an earlier run; start one first",
            // Otherwise, the agent would invent a value. An answer from an even earlier run is in the conversation.
            Some(run) if view.team.topology.is_some() && !run.has_results() && !has_answers(view) => {
                "no agent has written a result yet: the runs of this session ended before; start another one"
            }
            Some(_) => return Ok(()),
        },
    };
    Err(Rejection::Invalid(reason.into()))
}

/// Returns whether the conversation contains an answer by an agent.
fn has_answers(view: &View) -> bool {
    view.model_messages.iter().any(|message| message.by.kind == ActorKind::Agent)
}

/// Applies the `withdraw` command: withdraws a message that has not been consumed yet.
pub(crate) fn withdraw(draft: &mut Draft, message: MessageId) -> Result<(), Rejection> {
    if !draft.view().inbox.iter().any(|queued| queued.message == message) {
        return Err(Rejection::NotWaiting);
    }
    let author = draft.view().message(message).map(|message| message.by.id.clone());
    if author.as_ref() != Some(&draft.by().id) {
        return Err(Rejection::NotTheAuthor);
    }
    draft.emit(Fact::MessageWithdrawn { message });
    Ok(())
}

/// Posts a message and the receipt of its mentions. Returns the id of the message.
pub(crate) fn post(draft: &mut Draft, text: &Arc<str>, route: Route, waiting: Option<Mode>) -> MessageId {
    post_with(draft, text, route, waiting, None)
}

fn post_with(
    draft: &mut Draft,
    text: &Arc<str>,
    route: Route,
    waiting: Option<Mode>,
    request: Option<Arc<MessageRequest>>,
) -> MessageId {
    let message = MessageId(draft.next_seq());
    let files = draft.take_attached();
    draft.emit(Fact::MessagePosted { message, text: text.clone(), files, relays: None, request });
    let Route { to, reason, unresolved } = route;
    draft.emit(Fact::MessageRouted { message, to, reason, unresolved, waiting });
    message
}

/// Returns the route of an approval.
pub(crate) fn approval_route() -> Route {
    Route { to: vec![], reason: RouteReason::Approval, unresolved: vec![] }
}

/// Checks that a message has text or files.
fn require_something(draft: &Draft, text: &str) -> Result<(), Rejection> {
    if draft.has_attached() { Ok(()) } else { require_text(text) }
}

pub(crate) fn require_text(text: &str) -> Result<(), Rejection> {
    if is_blank(text) {
        return Err(Rejection::Invalid("the text is empty; enter a text".into()));
    }
    Ok(())
}
