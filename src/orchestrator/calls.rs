//! The running tool calls of one session. Each runs in its own task, and each result becomes a command.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::inquiries::Inquiries;
use super::task_set::TaskSet;
use super::turns::FollowUp;
use crate::feed::Feed;
use crate::kernel::CallGuard;
use crate::kernel::{AttemptError, CallId, CallOutput, Command, InquiryReply, State};
use crate::telemetry::{log_spans, metrics};
use crate::tool::{CallContext, Stopwatch, ToolError, Toolbox};

/// The running calls.
pub(super) struct RunningCalls {
    toolbox: Toolbox,
    running: TaskSet<CallAttempt, CallResult>,
    inquiries: Inquiries,
    /// Span of the session's own work.
    session: Span,
}

type CallResult = Result<CallOutput, ToolError>;

struct CallAttempt {
    call: CallId,
    attempt: u32,
    cause: u64,
}

impl RunningCalls {
    pub(super) fn new(toolbox: Toolbox, feed: Arc<Feed>) -> Self {
        Self { toolbox, running: TaskSet::new(), inquiries: Inquiries::new(feed), session: Span::current() }
    }

    /// Checks a call against the tool rules, and returns the command with the result. `None` if the call is not in the
    /// active run.
    pub(super) fn check(&self, state: &State, id: CallId, cause: u64) -> Option<FollowUp> {
        let run = state.view().active_run()?;
        let (call, round) = (run.call(id)?, run.tool_round_of(id)?);
        let check = self.toolbox.check_call(state.view(), &round.assignment, call);
        Some(FollowUp { cause: Some(cause), command: Command::CallChecked { call: id, check } })
    }

    /// Starts the call, if its attempt, revision and digest are still those that were decided on.
    pub(super) fn start(&mut self, state: &State, id: CallId, attempt: u32, rev: u32, digest: &str, cause: u64) {
        let view = state.view();
        let Some(run) = view.active_run() else { return };
        let (Some(call), Some(round)) = (run.call(id), run.tool_round_of(id)) else { return };
        if call.attempt != attempt || call.rev != rev || *call.digest() != *digest {
            return;
        }
        let agent = view.team.agent(&round.assignment.agent).cloned();
        let place = CallContext {
            session: view.session,
            team: view.team.name.clone(),
            agent: round.assignment.agent.clone(),
            call: id,
            code: view.settings.code.clone(),
            knowledge: view.settings.knowledge.clone(),
            files: view.files.clone(),
            caused_by: run.started_by.map(|(who, _)| who),
            python: self.toolbox.python_meter(view.session, run.started_by.map(|(who, _)| who)),
            people: Arc::new(self.inquiries.of(id, attempt)),
            watch: Stopwatch::default(),
            guard: CallGuard::default(),
        };
        let (toolbox, name, arguments) = (self.toolbox.clone(), call.name.clone(), call.arguments.clone());
        let span = log_spans::call(&self.session, run.id, id, attempt, place.agent.as_str());
        let work = async move {
            match agent {
                Some(agent) => toolbox.call(&agent, place, &name, &arguments).await,
                None => Err(task_lost()),
            }
        };
        self.running.start(CallAttempt { call: id, attempt, cause }, logged(work).instrument(span));
    }

    /// Returns the command for the next call that ends or asks a question. Waits forever if no call is running.
    pub(super) async fn next(&mut self) -> FollowUp {
        tokio::select! {
            biased;
            command = self.inquiries.next() => FollowUp { cause: None, command },
            (sent, ended) = self.running.next() => follow_up(sent, ended),
        }
    }

    /// Returns the commands of the calls that have ended.
    pub(super) fn ended(&mut self) -> Vec<FollowUp> {
        std::iter::from_fn(|| self.running.try_next()).map(|(sent, ended)| follow_up(sent, ended)).collect()
    }

    /// Delivers the participants' reply to a call's question.
    pub(super) fn deliver_reply(&mut self, call: CallId, reply: InquiryReply) {
        self.inquiries.reply(call, reply);
    }

    /// Cancels every call and waits until none is running. Returns the commands of calls that ended before they were
    /// cancelled.
    pub(super) async fn stop(&mut self) -> Vec<FollowUp> {
        let (quicker, dropped) = self.running.stop().await;
        for CallAttempt { call, attempt, .. } in dropped {
            tracing::debug!(%call, attempt, "call cancelled");
        }
        quicker.into_iter().map(|(sent, ended)| follow_up(sent, ended)).collect()
    }
}

/// Logs the start and the end of a call, without the name of the tool, because a model can invent one, and without the
/// error message, because it can contain text from the tool. Failures that concern the operator are also logged by
/// [`ToolError::log`], with the tool, if it is known, and the causes.
async fn logged(call: impl Future<Output = CallResult>) -> CallResult {
    tracing::debug!("call started");
    let (started, counted) = (Instant::now(), CallCounter { outcome: "dropped" });
    let result = call.await;
    counted.ended(&result);
    let duration_ms = started.elapsed().as_millis() as u64;
    match &result {
        Ok(output) => tracing::debug!(duration_ms, files = output.files.len(), "call completed"),
        Err(error) => {
            tracing::debug!(duration_ms, code = error.code, "call failed");
            error.log();
        }
    }
    result
}

/// Counts a call when it is dropped, so that cancelled calls count too.
struct CallCounter {
    outcome: &'static str,
}

impl CallCounter {
    fn ended(mut self, result: &CallResult) {
        self.outcome = result.as_ref().map_or_else(|error| error.code, |_| "ok");
    }
}

impl Drop for CallCounter {
    fn drop(&mut self) {
        metrics().calls.count([self.outcome]);
    }
}

fn follow_up(CallAttempt { call, attempt, cause }: CallAttempt, ended: Option<CallResult>) -> FollowUp {
    let result = ended.unwrap_or_else(|| Err(ToolError::new("internal", "the server failed while the tool ran")));
    let result = result.map_err(AttemptError::from);
    FollowUp { cause: Some(cause), command: Command::CallEnded { call, attempt, result } }
}

fn task_lost() -> ToolError {
    ToolError::new("unknown_tool", "the team has no such agent")
}
