//! The running turns of one session. Each runs in its own task, and each result becomes a command.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::spending::{ModelSpending, SpendingScope};
use super::task_set::TaskSet;
use super::titles::TitleTasks;
use crate::agent::{self, Completion, ModelPort, StopReason, ToolCall, TurnError, TurnRequest};
use crate::feed::Feed;
use crate::kernel::output_shape::{OutputShape, ParsedOutput};
use crate::kernel::{
    AttemptError, Command, CommandSender, Envelope, MessageId, PartialMessage, ProposedCall, QUOTA_EXCEEDED,
    RequestKey, State, StructuredOutputFile, Timestamp, flow,
};
use crate::quotas::{QuotaError, wait_ms};
use crate::store::Fence;
use crate::telemetry::log_spans;
use crate::tool::{ToolOffer, Toolbox};

/// Maximum time to store the file with structured output.
const MAX_OUTPUT_FILE_WAIT: Duration = Duration::from_secs(5);

/// A command that results from the session's own work, with the seq of the event that caused it.
pub(super) struct FollowUp {
    pub(super) cause: Option<u64>,
    pub(super) command: Command,
}

impl FollowUp {
    /// Returns the command as the orchestrator submits it.
    pub(super) fn envelope(&self) -> Envelope {
        let by = CommandSender::Orchestrator { cause: self.cause };
        Envelope { at: Timestamp::default(), by, command: self.command.clone() }
    }
}

/// The running turns.
pub(super) struct RunningTurns {
    models: Arc<dyn ModelPort>,
    toolbox: Toolbox,
    pub(super) spending: ModelSpending,
    feed: Arc<Feed>,
    running: TaskSet<RunningTurn, TurnResult>,
    /// Span of the session's own work.
    session: Span,
    /// Not cancelled with the turns: a title describes the purpose of the session, not its course.
    pub(super) titles: TitleTasks,
}

type TurnResult = Result<CompletedTurn, (TurnError, PartialMessage)>;

/// Response of a model, with the file of its structured output.
struct CompletedTurn {
    completion: Completion,
    output_file: Option<StructuredOutputFile>,
}

struct RunningTurn {
    message: MessageId,
    attempt: u32,
    failures: u32,
    cause: u64,
    /// The request to the model, including attached files. Empty while the request is being prepared.
    request: Arc<OnceLock<TurnRequest>>,
}

impl RunningTurns {
    pub(super) fn new(models: Arc<dyn ModelPort>, toolbox: Toolbox, feed: Arc<Feed>, fence: Fence) -> Self {
        let spending = ModelSpending::new(toolbox.quotas(), fence);
        let titles = TitleTasks::new(models.clone(), spending.clone());
        Self { models, toolbox, spending, feed, running: TaskSet::new(), session: Span::current(), titles }
    }

    /// Sends the turn's request to the agent's model, and shows its fragments in the feed.
    pub(super) fn start(&mut self, state: &State, message: MessageId, attempt: u32, cause: u64) {
        let Some(run) = state.view().active_run() else { return };
        let Some(running) = run.running_message(message).filter(|running| running.attempt == attempt) else { return };
        let span = log_spans::turn(&self.session, run.id, message, attempt, running.agent.as_str());
        let mut request = agent::turn_request(state.view(), running);
        ToolOffer { tools: request.tools, choice: request.tool_choice } = self.toolbox.offer(state.view(), running);
        let (models, feed, sent) = (self.models.clone(), self.feed.clone(), Arc::<OnceLock<TurnRequest>>::default());
        let (files, attached) = (self.toolbox.files().cloned(), agent::attached_files(state.view(), running));
        let (session, team) = (state.view().session, state.view().team.clone());
        let named =
            if agent::needs_bases(state.view(), running) { state.view().settings.knowledge.clone() } else { vec![] };
        let (toolbox, spending) = (self.toolbox.clone(), self.spending.clone());
        let (caused_by, existing) = (run.started_by.map(|(who, _)| who), state.view().files.clone());
        let shape = flow::shape_of(state.view(), run, &running.assignment());
        let shape = shape.filter(|shape| matches!(shape, OutputShape::Given(_)));
        let scope = SpendingScope::new(state.view(), caused_by);
        request.bound = spending.bound(request.bound);
        let piece = RunningTurn { message, attempt, failures: running.failures, cause, request: sent.clone() };
        let bound = request.bound;
        let work = async move {
            let mut show = |text: &str| feed.delta(message, attempt, text);
            if !named.is_empty() {
                agent::add_bases(&mut request, &toolbox.bases(session, &team.name, &named).await);
            }
            let request = match files.filter(|_| !attached.is_empty()) {
                Some(files) => agent::add_files(request, &files, session, &attached, team.language).await,
                None => Ok(request),
            };
            let request = match (request, bound) {
                (Ok(request), Some(bound)) => {
                    let reserved = spending.reserve_turn(RequestKey { message, attempt }, scope, bound).await;
                    reserved.map(|()| request).map_err(held_error)
                }
                (request, _) => request,
            };
            let request = match request {
                Ok(request) => sent.get_or_init(|| request),
                Err(failure) => return Err((failure, partial_message(&*models, &feed, message, None, false).await)),
            };
            match models.turn(request.clone(), &mut show).await {
                Ok(completion) => {
                    // Store the content before the event that names it. Do not wait long for a store that is down,
                    // because the log has the output in any case, and an interrupt during the wait would discard a
                    // complete response.
                    let output = shape.and_then(|shape| structured_output(&shape, &completion));
                    let output_file = match output {
                        Some(output) => {
                            let stored = toolbox.store_output(session, &existing, caused_by, &output);
                            tokio::time::timeout(MAX_OUTPUT_FILE_WAIT, stored).await.ok().flatten()
                        }
                        None => None,
                    };
                    Ok(CompletedTurn { completion, output_file })
                }
                Err(failure) => {
                    let (request, reached) = (Some(request.clone()), failure.reached_model());
                    let left = partial_message(&*models, &feed, message, request, reached).await;
                    Err((failure, left))
                }
            }
        };
        self.running.start(piece, logged(work).instrument(span));
    }

    /// Returns the command for the next turn or title that ends. Waits forever if none is running.
    pub(super) async fn next(&mut self) -> FollowUp {
        tokio::select! {
            // Without a fixed order, a simulated plan could not be reproduced.
            biased;
            (turn, ended) = self.running.next() => self.follow_up(turn, ended),
            titled = self.titles.next() => titled,
        }
    }

    /// Returns the commands of the turns that have ended.
    pub(super) fn ended(&mut self) -> Vec<FollowUp> {
        let ended: Vec<_> = std::iter::from_fn(|| self.running.try_next()).collect();
        ended.into_iter().map(|(turn, ended)| self.follow_up(turn, ended)).collect()
    }

    /// Cancels every turn, which closes the connections to the models, so that no unwanted tokens are paid for. Waits
    /// until no turn is running. Returns the commands of turns that ended before they were cancelled, and the requests
    /// of the others. A turn that was still being prepared has no request.
    pub(super) async fn stop(&mut self) -> (Vec<FollowUp>, HashMap<MessageId, TurnRequest>) {
        let (completed, dropped) = self.running.stop().await;
        let completed = completed.into_iter().map(|(turn, ended)| self.follow_up(turn, ended)).collect();
        for RunningTurn { message, attempt, .. } in &dropped {
            tracing::debug!(message_id = %message, attempt, "turn cancelled");
        }
        let requests = dropped.into_iter().filter_map(|turn| Some((turn.message, turn.request.get()?.clone())));
        (completed, requests.collect())
    }

    /// Returns the text and usage of a message that does not complete. `dropped` is the request of the cancelled turn.
    /// `None` if it was not sent.
    pub(super) async fn unfinished(&self, message: MessageId, dropped: Option<TurnRequest>) -> PartialMessage {
        partial_message(&*self.models, &self.feed, message, dropped, true).await
    }

    fn follow_up(&self, turn: RunningTurn, ended: Option<TurnResult>) -> FollowUp {
        let RunningTurn { message, attempt, failures, cause, .. } = turn;
        let (failure, left) = match ended {
            Some(Ok(CompletedTurn { completion, output_file })) => {
                let Completion { text, tool_calls, usage, finish, .. } = completion;
                let wanted = |call: ToolCall| ProposedCall { name: call.name, arguments: call.arguments };
                let (text, calls) = (text.into(), tool_calls.into_iter().map(wanted).collect());
                let truncated = finish == StopReason::Length;
                let output_file = output_file.map(Box::new);
                let command = Command::TurnCompleted { message, attempt, text, calls, usage, truncated, output_file };
                return FollowUp { cause: Some(cause), command };
            }
            Some(Err(failed)) => failed,
            None => {
                let reason = "the server failed while the agent wrote; send the message again";
                let error = AttemptError { code: "internal".into(), message: reason.into() };
                let left = PartialMessage { message, text: partial_text(&self.feed, message), usage: None };
                (TurnError::new(error, false), left)
            }
        };
        let TurnError { error, retryable, retry_after_ms, .. } = failure;
        let retry_in_ms = match &*error.code {
            // Wait until the quota renews, without backoff: any earlier attempt would be rejected.
            QUOTA_EXCEEDED => retry_after_ms,
            _ => retryable.then(|| self.models.backoff(failures + 1, retry_after_ms)),
        };
        let command = Command::TurnFailed { attempt, error, retry_in_ms, left };
        FollowUp { cause: Some(cause), command }
    }
}

/// Returns the structured output in a response. `None` if the kernel will reject the response, or it has no structured
/// output.
fn structured_output(shape: &OutputShape, completion: &Completion) -> Option<Value> {
    if completion.finish == StopReason::Length || !completion.tool_calls.is_empty() {
        return None;
    }
    match shape.read(&completion.text) {
        Ok(ParsedOutput::Output(output)) => Some(output),
        Ok(ParsedOutput::Plan(_) | ParsedOutput::Decision(_)) | Err(_) => None,
    }
}

/// Returns the error of an attempt that a quota blocks until the quota renews.
fn held_error(error: QuotaError) -> TurnError {
    let retry_after_ms = wait_ms(&error);
    let error = AttemptError { code: QUOTA_EXCEEDED.into(), message: error.message.into() };
    TurnError { retry_after_ms, ..TurnError::new(error, true) }
}

/// Logs the start and the end of a turn. The text of an error can contain that of a provider, so only its code is
/// logged.
async fn logged(turn: impl Future<Output = TurnResult>) -> TurnResult {
    tracing::debug!("turn started");
    let started = Instant::now();
    let result = turn.await;
    let duration_ms = started.elapsed().as_millis() as u64;
    match &result {
        Ok(turn) => tracing::debug!(duration_ms, calls = turn.completion.tool_calls.len(), "turn completed"),
        Err((failure, _)) => {
            let code = &*failure.error.code;
            tracing::debug!(duration_ms, code, retryable = failure.retryable, "turn failed");
            // A request that a quota blocks is not a failure.
            if code != QUOTA_EXCEEDED {
                failure.log();
            }
        }
    }
    result
}

/// Returns the text and usage of an attempt that does not complete. `reached` is true if the model might have read the
/// request; a budget or quota then counts the request even if there is no text yet.
async fn partial_message(
    models: &dyn ModelPort,
    feed: &Feed,
    message: MessageId,
    request: Option<TurnRequest>,
    reached: bool,
) -> PartialMessage {
    let text = partial_text(feed, message);
    let counts = |request: &TurnRequest| !text.is_empty() || reached && request.bound.is_some();
    let usage = match request.filter(counts) {
        Some(request) => models.estimate(request, &text).await,
        None => None,
    };
    PartialMessage { message, text, usage }
}

/// Returns the text so far of a message. Viewers have received this text, or will receive it before the next event.
fn partial_text(feed: &Feed, message: MessageId) -> Arc<str> {
    feed.partial(message).map_or_else(|| "".into(), |(_, text)| text)
}
