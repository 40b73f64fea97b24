//! All tools of a server: which of them an agent is offered, whether a call may be made, and making it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::code::CodeAccess;
use super::{Guard, Made, Output, Place, Spec, Tool, policy, time::Asked};
use crate::files::{Files, describe};
use crate::kernel::call::Call;
use crate::kernel::{
    Agent, Assignment, Brought, FileName, Item, Judged, ParticipantId, SessionId, StepError, ToolChoice, View, cut,
    exact, inner, schema,
};
use crate::knowledge::{Base, Knowledge};
use crate::quotas::{PythonMeter, QuotaAmount, Quotas};

/// Files that one call may make.
const MAX_FILES: usize = 1000;

/// Files of which it is said one by one why they are not kept.
const MAX_NOTES: usize = 20;

/// Tools that come and go.
pub trait Source: Send + Sync + 'static {
    /// Those that can be called now.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
}

/// All tools of a server.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Arc<[Arc<dyn Tool>]>,
    sources: Arc<[Arc<dyn Source>]>,
    /// Where what calls make is kept; without it nothing is.
    files: Option<Files>,
    /// In which calls count; without them calls are not counted.
    quotas: Option<Quotas>,
    /// Who may go on with a code base; without it whoever was given one may.
    code_access: Option<CodeAccess>,
    /// What sessions have to be searched; without it agents are told of no bases.
    knowledge: Option<Knowledge>,
}

/// What an agent is offered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Offer {
    /// The tools, as a model is told about them.
    pub tools: Vec<crate::agent::Tool>,
    /// Whether it may, must or must not call them.
    pub choice: ToolChoice,
}

impl Toolbox {
    /// These, and what the sources have. Of tools with one name the first counts: models take no name twice.
    pub fn new(mut tools: Vec<Arc<dyn Tool>>, sources: Vec<Arc<dyn Source>>) -> Self {
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

    /// The same, with a place for what calls make.
    #[must_use]
    pub fn with_files(self, files: Files) -> Self {
        Self { files: Some(files), ..self }
    }

    /// The same, with quotas that calls count in.
    #[must_use]
    pub fn with_quotas(self, quotas: Quotas) -> Self {
        Self { quotas: Some(quotas), ..self }
    }

    /// The same, for sessions whose participants may read their code bases.
    #[must_use]
    pub fn with_code_access(self, access: CodeAccess) -> Self {
        Self { code_access: Some(access), ..self }
    }

    /// The same, with knowledge bases that agents are told about.
    #[must_use]
    pub fn with_knowledge(self, knowledge: Knowledge) -> Self {
        Self { knowledge: Some(knowledge), ..self }
    }

    /// Of the knowledge bases that a session of this team was given, those that count in it; none where the store is silent:
    /// agents can still search what they are not told of.
    pub async fn bases(&self, session: SessionId, team: &str, named: &[Arc<str>]) -> Vec<Base> {
        let Some(knowledge) = &self.knowledge else { return vec![] };
        knowledge.bases(session, team, named).await.unwrap_or_else(|error| {
            tracing::warn!(%session, %error, "cannot tell an agent which knowledge bases there are");
            vec![]
        })
    }

    /// Counts the time of a session's programs in a run that this participant began.
    pub fn python_meter(&self, session: SessionId, caused_by: Option<ParticipantId>) -> PythonMeter {
        let quotas = self.quotas.clone();
        quotas.map_or_else(PythonMeter::default, |quotas| PythonMeter::new(quotas, session, caused_by))
    }

    /// Where files are.
    pub fn files(&self) -> Option<&Files> {
        self.files.as_ref()
    }

    /// What the agent of this item may call in this turn.
    pub fn offer(&self, view: &View, item: &Item) -> Offer {
        let Some(agent) = view.team.agent(&item.agent) else { return Offer::default() };
        let by = item.assignment();
        let inner = inner::offered(view, &by).map(|tool| crate::agent::Tool {
            name: tool.name.into(),
            description: tool.description.into(),
            schema: (tool.schema)(),
        });
        let has_code = !view.settings.code.is_empty();
        let outer = self.of(agent).filter(|tool| has_code || !tool.spec().needs_code).map(|tool| {
            let Spec { name, description, schema, .. } = tool.spec().clone();
            crate::agent::Tool { name, description, schema }
        });
        let tools: Vec<_> = inner.chain(outer).collect();
        let choice = match agent.tool_choice {
            // A task must end some time.
            _ if item.turn >= view.settings.turns_per_task => ToolChoice::None,
            ToolChoice::Required if item.turn > 1 => ToolChoice::Auto,
            choice => choice,
        };
        Offer { tools, choice }
    }

    /// What the rules say about a call of this agent for this task.
    pub fn judge(&self, view: &View, by: &Assignment, call: &Call) -> Judged {
        let impossible =
            |code: &str, message: String| Judged::Impossible(StepError { code: code.into(), message: message.into() });
        let Some(agent) = view.team.agent(&by.agent) else {
            return impossible("unknown_tool", "the team has no such agent".into());
        };
        let Some(tool) = self.of(agent).find(|tool| tool.spec().name == call.name) else {
            let inner = inner::offered(view, by).map(|tool| tool.name.into());
            let mut names: Vec<Arc<str>> = self.of(agent).map(|tool| tool.spec().name.clone()).chain(inner).collect();
            names.sort();
            let words =
                if names.is_empty() { "you have none".into() } else { format!("you have {}", names.join(", ")) };
            return impossible("unknown_tool", format!("there is no tool {} for you; {words}", shown(&call.name)));
        };
        let arguments = match parse(&call.arguments) {
            Ok(arguments) => arguments,
            Err(words) => return impossible("arguments_invalid", words),
        };
        let spec = tool.spec();
        if let Err(words) = schema::check(&spec.schema, &arguments) {
            return impossible("arguments_invalid", words);
        }
        let holds_private = policy::holds_private(view);
        let permission = policy::permission(&agent.permissions, spec, &arguments, holds_private);
        Judged::Known { permission, idempotent: spec.idempotent, schema: spec.schema.clone() }
    }

    /// Make a call. Dropping the future ends it.
    ///
    /// # Errors
    /// In words for the agent that called.
    pub async fn call(&self, agent: &Agent, place: Place, name: &str, arguments: &str) -> Result<Brought, StepError> {
        let failed = |code: &str, message: String| StepError { code: code.into(), message: message.into() };
        let Some(tool) = self.of(agent).find(|tool| &*tool.spec().name == name) else {
            return Err(failed("tool_unavailable", format!("{} is not to be had now; try again later", shown(name))));
        };
        let arguments = parse(arguments).map_err(|words| failed("arguments_invalid", words))?;
        let Spec { schema, time, output_bytes: most, idempotent, .. } = tool.spec();
        let (time, most) = (*time, *most);
        // Days may have passed since the call was judged, and a source may list another tool under its name by now.
        schema::check(schema, &arguments).map_err(|words| {
            failed("arguments_invalid", format!("{name} does not take these arguments any more: {words}"))
        })?;
        let code = match &self.code_access {
            Some(access) => access.readable(&place).await.map_err(|error| {
                tracing::warn!(%error, "cannot tell who may read a code base");
                failed("tool_unavailable", "the store does not answer; try again later".into())
            })?,
            None => place.code.clone(),
        };
        let watch = place.watch.clone();
        let guard = Guard::of(&agent.permissions, name, &arguments);
        let place =
            Place { people: Arc::new(Asked { people: place.people, watch: watch.clone() }), guard, code, ..place };
        let called = tokio::select! {
            // A result that is there is taken, though the time is over too.
            biased;
            called = tool.call(&place, arguments) => Some(called),
            () = watch.passed(time) => None,
        };
        match called {
            Some(Ok(output)) => Ok(self.keep(&place, output, most).await),
            Some(Err(error)) => Err(failed(error.code, cut(&error.message, most))),
            None => {
                let mut words = format!("{name} did not answer within {} s and was given up", time.as_secs_f32());
                if !idempotent {
                    words.push_str("; whether the call took effect is not known");
                }
                Err(failed("tool_timed_out", words))
            }
        }
    }

    /// What a call brought, once what it made is kept. What is not kept is said.
    async fn keep(&self, place: &Place, output: Output, most: usize) -> Brought {
        let mut text = output.text;
        let Some(files) = self.files.as_ref().filter(|_| !output.files.is_empty()) else {
            return cut(&text, most).into();
        };
        let (mut kept, mut not_kept, room) = (vec![], 0, files.room());
        let beyond = output.files.len().saturating_sub(MAX_FILES);
        for Made { name, content } in output.files.into_iter().take(MAX_FILES) {
            let file = describe(FileName::near(&name), &content);
            let quota = self.quotas.as_ref().zip(place.caused_by);
            let fits = async {
                files.check(content.len()).map_err(|error| error.to_string())?;
                room.fits(&place.files, &file).map_err(|error| error.to_string())?;
                let Some((quotas, who)) = quota else { return Ok(None) };
                let amount = QuotaAmount::File { session: place.session, digest: &file.digest, bytes: file.bytes };
                let reserved = quotas.reserve(who, amount).await;
                reserved.map(Some).map_err(|problem| problem.0.message.to_string())
            };
            match fits.await {
                Ok(reserved) => {
                    files.put_in_the_end(place.session, &file, &content).await;
                    if let Some((quotas, who)) = quota
                        && let Err(error) = quotas.charge_file(who, place.session, &file.digest).await
                    {
                        tracing::warn!(session = %place.session, %error, "a file counts in nobody's quota");
                    }
                    if let Some(reserved) = reserved {
                        reserved.release().await;
                    }
                    kept.push(file);
                }
                Err(words) => {
                    not_kept += 1;
                    if not_kept <= MAX_NOTES {
                        text.push_str(&format!("\n[{} is not kept: {words}]", file.name));
                    }
                }
            }
        }
        if not_kept > MAX_NOTES {
            text.push_str(&format!("\n[nor are {} more]", not_kept - MAX_NOTES));
        }
        if beyond > 0 {
            let words = format!("a call keeps {MAX_FILES} files at most, and {beyond} more are not kept");
            text.push_str(&format!("\n[too_many_files: {words}]"));
        }
        // Last: what was added counts, too, and an event has a bound.
        Brought { text: cut(&text, most).into(), files: kept, room }
    }

    /// The tools that this agent may call at all.
    fn of(&self, agent: &Agent) -> impl Iterator<Item = Arc<dyn Tool>> {
        let come_and_go = self.sources.iter().flat_map(|source| source.tools());
        self.tools.iter().cloned().chain(come_and_go).filter(|tool| agent.may_call(&tool.spec().name))
    }
}

fn parse(arguments: &str) -> Result<Value, String> {
    // Some models write nothing for a tool without arguments.
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    exact::read(arguments).map_err(|error| format!("the arguments cannot be taken as JSON: {error}"))
}

/// A name as an answer can hold it.
fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}

#[cfg(test)]
#[path = "toolbox_tests.rs"]
mod tests;
