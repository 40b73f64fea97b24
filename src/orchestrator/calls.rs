//! The calls of tools that run for one session: each in a task of its own, each result a command.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{Id, JoinError, JoinSet};

use super::turns::FollowUp;
use crate::kernel::{CallId, Command, Judged, State, StepError};
use crate::tool::{Place, Toolbox};

/// The running calls.
pub(super) struct Calls {
    toolbox: Toolbox,
    tasks: JoinSet<Result<Arc<str>, StepError>>,
    running: HashMap<Id, Running>,
}

struct Running {
    call: CallId,
    attempt: u32,
    cause: u64,
}

impl Calls {
    pub(super) fn new(toolbox: Toolbox) -> Self {
        Self { toolbox, tasks: JoinSet::new(), running: HashMap::new() }
    }

    /// What the rules say about a call.
    pub(super) fn judge(&self, state: &State, id: CallId, cause: u64) -> Option<FollowUp> {
        let run = state.view().active_run()?;
        let (call, exchange) = (run.call(id)?, run.exchange_of(id)?);
        let judged = match state.view().team.agent(&exchange.assignment.agent) {
            Some(agent) => self.toolbox.judge(agent, call),
            None => Judged::Impossible(gone()),
        };
        Some(FollowUp { cause: Some(cause), command: Command::CallJudged { call: id, judged } })
    }

    /// Make the call, if it is still the one that was decided on.
    pub(super) fn start(&mut self, state: &State, id: CallId, attempt: u32, rev: u32, digest: &str, cause: u64) {
        let view = state.view();
        let Some(run) = view.active_run() else { return };
        let (Some(call), Some(exchange)) = (run.call(id), run.exchange_of(id)) else { return };
        if call.attempt != attempt || call.rev != rev || *call.digest() != *digest {
            return;
        }
        let agent = view.team.agent(&exchange.assignment.agent).cloned();
        let place = Place {
            session: view.session,
            agent: exchange.assignment.agent.clone(),
            call: id,
            code: view.settings.code.clone(),
            knowledge: view.settings.knowledge.clone(),
        };
        let (toolbox, name, arguments) = (self.toolbox.clone(), call.name.clone(), call.arguments.clone());
        let handle = self.tasks.spawn(async move {
            match agent {
                Some(agent) => toolbox.call(&agent, &place, &name, &arguments).await,
                None => Err(gone()),
            }
        });
        self.running.insert(handle.id(), Running { call: id, attempt, cause });
    }

    /// The result of the call that ends next; waits for ever where none runs.
    pub(super) async fn next(&mut self) -> FollowUp {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(ended) => {
                    if let Some(outcome) = self.outcome(ended) {
                        return outcome;
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Drop every call. Comes back once none runs, with the results of those that were quicker.
    pub(super) async fn stop(&mut self) -> Vec<FollowUp> {
        self.tasks.abort_all();
        let mut quicker = vec![];
        while let Some(ended) = self.tasks.join_next_with_id().await {
            quicker.extend(self.outcome(ended));
        }
        self.running.clear();
        quicker
    }

    fn outcome(&mut self, ended: Result<(Id, Result<Arc<str>, StepError>), JoinError>) -> Option<FollowUp> {
        let (id, result) = match ended {
            Ok(ended) => ended,
            Err(error) if error.is_cancelled() => return None,
            Err(error) => {
                tracing::error!(%error, "a tool panicked");
                let message = "something went wrong in the server while the tool ran".into();
                (error.id(), Err(StepError { code: "internal".into(), message }))
            }
        };
        let Running { call, attempt, cause } = self.running.remove(&id)?;
        Some(FollowUp { cause: Some(cause), command: Command::CallEnded { call, attempt, result } })
    }
}

fn gone() -> StepError {
    StepError { code: "unknown_tool".into(), message: "the team has no such agent".into() }
}
