//! Example of a new flow, compiled only for tests. A flow needs a file like this one, a `mod` line, and a line in
//! [`super::FLOWS`] (for this example, in [`super::EXAMPLES`]).
//!
//! Two agents argue in parallel for a number of rounds, then a third agent decides. The flow derives everything from
//! the run: how many turns are done, and whose.

use super::{Flow, FlowAction, assign_one, check_roles};
use crate::{AgentRole, Assignment, Run, Task, Team, View};

/// The `debate` flow.
pub(super) struct Debate;

/// Number of turns of each side.
const ROUNDS: usize = 2;

impl Flow for Debate {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let sides: Vec<_> = view.team.in_role(AgentRole::Worker).collect();
        if let Some(last) = run.last_done().filter(|done| done.assignment.task == Task::Summarize) {
            return FlowAction::Finish { final_message: last.message };
        }
        if run.task_results.len() >= ROUNDS * sides.len() {
            return assign_one(view, AgentRole::Summarizer, Task::Summarize);
        }
        FlowAction::Take(sides.into_iter().map(|side| Assignment::new(&side.id, Task::Reply)).collect())
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        check_roles(team, &[(AgentRole::Worker, "worker"), (AgentRole::Summarizer, "summarizer")])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use crate::*;

    /// Returns the session's state after a command.
    fn after(state: &State, by: CommandSender, command: Command) -> State {
        let envelope = Envelope { at: Timestamp::from_millis(1), by, command };
        let Ok(CommandOutcome::Events { events, .. }) = decide(state, &envelope) else { panic!("refused") };
        let mut next = state.clone();
        events.iter().for_each(|event| evolve(&mut next, event));
        next
    }

    #[test]
    fn both_sides_speak_twice_and_a_third_decides() {
        let agent = |id: &str, role: &str| json!({ "id": id, "name": id, "role": role, "prompt": "argue" });
        let team = json!({
            "name": "debate", "title": "Debate", "flow": "debate", "language": "en",
            "agents": [agent("For", "worker"), agent("Against", "worker"), agent("Judge", "summarizer")],
        });
        let team: Team = serde_json::from_value(team).expect("the team is valid");
        assert_eq!(flow::check(&team), Ok(()));
        let session = SessionId(Uuid::from_u128(9));
        let person = |id: &str| CommandSender::Participant {
            actor: Actor::participant(ParticipantId(Uuid::from_u128(1)), ActorKind::User, "Ann"),
            id: id.parse().expect("the id is valid"),
            granted_role: None,
            max_role: None,
        };
        let settings = Settings::of("debate");
        let create = Command::Create { title: "Tea".into(), team, settings };
        let mut state = after(&State::new(session), person("c1"), create);
        let begin = Command::Start {
            flow: None,
            input: "Is tea better than coffee?".into(),
            files: vec![],
            earlier: vec![],
            request: None,
        };
        state = after(&state, person("c2"), begin);
        let mut spoke = vec![];
        while let Some(running) = state.view().active_run().and_then(|run| run.running.first()).cloned() {
            spoke.push(running.agent.to_string());
            let usage =
                Usage { model: "m".into(), input_tokens: 1, output_tokens: 1, estimated: false, cost_micros: 0 };
            let (message, attempt, text) = (running.message, running.attempt, running.agent.as_str().into());
            let turn = Command::TurnCompleted {
                message,
                attempt,
                text,
                calls: vec![],
                usage,
                truncated: false,
                output_file: None,
            };
            state = after(&state, CommandSender::Orchestrator { cause: None }, turn);
        }
        assert_eq!(spoke, ["For", "Against", "For", "Against", "Judge"]);
        let run = state.view().run.as_ref().expect("the run has started");
        let answer = run.final_message.and_then(|id| state.view().message(id)).map(|message| &*message.text);
        assert_eq!((run.phase, run.steps, answer), (Phase::Completed, 3, Some("Judge")));
    }
}
