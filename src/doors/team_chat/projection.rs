//! Projection of a session's frames to the lines of the stream. Pure: frames in, lines out.

use std::sync::Arc;

use axum::response::sse::Event as SseEvent;

use super::event::{TeamChatEvent, TeamChatText, unresolved_text};
use super::resume::{LogRange, TeamChatPosition};
use crate::doors::projection::Projection;
use crate::doors::running_messages::RunningMessages;
use crate::doors::stream_end::StreamEnd;
use crate::doors::wording::error_text;
use crate::doors::{question, sse, wording};
use crate::kernel::gate::{Gate, GateKind};
use crate::kernel::{AgentId, Event, Fact, FinishReason, MessageId, Phase, Target, Team};
use crate::protocol::ServerFrame;

/// Projection of one request: from its command to the next gate or the end of the run.
pub(super) struct TeamChatProjection {
    team: Arc<Team>,
    /// Gate that was open before the command.
    gate: Option<Gate>,
    place: LogRange,
    /// Messages that are being written, with their agents.
    messages: RunningMessages<Arc<str>>,
    /// Last finished message: id, agent and text.
    last: Option<(MessageId, Arc<str>, Arc<str>)>,
    /// True if the command led to work for agents.
    moved: bool,
    voted: bool,
    /// True if the command waits for the approval of the owners.
    asked: bool,
    over: bool,
}

impl Projection for TeamChatProjection {
    type Line = TeamChatEvent;

    fn opening(&self) -> Option<TeamChatEvent> {
        Some(self.status(&TeamChatText::Working))
    }

    fn take(&mut self, frame: ServerFrame, lines: &mut Vec<TeamChatEvent>) {
        match frame {
            ServerFrame::Delta { message, attempt, at, text, .. } => {
                if let Some((agent, new)) = self.messages.delta(message, attempt, at, &text) {
                    push_text(lines, agent, new);
                }
            }
            ServerFrame::Event { event, .. } => {
                let seq = event.seq;
                self.event(event, lines);
                if self.place.until.is_some_and(|until| seq >= until) && !self.moved && !self.over {
                    self.end_without_work(lines);
                }
            }
            _ => {}
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn close(&mut self, end: StreamEnd, lines: &mut Vec<TeamChatEvent>) {
        lines.push(TeamChatEvent::Error { message: end.error(self.team.language).message });
        self.end(lines);
    }

    fn sent(&self, line: &TeamChatEvent, seq: Option<u64>) -> SseEvent {
        // The start of an agent's message gets no id, so that a stream that resumes while the agent writes repeats the
        // start, followed by all of the text.
        let seq = seq.filter(|_| !matches!(line, TeamChatEvent::AgentStart { .. }));
        sse::event(SseEvent::default(), line, seq.map(|after| TeamChatPosition { place: self.place, after }))
    }
}

impl TeamChatProjection {
    pub(super) fn new(place: LogRange, team: Arc<Team>, gate: Option<Gate>) -> Self {
        Self {
            team,
            gate,
            place,
            messages: RunningMessages::new(),
            last: None,
            moved: false,
            voted: false,
            asked: false,
            over: false,
        }
    }

    /// Records the seq of the command's last event, once the command is durable.
    pub(super) fn submitted(&mut self, seq: u64) {
        self.place.until = Some(seq);
    }

    /// Ends the stream of a command that led to no work: a vote that does not decide, a message to people only, or a
    /// message that waits for the owners.
    fn end_without_work(&mut self, lines: &mut Vec<TeamChatEvent>) {
        lines.push(match (self.asked, self.voted) {
            (true, _) => TeamChatEvent::Status { message: wording::waits_for_owners(self.team.language) },
            (false, true) => self.status(&TeamChatText::VoteCounted),
            (false, false) => self.status(&TeamChatText::NobodyAsked),
        });
        if let Some(gate) = self.gate.take() {
            lines.push(self.feedback_request(&gate));
        }
        self.end(lines);
    }

    fn event(&mut self, event: Event, lines: &mut Vec<TeamChatEvent>) {
        let (language, own) = (self.team.language, self.place.until.is_some_and(|until| event.seq <= until));
        match event.fact {
            Fact::MessageStarted { message, agent, attempt, .. } => self.started(message, &agent, attempt, lines),
            Fact::MessageCompleted { message, text, agent, truncated, .. } => {
                self.ended(message, &text, lines);
                if truncated {
                    lines.push(TeamChatEvent::Status { message: wording::truncated(language) });
                }
                self.last = Some((message, name(&agent), text));
            }
            Fact::MessageAborted { message, text, .. } => self.ended(message, &text, lines),
            Fact::AttemptFailed { retry_at: Some(_), .. } => {
                lines.push(TeamChatEvent::Status { message: wording::retrying(language) });
            }
            Fact::RunStateChanged { to: Phase::Paused, .. } => lines.push(self.status(&TeamChatText::Paused)),
            Fact::GateVoted { .. } => self.voted = true,
            Fact::GateOpened { gate } if own && gate.command.is_some() => self.asked = true,
            Fact::RunStarted { .. } | Fact::GateDecided { .. } => self.moved = true,
            Fact::MessageRouted { to, unresolved: mentions, waiting, .. } => {
                self.moved |= waiting.is_some();
                if own && !mentions.is_empty() {
                    let named = to.iter().any(|target| matches!(target, Target::Agent(_)));
                    lines.push(TeamChatEvent::Status { message: unresolved_text(&mentions, !named, language) });
                }
            }
            Fact::GateOpened { gate } if gate.holds_work() => {
                // At a limit, the context explains why the run has stopped.
                lines.extend(gate.context.clone().map(|message| TeamChatEvent::Status { message }));
                lines.push(self.feedback_request(&gate));
                self.end(lines);
            }
            Fact::RunFinished { final_message: answer, reason, .. } => {
                match self.last.take().filter(|(message, ..)| answer == Some(*message)) {
                    _ if reason == FinishReason::TurnLimit => lines.push(self.status(&TeamChatText::TurnLimit)),
                    Some((_, agent_name, content)) => lines.push(TeamChatEvent::FinalAnswer { agent_name, content }),
                    None if reason == FinishReason::MessageLimit => {
                        lines.push(self.status(&TeamChatText::MessageLimit))
                    }
                    None if reason == FinishReason::Budget => lines.push(self.status(&TeamChatText::Budget)),
                    None => {}
                }
                self.end(lines);
            }
            Fact::RunFailed { error, .. } => {
                lines.push(TeamChatEvent::Error { message: error_text(&error, language) });
                self.end(lines);
            }
            Fact::RunCancelled { .. } => {
                lines.push(self.status(&TeamChatText::Cancelled));
                self.end(lines);
            }
            // The specification of this door has no line for other facts.
            _ => {}
        }
    }

    fn started(&mut self, message: MessageId, agent: &AgentId, attempt: u32, lines: &mut Vec<TeamChatEvent>) {
        let agent_name = name(agent);
        match self.messages.start(message, attempt, agent_name.clone()) {
            // Some text of the failed attempt was already sent. End that message, and start the agent's message again.
            Some(failed) if failed.is_partly_sent() => {
                lines.push(TeamChatEvent::AgentEnd { agent_name: agent_name.clone() });
            }
            Some(_) => return,
            None => {}
        }
        let agent_role = self.team.agent(agent).map_or_else(|| "".into(), |agent| agent.title.clone());
        lines.push(TeamChatEvent::AgentStart { agent_name, agent_role });
    }

    fn ended(&mut self, message: MessageId, text: &str, lines: &mut Vec<TeamChatEvent>) {
        let Some((agent_name, rest)) = self.messages.end(message, text) else { return };
        if !rest.is_empty() {
            push_text(lines, &agent_name, rest);
        }
        lines.push(TeamChatEvent::AgentEnd { agent_name });
    }

    fn feedback_request(&self, gate: &Gate) -> TeamChatEvent {
        let last = self.last.as_ref().map(|(_, agent, _)| agent.clone());
        let agent_name = gate.agent.as_ref().map(name).or(last).unwrap_or_else(|| "".into());
        let available_agents = gate.agents.iter().map(name).collect();
        let message = match gate.kind {
            GateKind::Feedback => TeamChatText::AskFeedback.text(self.team.language),
            _ => question::prompt(gate, self.team.language),
        };
        TeamChatEvent::FeedbackRequest { agent_name, available_agents, message }
    }

    fn status(&self, status: &TeamChatText) -> TeamChatEvent {
        TeamChatEvent::Status { message: status.text(self.team.language) }
    }

    fn end(&mut self, lines: &mut Vec<TeamChatEvent>) {
        lines.push(TeamChatEvent::Done);
        self.over = true;
    }
}

fn name(agent: &AgentId) -> Arc<str> {
    agent.as_str().into()
}

/// Appends text that an agent wrote. Consecutive fragments from one agent become one line.
fn push_text(lines: &mut Vec<TeamChatEvent>, agent: &Arc<str>, text: &str) {
    match lines.last_mut() {
        Some(TeamChatEvent::Content { agent_name, content }) if agent_name == agent => content.push_str(text),
        _ => lines.push(TeamChatEvent::Content { agent_name: agent.clone(), content: text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::agent::teams::builtin_teams;
    use crate::doors::projection::frames::{self, delta, event};

    fn projection() -> TeamChatProjection {
        let team = builtin_teams::get("testcase-en").expect("a built-in team");
        let place = LogRange { session: frames::session(), start: 0, until: Some(1) };
        TeamChatProjection::new(place, team, None)
    }

    /// Returns the lines for these frames, as JSON.
    fn lines(frames: &[Value]) -> Vec<Value> {
        let lines = frames::lines(&mut projection(), frames);
        lines.iter().map(|line| serde_json::to_value(line).expect("JSON")).collect()
    }

    fn run_started() -> Value {
        frames::run_started("review")
    }

    fn started(seq: u64, attempt: u32) -> Value {
        let data = json!({
            "message": "m_3", "run": "r_1", "step": "p_2", "agent": "TestCase_Generator", "attempt": attempt
        });
        event(seq, "message.started", data)
    }

    fn completed(seq: u64, attempt: u32, text: &str) -> Value {
        let data = json!({
            "message": "m_3", "run": "r_1", "step": "p_2", "agent": "TestCase_Generator", "attempt": attempt, "text": text
        });
        event(seq, "message.completed", data)
    }

    #[test]
    fn an_answer_that_was_cut_is_followed_by_a_line_that_says_so() {
        let mut cut = completed(3, 1, "half");
        cut["data"]["truncated"] = json!(true);
        let lines = lines(&[run_started(), started(2, 1), cut]);
        assert_eq!(lines[lines.len() - 2]["type"], "agent_end");
        assert_eq!(lines[lines.len() - 1]["message"], "The response was cut at the model's token limit");
    }

    #[test]
    fn content_is_said_once_whatever_comes_twice_or_not_at_all() {
        let all = lines(&[
            run_started(),
            started(3, 1),
            delta(1, 0, "测试"),
            delta(1, 0, "测试"),
            delta(1, 6, "用例"),
            delta(1, 100, "lost before it"),
            completed(9, 1, "测试用例。"),
        ]);
        let content: String = all.iter().filter_map(|line| line["content"].as_str()).collect();
        assert_eq!(content, "测试用例。");
        assert_eq!(all.last().expect("lines")["type"], "agent_end");
    }

    #[test]
    fn a_second_attempt_begins_anew_where_the_first_had_said_something() {
        let retry = event(
            5,
            "attempt.failed",
            json!({
                "step": "p_2", "run": "r_1", "message": "m_3", "agent": "TestCase_Generator", "attempt": 1,
                "error": { "code": "model_stream_cut", "message": "cut" }, "retry_at": "2026-01-01T00:00:01.000Z"
            }),
        );
        let all = lines(&[
            run_started(),
            started(3, 1),
            delta(1, 0, "half"),
            retry,
            started(6, 2),
            delta(1, 4, "late"),
            delta(2, 0, "whole"),
            completed(7, 2, "whole"),
        ]);
        let kinds: Vec<&str> = all.iter().filter_map(|line| line["type"].as_str()).collect();
        assert_eq!(kinds, ["agent_start", "content", "status", "agent_end", "agent_start", "content", "agent_end"]);
        assert_eq!(all[5]["content"], "whole");
    }

    #[test]
    fn words_that_start_nothing_end_the_stream() {
        let by = json!({ "kind": "user", "id": format!("u_{:032x}", 1), "name": "Ann" });
        let mut posted = event(1, "message.posted", json!({ "message": "m_1", "text": "@people hi" }));
        posted["by"] = by;
        let all = lines(&[posted]);
        let kinds: Vec<&str> = all.iter().filter_map(|line| line["type"].as_str()).collect();
        assert_eq!(kinds, ["status", "done"]);
    }

    #[test]
    fn a_message_that_waits_for_the_owners_ends_the_stream_with_a_note() {
        let all = lines(&[event(1, "gate.opened", frames::command_gate("g_1", 7))]);
        assert_eq!(all[0]["message"], "The request waits for the approval of the session's owners");
        assert_eq!(all[1..], [json!({ "type": "done" })]);
    }

    #[test]
    fn a_stream_that_ends_before_its_run_says_why() {
        let mut lines = vec![];
        projection().close(StreamEnd::Stopping, &mut lines);
        let lines: Vec<_> = lines.iter().map(|line| serde_json::to_value(line).expect("JSON")).collect();
        assert!(lines[0]["message"].as_str().is_some_and(|text| text.contains("resume the stream")), "{lines:?}");
        assert_eq!((&lines[0]["type"], &lines[1]["type"]), (&json!("error"), &json!("done")));
    }

    #[test]
    fn a_run_that_cannot_go_on_says_why_and_ends() {
        let error = json!({ "code": "model_unauthorized", "message": "the provider refuses the key" });
        let all = lines(&[run_started(), event(4, "run.failed", json!({ "run": "r_1", "error": error }))]);
        assert_eq!(all[0], json!({ "type": "error", "message": "the provider refuses the key" }));
        assert_eq!(all[1], json!({ "type": "done" }));
    }

    #[test]
    fn mentions_of_nobody_are_told_where_the_words_are_ones_own() {
        let routed = |seq| {
            let unresolved = json!([{ "text": "NotNull", "nearest": [] }]);
            event(
                seq,
                "message.routed",
                json!({ "message": "m_1", "to": [], "reason": "default", "unresolved": unresolved }),
            )
        };
        let all = lines(&[routed(0), run_started(), routed(5)]);
        assert_eq!(all[0]["message"], "Nobody here is called @NotNull; the whole team reads it");
        assert_eq!(all.iter().filter(|line| line["type"] == "status").count(), 1, "{all:?}");
    }

    #[test]
    fn a_server_of_tools_that_asks_is_named() {
        let all = lines(&[run_started(), event(4, "gate.opened", frames::question_of("cloud", "Which region?"))]);
        let request = all[0]["message"].as_str().expect("words");
        assert!(request.contains("cloud") && request.ends_with("Which region?"), "{request}");
    }

    #[test]
    fn ids_come_with_what_is_whole() {
        let projection = projection();
        let sent = |line: &TeamChatEvent, seq| format!("{:?}", projection.sent(line, seq));
        let agent_name: Arc<str> = "A".into();
        let begins = TeamChatEvent::AgentStart { agent_name: agent_name.clone(), agent_role: "".into() };
        let id = format!("{}:0:1:7", frames::session());
        assert!(
            !sent(&begins, Some(7)).contains(&id)
                && sent(&TeamChatEvent::AgentEnd { agent_name }, Some(7)).contains(&id)
        );
    }
}
