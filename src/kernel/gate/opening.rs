//! Opening of gates: the question, the eligible roles, and the deadline.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::{
    ApprovalRule, AskedCommand, DeadlineOutcome, Gate, GateAction, GateKind, QuestionOrigin, Quorum, Subject, SubjectId,
};
use crate::call::{Risk, RuleSuggestion, digest};
use crate::draft::Draft;
use crate::{
    AgentId, Budget, CallId, Fact, FinishReason, GateId, Inquiry, Language, MessageId, Right, Role, RunId, Settings,
    View, call,
};

/// Opens a feedback gate on the newest output. If `limit` says which limit stopped the agents, the context explains it.
pub(crate) fn open_feedback(draft: &mut Draft, limit: Option<FinishReason>) {
    let view = draft.view();
    let Some(run) = view.active_run() else { return };
    let message = run.round.last_message.and_then(|id| view.message(id));
    let subject = message.map(|message| subject_of(message.id, &message.text));
    let agent: Option<AgentId> = message.and_then(|message| message.by.id.parse().ok());
    let interrupted = run.round.interrupted;
    // Without any output there is nothing to approve.
    let allow = if subject.is_some() {
        vec![GateAction::Approve, GateAction::Reject, GateAction::Respond]
    } else {
        vec![GateAction::Respond]
    };
    let prompt = prompt(draft, GateKind::Feedback, agent.as_ref(), interrupted);
    let gate = Gate {
        subject,
        agents: view.team.agents.iter().map(|agent| agent.id.clone()).collect(),
        context: limit.map(|limit| limit_context(view, limit)),
        ..new_gate(draft, run.id, GateKind::Feedback, prompt, agent, allow)
    };
    open_under_rule(draft, gate);
}

/// Opens a gate about the plan.
pub(crate) fn open_plan(draft: &mut Draft) {
    let Some(run) = draft.view().active_run() else { return };
    let (Some(plan), Some(done)) = (&run.plan, run.last_done()) else { return };
    let agent = Some(done.assignment.agent.clone());
    let message = done.message.unwrap_or(run.input);
    let subject = Subject { id: SubjectId::Message(message), rev: plan.rev, digest: plan.digest() };
    let rev = plan.rev;
    let allow = vec![GateAction::Approve, GateAction::Edit, GateAction::Reject, GateAction::Respond];
    let prompt = prompt(draft, GateKind::Plan, agent.as_ref(), false);
    let gate = Gate { subject: Some(subject), rev, ..new_gate(draft, run.id, GateKind::Plan, prompt, agent, allow) };
    open_under_rule(draft, gate);
}

/// Opens a gate about a call: whether it may be made, or how to continue after its result was lost.
pub(crate) fn open_call(draft: &mut Draft, id: CallId, kind: GateKind, schema: Option<Value>) {
    let Some((run, call)) = call::lifecycle::current(draft, id) else { return };
    let agent = call::lifecycle::agent_of(draft, id);
    let prompt = format!("{}: {}", prompt(draft, kind, agent.as_ref(), false), call.name);
    let subject = Subject { id: SubjectId::Call(id), rev: call.rev, digest: call.digest() };
    let bare = new_gate(draft, run, kind, prompt, agent, call::lifecycle::allowed_actions(kind));
    let risk = (kind == GateKind::Tool).then_some(call.risk);
    let (subject, rev, call) = (Some(subject), call.rev, Some(id));
    open_under_rule(draft, Gate { subject, rev, call, schema, risk, ..bare });
}

/// Opens a gate with an agent's question.
pub(crate) fn open_question(
    draft: &mut Draft,
    id: CallId,
    question: Arc<str>,
    context: Option<Arc<str>>,
    schema: Option<Value>,
) {
    let Some((run, _)) = call::lifecycle::current(draft, id) else { return };
    let agent = call::lifecycle::agent_of(draft, id);
    let bare = new_gate(
        draft,
        run,
        GateKind::Question,
        question.to_string(),
        agent,
        call::lifecycle::allowed_actions(GateKind::Question),
    );
    let context = context.filter(|context| !context.trim().is_empty());
    let gate = Gate { call: Some(id), context, schema, ..bare };
    open_question_gate(draft, gate);
}

/// Opens a gate with a question that a tool asks during a call, in the tool's own words.
pub(crate) fn open_inquiry(draft: &mut Draft, id: CallId, inquiry: &Inquiry) {
    let Some((run, call)) = call::lifecycle::current(draft, id) else { return };
    let (tool, server) = (&call.name, &inquiry.from);
    let context = match (draft.view().team.language, &inquiry.link) {
        (Language::Zh, None) => {
            format!(
                "工具 {tool} 所在的服务器 {server} 在调用过程中提出了这个问题。回答会发送给该服务器，智能体的模型也会读到；请勿填写密码或密钥"
            )
        }
        (Language::En, None) => format!(
            "the server {server} asks this during a call of {tool}. The answer is sent to that server, and the agents' \
             models read it too: do not enter passwords or keys"
        ),
        (Language::Zh, Some(_)) => {
            format!("工具 {tool} 所在的服务器 {server} 请你打开一个页面。你在那里填写的内容不会进入本会话")
        }
        (Language::En, Some(_)) => format!(
            "the server {server} asks you to open a page during a call of {tool}. What you enter there does not reach \
             this session"
        ),
    };
    let origin = Some(QuestionOrigin { server: inquiry.from.clone(), link: inquiry.link.clone() });
    let (prompt, schema) = (inquiry.message.to_string(), Some(inquiry.schema.clone()));
    let agent = call::lifecycle::agent_of(draft, id);
    let bare = new_gate(draft, run, GateKind::Question, prompt, agent, vec![GateAction::Respond, GateAction::Reject]);
    let gate = Gate { call: Some(id), context: Some(context.into()), schema, origin, ..bare };
    open_question_gate(draft, gate);
}

/// Returns the session's approval rule for a gate that people vote at.
fn rule_of(draft: &Draft, gate: &Gate) -> ApprovalRule {
    // A gate about a lost result has no risk of its own, but its call does.
    let call = gate.call.and_then(|id| call::lifecycle::current(draft, id)).map(|(_, call)| call);
    let settings = &draft.view().settings;
    settings.approval_of(gate.kind, call.as_ref().map(|call| call.risk), call.as_ref().map(|call| &*call.sources))
}

/// Opens a gate that people vote at, under the session's approval rule for it.
fn open_under_rule(draft: &mut Draft, gate: Gate) {
    let (settings, now) = (&draft.view().settings, draft.at());
    let rule = rule_of(draft, &gate);
    let deadline = settings.gate_deadline(&rule, now);
    let call = gate.call.and_then(|id| call::lifecycle::current(draft, id)).map(|(_, call)| call);
    let approves = match rule.at_deadline {
        Some(outcome) => outcome == DeadlineOutcome::Approved,
        None => rule.quorum == Quorum::Veto {} && rule.escalation.is_empty(),
    };
    // Silence approves only content that people can see. It never repeats a call, spends more, or grants a right.
    let needs_a_vote = matches!(gate.kind, GateKind::Uncertain | GateKind::Budget | GateKind::Command);
    let approves = approves && gate.subject.is_some() && !needs_a_vote;
    let at_deadline = if approves { DeadlineOutcome::Approved } else { DeadlineOutcome::Expired };
    let eligible = if gate.kind == GateKind::Command { vec![Role::Owner] } else { voting_roles(settings, &rule) };
    let gate = Gate {
        quorum: rule.quorum,
        separate_duties: rule.separate_duties,
        comments_hold: rule.comments_hold,
        eligible,
        escalations: rule.escalation.iter().map(|step| step.planned(now)).collect(),
        caused_by: call
            .map(|call| rule.caused_by.intersection(&call.sources.kinds).copied().collect())
            .unwrap_or_default(),
        deadline,
        at_deadline: deadline.map(|_| at_deadline),
        ..gate
    };
    draft.emit(Fact::GateOpened { gate: gate.into() });
}

/// Opens a gate that asks whether the `proposed` budget replaces that of the session.
pub(crate) fn open_budget(draft: &mut Draft, proposed: Budget, context: String) {
    let Some(run) = draft.view().active_run().map(|run| run.id) else { return };
    let subject = Some(Subject { id: SubjectId::Run(run), rev: 1, digest: proposed.digest(None) });
    let allow = vec![GateAction::Approve, GateAction::Edit, GateAction::Reject];
    let prompt = prompt(draft, GateKind::Budget, None, false);
    let bare = new_gate(draft, run, GateKind::Budget, prompt, None, allow);
    open_under_rule(draft, Gate { subject, context: Some(context.into()), budget: Some(proposed), ..bare });
}

/// Returns the roles whose votes count under a rule.
fn voting_roles(settings: &Settings, rule: &ApprovalRule) -> Vec<Role> {
    Role::ALL.into_iter().filter(|role| settings.may_vote(*role, rule.bots)).collect()
}

/// Opens a gate about a rule that the votes suggest. `rule` is the approval rule of the calls that the suggested rule
/// covers. Nothing waits for the gate, so it has no deadline.
pub(crate) fn open_rule(draft: &mut Draft, suggestion: RuleSuggestion, rule: ApprovalRule) {
    let Some(run) = draft.view().run.as_ref().map(|run| run.id) else { return };
    let subject = Some(Subject { id: SubjectId::Run(run), rev: 1, digest: suggestion.pattern.digest() });
    let context = Some(rule_context(draft.view(), &suggestion));
    let agent = Some(suggestion.pattern.agent.clone());
    let prompt = prompt(draft, GateKind::Rule, agent.as_ref(), false);
    let bare = new_gate(draft, run, GateKind::Rule, prompt, agent, vec![GateAction::Approve, GateAction::Reject]);
    let eligible = voting_roles(&draft.view().settings, &rule);
    let (quorum, rule) = (rule.quorum, Some(suggestion.into()));
    draft.emit(Fact::GateOpened { gate: Gate { subject, context, quorum, eligible, rule, ..bare }.into() });
}

/// Opens a gate for the owners about a command of the sender.
pub(crate) fn open_command(draft: &mut Draft, command: AskedCommand) {
    let run = draft.view().run.as_ref().map(|run| run.id);
    let prompt = command.command.question(draft.view().team.language).to_owned();
    let bare = new_gate(draft, run, GateKind::Command, prompt, None, vec![GateAction::Approve, GateAction::Reject]);
    open_under_rule(draft, Gate { command: Some(command.into()), ..bare });
}

/// Returns the evidence and the forecast of a proposed rule, in the language of the session.
fn rule_context(view: &View, suggestion: &RuleSuggestion) -> Arc<str> {
    let RuleSuggestion { pattern, allowed, changed, refused, calls, allowed_by, .. } = suggestion;
    let (tool, people, past) = (&pattern.tool, allowed_by.len(), calls.len());
    let (against, decided) = (changed + refused, allowed + changed + refused);
    let same = pattern.arguments_digest.is_some();
    let low = pattern.risk == Risk::Low;
    let text = match view.team.language {
        Language::En => format!(
            "{people} {} allowed {allowed} of {decided} such calls of {tool}, {} and {} risk. As a rule, it would have \
             allowed {past} past calls, {against} of which people changed or refused",
            if people == 1 { "person" } else { "people" },
            if same { "with the same arguments" } else { "with any arguments" },
            if low { "low" } else { "at most medium" },
        ),
        Language::Zh => format!(
            "{people} 人批准了 {decided} 次此类 {tool} 调用中的 {allowed} 次（{}，{}）。作为规则，它会放行过去的 {past} 次调用，其中 {against} 次曾被修改或拒绝",
            if same { "参数相同" } else { "任意参数" },
            if low { "低风险" } else { "最高中风险" },
        ),
    };
    text.into()
}

/// Opens a gate that everyone with the right to answer can answer. The first answer decides.
fn open_question_gate(draft: &mut Draft, gate: Gate) {
    let (settings, now) = (&draft.view().settings, draft.at());
    let deadline = settings.gate_deadline(&settings.approval_of(gate.kind, None, None), now);
    let at_deadline = deadline.map(|_| DeadlineOutcome::Expired);
    let eligible = Role::ALL.into_iter().filter(|role| settings.may(*role, Right::Answer)).collect();
    draft.emit(Fact::GateOpened { gate: Gate { eligible, deadline, at_deadline, ..gate }.into() });
}

fn subject_of(message: MessageId, text: &str) -> Subject {
    Subject { id: SubjectId::Message(message), rev: 1, digest: digest(text) }
}

fn new_gate(
    draft: &Draft,
    run: impl Into<Option<RunId>>,
    kind: GateKind,
    prompt: String,
    agent: Option<AgentId>,
    allow: Vec<GateAction>,
) -> Gate {
    Gate {
        id: GateId(draft.next_seq()),
        run: run.into(),
        kind,
        subject: None,
        rev: 1,
        prompt: prompt.into(),
        context: None,
        call: None,
        schema: None,
        origin: None,
        agent,
        allow,
        agents: vec![],
        quorum: Quorum::Any {},
        escalations: vec![],
        separate_duties: false,
        edited_by: vec![],
        comments_hold: false,
        threads: vec![],
        eligible: vec![],
        deadline: None,
        at_deadline: None,
        risk: None,
        caused_by: BTreeSet::new(),
        standing: None,
        budget: None,
        model: None,
        rule: None,
        command: None,
        votes: vec![],
        expired: false,
        decision: None,
        opened_at: draft.at(),
        revised_at: None,
        ended: None,
    }
}

/// Returns why the agents stopped before their round was complete, and how to continue, in the language of the session.
fn limit_context(view: &View, limit: FinishReason) -> Arc<str> {
    let Settings { max_messages_per_run, max_steps_per_run, .. } = &view.settings;
    let text = match (limit, view.team.language) {
        (FinishReason::StepLimit, Language::En) => format!(
            "The agents have taken {max_steps_per_run} steps, which is the limit. Say how to continue; your message starts a \
             new round"
        ),
        (FinishReason::StepLimit, Language::Zh) => {
            format!("智能体已连续执行 {max_steps_per_run} 步，达到上限。请说明如何继续：你的回复将开始新一轮")
        }
        (_, Language::En) => format!(
            "This round has {max_messages_per_run} messages, which is the limit. Say how to continue; your message starts a \
             new round"
        ),
        (_, Language::Zh) => {
            format!("本轮已有 {max_messages_per_run} 条消息，达到上限。请说明如何继续：你的回复将开始新一轮")
        }
    };
    text.into()
}

/// Returns the question of a gate, in the language of the session.
fn prompt(draft: &Draft, kind: GateKind, agent: Option<&AgentId>, interrupted: bool) -> String {
    let name = agent.and_then(|id| draft.view().team.agent(id)).map_or("", |agent| &*agent.name);
    match (kind, draft.view().team.language) {
        (GateKind::Feedback, Language::Zh) if interrupted => "已中断。请说明接下来该怎么做".into(),
        (GateKind::Feedback, Language::En) if interrupted => "Interrupted. Say what to do instead".into(),
        (GateKind::Feedback, Language::Zh) => format!("{name} 已完成，请提供反馈或点击同意"),
        (GateKind::Feedback, Language::En) => format!("{name} is done. Say what should change, or approve"),
        (GateKind::Plan, Language::Zh) => format!("{name} 制定了计划，请确认、修改或说明应如何调整"),
        (GateKind::Plan, Language::En) => {
            format!("{name} has made a plan. Confirm it, edit it, or say what should change")
        }
        (GateKind::Tool, Language::Zh) => format!("{name} 请求调用工具"),
        (GateKind::Tool, Language::En) => format!("{name} asks to call a tool"),
        (GateKind::Uncertain, Language::Zh) => {
            format!("{name} 的调用已发出，但结果丢失。请再次调用、标记为失败，或填写结果")
        }
        (GateKind::Uncertain, Language::En) => {
            format!(
                "A call by {name} was sent, but its result was lost. Call again, mark it as failed, or enter its result"
            )
        }
        (GateKind::Budget, Language::Zh) => "会话的预算已用完。请提高预算以继续，或结束运行".into(),
        (GateKind::Budget, Language::En) => {
            "The budget of the session is spent. Raise it to continue, or end the run".into()
        }
        (GateKind::Rule, Language::Zh) => format!("今后是否无需询问即可执行 {name} 的此类调用？"),
        (GateKind::Rule, Language::En) => format!("Should calls like these of {name} be made without asking?"),
        // The functions that open these gates provide the whole question.
        (GateKind::Command | GateKind::Question, _) => String::new(),
    }
}
