//! All tools of a server: the offer to each agent, checks of calls, and the calls themselves.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::code::CodeAccess;
use super::stopwatch::PausingPeople;
use super::{CallContext, Output, OutputFile, Tool, ToolError, ToolSpec, policy};
use crate::files::{FileRepository, new_file};
use crate::kernel::CallGuard;
use crate::kernel::call::Call;
use crate::kernel::{
    Agent, Assignment, AttemptError, CallCheck, CallOutput, File, FileName, NewFile, ParticipantId, RunningMessage,
    SessionId, StructuredOutputFile, Task, ToolChoice, View, first_chars, kernel_tools, schema, strict_json,
    truncate_middle,
};
use crate::knowledge::{Base, KnowledgeRepository};
use crate::quotas::{QuotaAmount, Quotas};
use crate::tool::PythonMeter;

/// Maximum number of files that one call can create.
const MAX_FILES: usize = 1000;

/// Name of the file with structured output. Each output is a new version.
const OUTPUT_FILE_NAME: &str = "structured-output.json";

/// Maximum number of bytes of structured output with indentation. Larger output is stored without it.
const MAX_INDENTED_OUTPUT_BYTES: usize = 1 << 20;

/// Maximum number of files for which a result states why they were not stored.
const MAX_NOTES: usize = 20;

/// A source of tools that change while the server runs.
pub trait ToolSource: Send + Sync + 'static {
    /// Returns the tools that can currently be called.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
}

/// All tools of a server.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Arc<[Arc<dyn Tool>]>,
    sources: Arc<[Arc<dyn ToolSource>]>,
    /// Storage for files that calls create. Without it, these files are discarded.
    files: Option<FileRepository>,
    /// Quotas that calls count toward. Without them, calls are not counted.
    quotas: Option<Quotas>,
    /// Access checks for code bases. Without them, a session keeps access to the code bases that it was given.
    code_access: Option<CodeAccess>,
    /// Knowledge bases. Without them, prompts list none.
    knowledge: Option<KnowledgeRepository>,
}

/// Tools that an agent is offered in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOffer {
    /// Tools in the form that goes to a model.
    pub tools: Vec<crate::agent::ToolDefinition>,
    /// Tool choice: the model can, must or must not call tools.
    pub choice: ToolChoice,
}

impl Toolbox {
    /// Returns a toolbox with these tools and those of the sources. If several of `tools` have the same name, only the
    /// first one is kept, because model APIs reject duplicate names.
    pub fn new(mut tools: Vec<Arc<dyn Tool>>, sources: Vec<Arc<dyn ToolSource>>) -> Self {
        let mut names = BTreeSet::new();
        tools.retain(|tool| names.insert(tool.spec().name.clone()));
        Self {
            tools: tools.into(),
            sources: sources.into(),
            files: None,
            quotas: None,
            code_access: None,
            knowledge: None,
        }
    }

    /// Adds storage for files that calls create.
    #[must_use]
    pub fn with_files(self, files: FileRepository) -> Self {
        Self { files: Some(files), ..self }
    }

    /// Adds quotas that calls count toward.
    #[must_use]
    pub fn with_quotas(self, quotas: Quotas) -> Self {
        Self { quotas: Some(quotas), ..self }
    }

    /// Adds access checks for code bases at each call.
    #[must_use]
    pub fn with_code_access(self, access: CodeAccess) -> Self {
        Self { code_access: Some(access), ..self }
    }

    /// Adds knowledge bases, which prompts then list.
    #[must_use]
    pub fn with_knowledge(self, knowledge: KnowledgeRepository) -> Self {
        Self { knowledge: Some(knowledge), ..self }
    }

    /// Returns the named knowledge bases that a session of this team can use. Returns none if the toolbox has no
    /// knowledge bases or if the store does not respond, because agents can also search bases that their prompt does
    /// not list.
    pub async fn bases(&self, session: SessionId, team: &str, named: &[Arc<str>]) -> Vec<Base> {
        let Some(knowledge) = &self.knowledge else { return vec![] };
        knowledge.bases(session, team, named).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "knowledge bases not listed in the prompt");
            vec![]
        })
    }

    /// Returns the quotas that calls and requests to models count toward.
    pub fn quotas(&self) -> Option<&Quotas> {
        self.quotas.as_ref()
    }

    /// Returns a meter for the run time of Python programs in a run that this participant started.
    pub fn python_meter(&self, session: SessionId, caused_by: Option<ParticipantId>) -> PythonMeter {
        let quotas = self.quotas.clone();
        quotas.map_or_else(PythonMeter::default, |quotas| PythonMeter::new(quotas, session, caused_by))
    }

    /// Returns the names of all tools that can currently be called.
    pub fn names(&self) -> impl Iterator<Item = Arc<str>> {
        let come_and_go = self.sources.iter().flat_map(|source| source.tools());
        self.tools.iter().cloned().chain(come_and_go).map(|tool| tool.spec().name.clone())
    }

    /// Returns the storage for files.
    pub fn files(&self) -> Option<&FileRepository> {
        self.files.as_ref()
    }

    /// Returns the tools that the agent of this message can call in this turn.
    pub fn offer(&self, view: &View, running: &RunningMessage) -> ToolOffer {
        let by = running.assignment();
        let agent = view.team.agent(&running.agent).filter(|_| by.task != Task::Structure);
        let Some(agent) = agent else { return ToolOffer::default() };
        let inner = kernel_tools::offered_tools(view, &by).map(|tool| crate::agent::ToolDefinition {
            name: tool.name.into(),
            description: tool.description.into(),
            schema: (tool.schema)(),
        });
        let has_code = !view.settings.code.is_empty();
        let outer = self.of(agent).filter(|tool| has_code || !tool.spec().needs_code).map(|tool| {
            let ToolSpec { name, description, schema, .. } = tool.spec().clone();
            crate::agent::ToolDefinition { name, description, schema }
        });
        let tools: Vec<_> = inner.chain(outer).collect();
        let choice = match agent.tool_choice {
            // An assignment must end, so the last turn may not call tools.
            _ if running.turn >= view.settings.max_turns_per_task => ToolChoice::None,
            ToolChoice::Required if running.turn > 1 => ToolChoice::Auto,
            choice => choice,
        };
        ToolOffer { tools, choice }
    }

    /// Checks a call of this assignment. Returns the decision of the rules, or the reason why the call is impossible.
    pub fn check_call(&self, view: &View, by: &Assignment, call: &Call) -> CallCheck {
        let impossible = |code: &str, message: String| {
            CallCheck::Impossible(AttemptError { code: code.into(), message: message.into() })
        };
        let Some(agent) = view.team.agent(&by.agent) else {
            return impossible("unknown_tool", "the team has no such agent".into());
        };
        if by.task == Task::Structure {
            return impossible("unknown_tool", "this task has no tools; respond with the output".into());
        }
        // A provider can ignore the tool choice of a request.
        if agent.tool_choice == ToolChoice::None {
            return impossible("unknown_tool", "you cannot call tools; respond with text".into());
        }
        let Some(tool) = self.of(agent).find(|tool| tool.spec().name == call.name) else {
            let inner = kernel_tools::offered_tools(view, by).map(|tool| tool.name.into());
            let mut names: Vec<Arc<str>> = self.of(agent).map(|tool| tool.spec().name.clone()).chain(inner).collect();
            names.sort();
            let description =
                if names.is_empty() { "you have none".into() } else { format!("you have {}", names.join(", ")) };
            return impossible("unknown_tool", format!("you have no tool {}; {description}", display_name(&call.name)));
        };
        let arguments = match parse(&call.arguments) {
            Ok(arguments) => arguments,
            Err(description) => return impossible("arguments_invalid", description),
        };
        let spec = tool.spec();
        if let Err(description) = schema::check(&spec.schema, &arguments) {
            return impossible("arguments_invalid", description);
        }
        let holds_private = policy::holds_private(view);
        let permission = policy::permission(&agent.permissions, spec, &arguments, holds_private);
        let risk = policy::risk(&agent.permissions, spec, &arguments);
        CallCheck::Known {
            permission,
            idempotent: spec.idempotent,
            risk,
            reads_only: policy::reads_only(spec, holds_private),
            result_sources: spec.result_sources.clone(),
            schema: spec.schema.clone(),
        }
    }

    /// Makes a call. Dropping the future cancels it.
    ///
    /// # Errors
    /// Fails with a message for the calling agent.
    pub async fn call(
        &self,
        agent: &Agent,
        place: CallContext,
        name: &str,
        arguments: &str,
    ) -> Result<CallOutput, ToolError> {
        let Some(tool) = self.of(agent).find(|tool| &*tool.spec().name == name) else {
            let message = format!("{} is not available now; retry later", display_name(name));
            return Err(ToolError::new("tool_unavailable", message));
        };
        let called = self.call_tool(&*tool, agent, place, arguments).await;
        called.map_err(|error| ToolError { tool: Some(tool.spec().name.clone()), ..error })
    }

    async fn call_tool(
        &self,
        tool: &dyn Tool,
        agent: &Agent,
        place: CallContext,
        arguments: &str,
    ) -> Result<CallOutput, ToolError> {
        let name = &*tool.spec().name;
        let arguments = parse(arguments).map_err(|description| ToolError::new("arguments_invalid", description))?;
        let ToolSpec { schema, time, output_bytes, idempotent, .. } = tool.spec();
        let (time, output_bytes) = (*time, *output_bytes);
        // The call was checked earlier, perhaps days ago. In the meantime, a source might have listed another tool
        // under this name.
        schema::check(schema, &arguments).map_err(|description| {
            let message = format!("{name} no longer accepts these arguments: {description}");
            ToolError::new("arguments_invalid", message)
        })?;
        let code = match &self.code_access {
            Some(access) => access.readable(&place).await.map_err(|error| {
                ToolError::new("tool_unavailable", "the store does not respond; retry later").caused_by(error)
            })?,
            None => place.code.clone(),
        };
        let watch = place.watch.clone();
        let guard = CallGuard::of(&agent.permissions, name, &arguments);
        let place = CallContext {
            people: Arc::new(PausingPeople { people: place.people, watch: watch.clone() }),
            guard,
            code,
            ..place
        };
        let called = tokio::select! {
            // If the result and the timeout are ready at the same time, the result counts.
            biased;
            called = tool.call(&place, arguments) => Some(called),
            () = watch.passed(time) => None,
        };
        match called {
            Some(Ok(output)) => Ok(self.store_files(&place, output, output_bytes).await),
            Some(Err(error)) => {
                let message = truncate_middle(&error.message, output_bytes);
                Err(ToolError { message, ..error })
            }
            None => {
                let mut description = format!("{name} timed out after {} s", time.as_secs_f32());
                if !idempotent {
                    description.push_str("; it is not known whether the call took effect");
                }
                Err(ToolError::new("tool_timed_out", description))
            }
        }
    }

    /// Stores the files of a call and returns its result. The text of the result says which files were not stored.
    async fn store_files(&self, place: &CallContext, output: Output, output_bytes: usize) -> CallOutput {
        let mut text = output.text;
        let Some(files) = self.files.as_ref().filter(|_| !output.files.is_empty()) else {
            return truncate_middle(&text, output_bytes).into();
        };
        let (mut kept, mut not_kept, limits) = (vec![], 0, files.limits());
        let beyond = output.files.len().saturating_sub(MAX_FILES);
        for OutputFile { name, content } in output.files.into_iter().take(MAX_FILES) {
            let file = new_file(FileName::near(&name), &content);
            match self.store_file(files, (place.session, &place.files), place.caused_by, &file, &content).await {
                Ok(()) => kept.push(file),
                Err(message) => {
                    not_kept += 1;
                    if not_kept <= MAX_NOTES {
                        text.push_str(&format!("\n[{} was not stored: {message}]", file.name));
                    }
                }
            }
        }
        if not_kept > MAX_NOTES {
            text.push_str(&format!("\n[nor are {} more]", not_kept - MAX_NOTES));
        }
        if beyond > 0 {
            let message = format!("a call keeps {MAX_FILES} files at most, and {beyond} more are not kept");
            text.push_str(&format!("\n[too_many_files: {message}]"));
        }
        // The size of an event is bounded, so cut the text last, when it includes the notes above.
        CallOutput { text: truncate_middle(&text, output_bytes).into(), files: kept, limits }
    }

    /// Stores the content of one file, which counts toward the quotas of the participant who caused the call. The error
    /// says why the file cannot be stored.
    async fn store_file(
        &self,
        files: &FileRepository,
        (session, existing): (SessionId, &[Arc<File>]),
        caused_by: Option<ParticipantId>,
        file: &NewFile,
        content: &[u8],
    ) -> Result<(), String> {
        files.check(content.len()).map_err(|error| error.to_string())?;
        files.limits().fits(existing, file).map_err(|error| error.to_string())?;
        let Some((quotas, who)) = self.quotas.as_ref().zip(caused_by) else {
            files.put_with_retry(session, file, content).await;
            return Ok(());
        };
        let amount = QuotaAmount::File { session, digest: &file.digest, bytes: file.bytes };
        let reserved = quotas.reserve(who, amount).await.map_err(|problem| problem.0.message.to_string())?;
        files.put_with_retry(session, file, content).await;
        if let Err(error) = quotas.charge_file(who, session, &file.digest).await {
            tracing::warn!(%error, "file not counted toward a quota");
        }
        reserved.release().await;
        Ok(())
    }

    /// Stores structured output as a file of the session. Returns `None` if the toolbox has no storage or there is no
    /// room for the file. The output is then only in the log.
    pub async fn store_output(
        &self,
        session: SessionId,
        existing: &[Arc<File>],
        caused_by: Option<ParticipantId>,
        output: &Value,
    ) -> Option<StructuredOutputFile> {
        let files = self.files.as_ref()?;
        // Indentation can multiply the size of deeply nested output.
        let indented = format!("{output:#}");
        let fits = indented.len() <= MAX_INDENTED_OUTPUT_BYTES;
        let content = if fits { indented } else { output.to_string() }.into_bytes();
        let file = new_file(FileName::near(OUTPUT_FILE_NAME), &content);
        match self.store_file(files, (session, existing), caused_by, &file, &content).await {
            Ok(()) => Some(StructuredOutputFile { file, limits: files.limits() }),
            Err(reason) => {
                tracing::warn!(reason, "structured output not stored as a file");
                None
            }
        }
    }

    /// Returns the tools that this agent may call with at least some arguments.
    fn of(&self, agent: &Agent) -> impl Iterator<Item = Arc<dyn Tool>> {
        let come_and_go = self.sources.iter().flat_map(|source| source.tools());
        self.tools.iter().cloned().chain(come_and_go).filter(|tool| agent.may_call(&tool.spec().name))
    }
}

fn parse(arguments: &str) -> Result<Value, String> {
    // Some models send an empty string for a tool without arguments.
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    strict_json::parse(arguments).map_err(|error| format!("the arguments are not valid JSON: {error}"))
}

/// Returns the name, shortened for an error message.
fn display_name(name: &str) -> &str {
    first_chars(name, 64)
}

#[cfg(test)]
#[path = "toolbox_tests.rs"]
mod tests;
