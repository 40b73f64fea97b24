//! Builds the request for a turn from the session's view.
//!
//! Entries of other authors go into user messages, one message for all entries between two responses of the agent
//! itself, because many chat templates reject consecutive user messages, and text by other agents must not appear in
//! the assistant role. Flows that work in rounds put all entries into one message, as the test-case team's
//! specification requires.

use std::num::NonZeroU32;
use std::sync::Arc;

use super::brief::Brief;
use super::envelope::neutralize_control_tokens;
use super::prompt_texts::PromptTexts;
use super::{
    attachments,
    placeholders::{self, Placeholders},
    tool_rounds,
};
use crate::agent::teams::builtin_teams;
use crate::agent::{CutBehavior, ModelMessage, PromptBlock, ResponseFormat, Transcript, TranscriptEntry, TurnRequest};
use crate::kernel::call::Call;
use crate::kernel::kernel_tools::ASK_PEOPLE_TOOL;
use crate::kernel::output_shape::{OutputShape, USER_INPUT};
use crate::kernel::{ActorKind, Message, MessageId, Run, RunningMessage, Target, Task, View, flow};

/// Builds the request for the turn that writes `running`.
pub fn turn_request(view: &View, running: &RunningMessage) -> TurnRequest {
    let agent = view.team.agent(&running.agent);
    let reader = PromptBuilder::new(view, running);
    let prompt = agent.map_or("", |agent| &agent.prompt);
    let system = ModelMessage::System(reader.system(prompt).into());
    let mut messages = vec![system, ModelMessage::Transcript(reader.transcript(prompt))];
    let mut response_format = None;
    if let Some(run) = view.active_run() {
        messages.extend(tool_rounds::messages(view, run, running, reader.later()));
        let shape = flow::shape_of(view, run, &running.assignment());
        response_format = shape.map(|shape| ResponseFormat {
            name: shape.name().into(),
            schema: shape.schema(),
            is_quoted: matches!(shape, OutputShape::Given(_)),
        });
    }
    let model = view.settings.model.clone().or_else(|| agent.and_then(|agent| agent.model.clone()));
    let temperature = agent.and_then(|agent| agent.temperature);
    let max_tokens = agent.and_then(|agent| agent.max_tokens).map(NonZeroU32::get);
    let bound = running.bound;
    TurnRequest { model, messages, response_format, temperature, max_tokens, bound, ..TurnRequest::default() }
}

struct PromptBuilder<'a> {
    view: &'a View,
    run: Option<&'a Run>,
    running: &'a RunningMessage,
    wording: PromptTexts,
    /// Messages that the agent reads, in the order in which they began.
    messages: Vec<&'a Arc<Message>>,
}

impl<'a> PromptBuilder<'a> {
    fn new(view: &'a View, running: &'a RunningMessage) -> Self {
        let reads = |message: &&Arc<Message>| {
            is_visible_to_model(view, running, message) && !is_known_result(view, running, message)
        };
        let mut messages: Vec<&Arc<Message>> = view.model_messages.iter().filter(reads).collect();
        // A message's id is the seq at which the message began, so messages that were posted while an agent was writing
        // follow that agent's text.
        messages.sort_by_key(|message| message.id);
        Self { view, run: view.run.as_ref(), running, wording: PromptTexts::of(view.team.language), messages }
    }

    /// Returns the system prompt for this turn. It contains no text or names from people.
    fn system(&self, prompt: &str) -> String {
        let now = self.running.started_at.to_string();
        let date = now.split('T').next().unwrap_or_default();
        let PromptTexts { files, before: history, query, results, .. } = self.wording;
        let prompt = placeholders::fill(prompt.trim_end(), &Placeholders { date, files, history, query, results });
        let between = if prompt.is_empty() { "" } else { Transcript::BETWEEN };
        format!("{prompt}{between}{}", self.wording.reading)
    }

    /// Returns the conversation, with the list of files if the prompt or the task needs it.
    fn transcript(&self, prompt: &str) -> Transcript {
        let mut transcript = self.build_transcript();
        if placeholders::uses_files(prompt) || self.continues_with_files() {
            let agent = self.view.team.agent(&self.running.agent);
            let rules = agent.map(|agent| &*agent.permissions).unwrap_or_default();
            transcript.present.insert(0, attachments::file_list(self.view, rules));
        }
        transcript
    }

    /// Returns whether the agent continues or summarizes the run's work and the run has created files.
    fn continues_with_files(&self) -> bool {
        let goes_on = matches!(self.running.task, Task::Execute { .. } | Task::Summarize | Task::Structure);
        let made =
            |run: &Run| self.view.current_files().any(|file| file.call.is_some_and(|call| run.call(call).is_some()));
        goes_on && self.run.is_some_and(made)
    }

    fn build_transcript(&self) -> Transcript {
        if let Some(run) = self.run.filter(|_| !self.is_bare_reply()) {
            return self.task(run);
        }
        let request = self.run.and_then(|run| run.round.input).and_then(|id| self.messages.iter().find(|m| m.id == id));
        let request = request.copied();
        let messages: Vec<&Arc<Message>> =
            self.messages.iter().copied().filter(|message| !self.is_later(message)).collect();
        let (now, past): (Vec<&Arc<Message>>, Vec<&Arc<Message>>) =
            messages.into_iter().partition(|message| self.is_in_current_round(message, request));
        let past = past.into_iter().filter(|message| request.is_none_or(|request| request.id != message.id));
        let mut past: Vec<TranscriptEntry> = past.map(|message| self.history(message)).collect();
        let mut present = vec![];
        match request {
            _ if self.is_approved() => present.extend(self.approval(request)),
            // The first message of a session is part of the history, because other agents read it there.
            Some(request) if past.is_empty() => past.push(self.question(request)),
            Some(request) => present.push(self.feedback(request)),
            None => {}
        }
        let ends_with_people = now.last().map_or(!present.is_empty(), |message| is_from_people(message));
        present.extend(now.iter().map(|message| match is_from_people(message) {
            true => self.feedback(message),
            false => message_block(message),
        }));
        if !ends_with_people && !self.is_first_turn(&past) {
            present.push(self.wording.turn_notice(&self.running.agent));
        }
        Transcript { language: self.view.team.language, past, present, ..Transcript::default() }
    }

    /// Returns whether the agent only replies to a message, either without earlier work in the run or in a flow that
    /// works in rounds.
    fn is_bare_reply(&self) -> bool {
        let rounds = |run: &Run| flow::flow_of(run).is_some_and(|flow| flow.uses_rounds());
        self.running.task.is_reply()
            && self.run.is_none_or(|run| run.plan.is_none() && run.task_results.is_empty() || rounds(run))
    }

    /// Returns the transcript of a task, with the history before and in the run.
    fn task(&self, run: &Run) -> Transcript {
        let brief = Brief::new(self.view, run, self.running);
        let before = self.messages.iter().filter(|message| message.id < run.input);
        let mut past: Vec<TranscriptEntry> = before.map(|message| self.history(message)).collect();
        let input = self.messages.iter().find(|message| message.id == run.input);
        past.extend(input.map(|input| self.question(input)));
        past.extend(brief.results());
        let messages = self.messages.iter().filter(|message| {
            is_from_people(message) && message.run == Some(run.id) && message.id > run.input && !self.is_later(message)
        });
        let mut present: Vec<PromptBlock> = messages.map(|message| self.feedback(message)).collect();
        present.extend(brief.blocks());
        Transcript { language: self.view.team.language, past, present, ..Transcript::default() }
    }

    /// Returns whether the run's input is the only message. In this case, the prompt needs no note about whose turn it
    /// is.
    fn is_first_turn(&self, past: &[TranscriptEntry]) -> bool {
        past.len() == 1 && self.messages.len() == 1 && is_from_people(self.messages[0])
    }

    /// Returns people's messages after the agent's first tool round of this task.
    fn later(&self) -> Vec<(MessageId, PromptBlock)> {
        let messages = self.messages.iter().filter(|message| is_from_people(message) && self.is_later(message));
        messages.map(|message| (message.id, self.feedback(message))).collect()
    }

    /// Returns whether a message belongs to the tool rounds of the agent's task: the agent's own text with its calls,
    /// or a person's message after the first round.
    fn is_later(&self, message: &Message) -> bool {
        let own = self.running.assignment();
        let started = self.run.map(|run| run.tool_rounds_of(&own).filter(|round| round.is_over()));
        let mut started = started.into_iter().flatten().filter_map(|round| round.message).peekable();
        let after = started.peek().is_some_and(|first| message.id > *first);
        (is_from_people(message) && after) || started.any(|round| round == message.id)
    }

    fn is_approved(&self) -> bool {
        self.run.is_some_and(|run| run.round.approved)
    }

    /// Returns whether a message belongs to this round, after its input: a text by an agent that is done in this round,
    /// this agent's own earlier text in this step, or a person's message.
    fn is_in_current_round(&self, message: &Message, request: Option<&Arc<Message>>) -> bool {
        let (Some(run), Some(request)) = (self.run, request) else { return false };
        if self.is_comment_beside(message, request) {
            return true;
        }
        if message.id <= request.id || message.run != Some(run.id) {
            return false;
        }
        is_from_people(message)
            || run.round.done_agents.iter().any(|done| done.as_str() == &*message.by.id)
            || message.step == Some(self.running.step)
    }

    /// Returns whether a message is a comment on the gate whose decision began the round. The agents read it together
    /// with the decision.
    fn is_comment_beside(&self, message: &Message, request: &Message) -> bool {
        let gate = message.comment_on.as_ref().map(|place| place.gate);
        let mut decided = self.view.decided.iter().filter(|decided| Some(decided.id) == gate);
        decided.any(|gate| gate.decision.as_ref().and_then(|decision| decision.message) == Some(request.id))
    }

    /// Returns a message as an entry of the history.
    fn history(&self, message: &Message) -> TranscriptEntry {
        if self.run.is_some_and(|run| run.input == message.id) {
            return self.question(message);
        }
        let at_cut = if is_from_people(message) { CutBehavior::Begins } else { CutBehavior::Follows };
        TranscriptEntry { own: self.own(message), ..TranscriptEntry::new(message_block(message), at_cut) }
    }

    /// Returns the input of the run or the round as an entry that no cut removes, because all later entries refer to
    /// it.
    fn question(&self, message: &Message) -> TranscriptEntry {
        TranscriptEntry::new(message_block(message), CutBehavior::Stays)
    }

    /// Returns the text of the message if the agent wrote it and it is sent as an assistant message; otherwise `None`.
    /// In flows that work in rounds, all agents write one text together, so each agent reads its own part like the
    /// other agents' parts.
    fn own(&self, message: &Message) -> Option<Arc<str>> {
        let by_itself = message.by.kind == ActorKind::Agent && *message.by.id == *self.running.agent.as_str();
        let whole = message.aborted.is_none() && !message.truncated && message.redacted.is_none();
        let rounds = self.run.and_then(flow::flow_of).is_some_and(|flow| flow.uses_rounds());
        (by_itself && whole && !rounds && !message.text.trim().is_empty())
            .then(|| neutralize_control_tokens(&message.text).into())
    }

    /// Returns the block of a message that the agent is working on.
    fn feedback(&self, message: &Message) -> PromptBlock {
        match self.run.is_some_and(|run| run.input == message.id) {
            true => message_block(message),
            false => PromptBlock::message("feedback", message),
        }
    }

    fn approval(&self, request: Option<&Arc<Message>>) -> Vec<PromptBlock> {
        let message = request.filter(|request| {
            let text = request.text.trim();
            !text.is_empty() && text != "同意" && !text.eq_ignore_ascii_case("approve")
        });
        let mut present: Vec<PromptBlock> = message.map(|request| self.feedback(request)).into_iter().collect();
        let built_in = builtin_teams::approval_prompt(&self.running.agent, self.view.team.language);
        present.push(self.wording.approved(built_in));
        present
    }
}

fn message_block(message: &Message) -> PromptBlock {
    PromptBlock::message("message", message)
}

fn is_from_people(message: &Message) -> bool {
    matches!(message.by.kind, ActorKind::User | ActorKind::Bot)
}

/// Returns whether the agent reads a message.
fn is_visible_to_model(view: &View, running: &RunningMessage, message: &Message) -> bool {
    // A comment at a gate belongs to a run only after the gate has ended without approval.
    let among_people =
        message.comment_on.is_none() && !message.to.is_empty() && !message.to.iter().any(Target::is_for_agents);
    let waits = view.inbox.iter().any(|queued| queued.message == message.id);
    // Agents that work concurrently do not read each other's messages.
    let beside = message.step == Some(running.step) && *message.by.id != *running.agent.as_str();
    let empty = message.text.trim().is_empty() && !is_from_people(message) && message.redacted.is_none();
    message.run.is_some() && !among_people && !waits && !beside && !empty && message.by.kind != ActorKind::System
}

/// Returns whether the agent already reads a message as the result of its own question to people or of a plan item. If
/// the message were repeated as feedback, it would look new.
fn is_known_result(view: &View, running: &RunningMessage, message: &Message) -> bool {
    let Some(run) = view.active_run().filter(|run| message.run == Some(run.id)) else { return false };
    let own = running.assignment();
    let own = run.tool_rounds_of(&own).flat_map(|round| &round.calls);
    let steps = run.task_results.iter().filter_map(|done| run.call(done.call?));
    let mut answers = own.chain(steps).filter(|call| matches!(&*call.name, ASK_PEOPLE_TOOL | USER_INPUT));
    let is_answer = |call: &Call| {
        let answer = view.call_memory.answer(call.id).filter(|_| call.output.is_some());
        answer.is_some_and(|answer| answer.message == message.id)
    };
    is_from_people(message) && answers.any(is_answer)
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
