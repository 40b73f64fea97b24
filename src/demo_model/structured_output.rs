//! Values of the structures that flows require: a plan, a decision, an action of an investigation, findings, and a
//! route. Other values are generated from their schemas.

use serde_json::{Value, json};

use super::schema_value::instance;
use super::script::{Scene, phrase};
use super::story::{Story, StoryPlanItem, StoryQuestion};
use super::task_context::Finding;
use super::tool_calls::{OfferedTool, required_arguments};
use crate::kernel::schema::output_schema::OutputSchema;

/// Maximum number of characters in a request that one agent handles without a plan. A non-ASCII character counts as
/// three.
const MAX_SHORT_QUESTION_CHARS: usize = 60;

/// Returns a value for this schema.
pub(super) fn value(schema: &Value, tools: &[OfferedTool], scene: &Scene) -> Value {
    // A caller's schema can have properties with the same names as a flow's schema.
    let fits = |value: &Value| OutputSchema::compile(schema).is_ok_and(|schema| schema.check(value).is_ok());
    match value_of_flow(schema, tools, scene).filter(fits) {
        Some(value) => value,
        None => instance(schema, &scene.subject),
    }
}

/// Returns a value for the schema of a flow; `None` if the schema is not one of a flow.
fn value_of_flow(schema: &Value, tools: &[OfferedTool], scene: &Scene) -> Option<Value> {
    let asks = |name: &str| schema["properties"][name].is_object();
    if asks("next_action") {
        return Some(decision(schema, scene));
    }
    if asks("next_steps") {
        return Some(investigation(schema, tools, scene));
    }
    if asks("root_cause") {
        return Some(findings(scene));
    }
    if asks("flow") {
        return Some(route(schema, scene));
    }
    match enum_values(&schema["properties"]["steps"]["items"]["properties"]["agent"]).as_slice() {
        [] => None,
        agents => Some(plan(agents, scene)),
    }
}

/// Returns the strings of an enum.
fn enum_values(schema: &Value) -> Vec<&str> {
    schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns a plan with one step per agent, in the order of the agents.
fn plan(agents: &[&str], scene: &Scene) -> Value {
    let known = |story: &&Story| {
        story.steps.iter().all(|step| step.agent.as_deref().is_some_and(|agent| agents.contains(&agent)))
    };
    if let Some(Story { title, time, risks, steps, .. }) =
        scene.story().filter(known).filter(|story| !story.steps.is_empty())
    {
        let steps =
            steps.iter().map(|step| json!({ "agent": step.agent, "action": step.action, "reason": step.reason }));
        return json!({ "title": title, "steps": steps.collect::<Vec<_>>(), "estimated_time": time, "risks": risks });
    }
    let subject = &scene.subject;
    let step = |agent: &&str| {
        let (action, reason) = match (*agent, scene.chinese) {
            ("requirement", true) => (format!("分析「{subject}」的需求"), "先弄清要测试什么".to_owned()),
            ("requirement", false) => {
                (format!("Analyze the requirements of {subject}"), "Testing starts from the requirements".into())
            }
            ("knowledge", true) => (format!("检索与「{subject}」有关的资料"), "避免重复已知的缺陷".into()),
            ("knowledge", false) => (format!("Find what is known about {subject}"), "Avoids known defects".into()),
            ("testcase", true) => (format!("编写「{subject}」的测试用例"), "这是用户要的结果".into()),
            ("testcase", false) => {
                (format!("Write the test cases for {subject}"), "This is the requested result".into())
            }
            (other, true) => (format!("{other} 完成「{subject}」中自己的部分"), "各个智能体各有所长".into()),
            (other, false) => {
                (format!("{other} does its part of {subject}"), "Each agent does what it is best at".into())
            }
        };
        json!({ "agent": agent, "action": action, "reason": reason })
    };
    let mut steps: Vec<Value> = agents.iter().map(step).collect();
    if let (Some(first), Some(text)) = (steps.first_mut(), scene.feedback.last()) {
        first["reason"] = match phrase(text) {
            Some(text) => scene.say(format!("按您的意见：{text}"), format!("According to your feedback: {text}")),
            None => scene
                .say("真实模型会按您的意见修改计划", "A real model would change the plan according to your feedback"),
        }
        .into();
    }
    json!({
        "title": scene.say(format!("「{subject}」的计划"), format!("Plan for {subject}")),
        "steps": steps,
        "estimated_time": scene.say("约 2 分钟", "about 2 minutes"),
        "risks": [
            scene.say("需求可能不完整", "The requirements may be incomplete"),
            scene.say("演示模型不会真正思考", "The demo model does not really think"),
        ],
    })
}

/// Returns a decision. Usually, the plan continues with the next step. "retry", "skip" or "one more step" in people's
/// messages causes this action once; "stop early" ends the run.
fn decision(schema: &Value, scene: &Scene) -> Value {
    let work = &scene.work;
    let wants = |keywords: &[&str]| scene.wants(keywords);
    let skipped = work.plan.iter().any(|step| step.mark == '–');
    let known = enum_values(&schema["properties"]["next_agent"]);
    let last = known.iter().rfind(|agent| **agent != "END").copied();
    let (action, next, reason) = match work.next() {
        _ if wants(&["retry", "重试"]) && !work.has_repeated_step() => {
            ("retry", None, scene.say("您希望这一步再做一次", "You want to repeat this step"))
        }
        Some(_) if wants(&["stop early", "提前结束"]) => {
            ("end", None, scene.say("您希望提前结束", "You want to end early"))
        }
        None if wants(&["one more step", "再加一步"]) && work.plan.len() < known.len() => {
            ("continue", last, scene.say("您希望再加一步", "You want one more step"))
        }
        None => ("end", None, scene.say("全部步骤已完成", "All steps are done")),
        Some(_) if wants(&["skip", "跳过"]) && !skipped => {
            ("skip", None, scene.say("您希望跳过下一步", "You want to skip the next step"))
        }
        Some(step) => ("continue", step.agent.as_deref(), scene.say("按计划继续", "The plan continues")),
    };
    let next = next.filter(|agent| known.contains(agent)).or(known.contains(&"END").then_some("END"));
    let analysis = match work.found.last().and_then(Finding::gist) {
        Some(gist) => scene.say(format!("最近的结果：{gist}"), format!("Latest result: {gist}")),
        None => scene.say("真实模型会评估最近的结果", "A real model would assess the latest result"),
    };
    let mut decision = json!({
        "analysis": analysis,
        "next_action": action,
        "instruction": scene.say("请保持同样的结构", "Keep the same structure"),
        "reason": reason,
    });
    if let Some(agent) = next.filter(|_| action != "retry") {
        decision["next_agent"] = agent.into();
    }
    decision
}

/// Returns the next action of an investigation: list files, search, ask people once, and finish, in this order.
/// People's messages can change it: "adjust the plan" causes one new plan, "step by step" causes plans of one step, and
/// "ask first" causes a question before the search.
fn investigation(schema: &Value, tools: &[OfferedTool], scene: &Scene) -> Value {
    let actions = enum_values(&schema["properties"]["action"]);
    let used = |name: &str| scene.work.found.iter().any(|found| found.tool.as_deref() == Some(name));
    let left = ["code_list", "code_search"].into_iter().filter(|name| !used(name));
    let left: Vec<&OfferedTool> = left.filter_map(|wanted| tools.iter().find(|(name, _)| *name == wanted)).collect();
    let quiet = scene.wants(&["without asking", "do not ask", "don't ask", "不要提问", "不用提问"]);
    let judges = actions.contains(&"adjust_plan");
    if judges && scene.work.next().is_some() {
        let anew = scene.work.found.len() == 1 && scene.wants(&["adjust the plan", "调整计划"]);
        let (action, reason) = match anew {
            true => ("adjust_plan", scene.say("您希望调整计划", "You want to adjust the plan")),
            false => ("continue", scene.say("按计划继续", "The plan continues")),
        };
        return json!({ "action": action, "reason": reason });
    }
    let story = scene.story().filter(|story| story.steps.iter().all(|step| step.is_offered(tools)));
    if let Some(story) = story.filter(|_| scene.work.found.is_empty()) {
        let step = |step: &StoryPlanItem| json!({ "action": step.action, "tool_name": step.tool, "tool_params": step.arguments });
        let reason = scene.say("先看代码再下结论", "Look at the code before concluding");
        return json!({ "action": "continue", "reason": reason, "next_steps": story.steps.iter().map(step).collect::<Vec<_>>() });
    }
    let (question, context) = question(scene, story);
    if !left.is_empty() {
        let subject = &scene.subject;
        let asks_first = !judges && scene.wants(&["ask first", "先提问"]);
        let question = asks_first.then(|| {
            let action = scene.say("请求用户输入", "Ask the user");
            json!({ "action": action, "tool_name": "user_input", "tool_params": { "question": question, "context": context } })
        });
        let max_steps = if scene.wants(&["step by step", "一步一步"]) { 1 } else { left.len() };
        let step = |(name, schema): &&OfferedTool| {
            let action = match *name {
                "code_list" => scene.say("查看代码库的结构".to_owned(), "List the files of the code base"),
                _ => scene.say(format!("搜索与「{subject}」有关的代码"), format!("Search the code for {subject}")),
            };
            json!({ "action": action, "tool_name": name, "tool_params": required_arguments(schema, keyword(subject)) })
        };
        let reason = scene.say("先看代码再下结论", "Look at the code before concluding");
        let steps: Vec<Value> = question.into_iter().chain(left.iter().take(max_steps).map(step)).collect();
        return json!({ "action": "continue", "reason": reason, "next_steps": steps });
    }
    let may_conclude = quiet && actions.contains(&"synthesize");
    if !used("user_input") && !may_conclude {
        return json!({ "action": "request_input", "question": question, "context": context });
    }
    json!({
        "action": "synthesize",
        "analysis": scene.say("已有足够的线索", "There is enough evidence"),
        "reason": scene.say("没有更多可以区分的原因", "The causes cannot be distinguished further"),
    })
}

/// Returns the question that an investigation asks people, and its purpose.
fn question(scene: &Scene, story: Option<&Story>) -> (String, String) {
    match story.and_then(|story| story.question.as_ref()) {
        Some(StoryQuestion { prompt, context }) => (prompt.clone(), context.clone()),
        None => (
            scene.say("问题出现时运行的是哪个版本？", "Which version ran when it happened?"),
            scene.say("代码里看不出这一点", "The code does not show this"),
        ),
    }
}

/// Returns the longest ASCII word of the subject, as the search term; the whole subject if there is no such word.
fn keyword(subject: &str) -> &str {
    let words = subject.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.max_by_key(|word| word.len()).filter(|word| !word.is_empty()).unwrap_or(subject)
}

fn findings(scene: &Scene) -> Value {
    let looked = scene.work.found.iter().any(|found| found.tool.as_deref() == Some("code_read"));
    if let Some(findings) = scene.story().filter(|_| looked).and_then(|story| story.findings.as_ref()) {
        let mut findings = findings.clone();
        let summary = findings["summary"].as_str().unwrap_or_default();
        findings["summary"] = scene.say(format!("（演示）{summary}"), format!("(scripted) {summary}")).into();
        return findings;
    }
    let subject = &scene.subject;
    let seen = scene.work.found.iter().filter_map(|found| match (&found.tool, found.gist()) {
        (Some(tool), Some(gist)) => Some(format!("{tool}: {gist}")),
        (tool, gist) => tool.clone().or(gist),
    });
    let seen = seen.collect::<Vec<_>>().join("; ");
    json!({
        "summary": scene.say(format!("（演示）已调查「{subject}」：{seen}"), format!("(scripted) {subject} was looked into: {seen}")),
        "root_cause": scene.say(
            format!("演示：「{subject}」的原因由真实模型给出"),
            format!("Scripted: a real model would name the cause of {subject} here"),
        ),
        "suggestions": [
            scene.say("用真实模型再调查一次", "Investigate again with a real model"),
            scene.say("为找到的原因补一条测试", "Add a test for the cause that is found"),
        ],
    })
}

/// Returns a route: one agent for a short question, a plan otherwise.
fn route(schema: &Value, scene: &Scene) -> Value {
    let known = enum_values(&schema["properties"]["flow"]);
    let length: usize = scene.request.chars().map(|letter| if letter.is_ascii() { 1 } else { 3 }).sum();
    let (wanted, reason) = match length <= MAX_SHORT_QUESTION_CHARS {
        true => ("react", scene.say("问题简短，一个智能体即可", "The question is short: one agent will do")),
        false => ("plan_solve", scene.say("任务较大，先规划", "The task is large: a plan comes first")),
    };
    let story_flow = scene.story().and_then(|story| story.flow.as_deref());
    let wanted = story_flow.unwrap_or(wanted);
    let flow = known.iter().find(|flow| **flow == wanted).or(known.first());
    json!({ "flow": flow, "reason": reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::output_shape::{OutputShape, ParsedOutput};

    fn answer(shape: &OutputShape, given: &str) -> (Value, ParsedOutput) {
        let scene = Scene::read(&[json!({ "role": "user", "content": given })]);
        let parameters = json!({ "properties": { "path": { "type": "string" }, "pattern": { "type": "string" } }, "required": ["pattern"] });
        let value = value(&shape.schema(), &[("code_search", &parameters)], &scene);
        let shaped = shape.read(&value.to_string()).expect("has the shape");
        (value, shaped)
    }

    fn shapes() -> [OutputShape; 6] {
        let agents = || vec!["requirement".into(), "testcase".into(), "other".into()];
        [
            OutputShape::Plan { agents: agents() },
            OutputShape::Decision { agents: agents() },
            OutputShape::Investigation,
            OutputShape::NextOfInvestigation,
            OutputShape::Findings,
            OutputShape::Route(vec!["react".into(), "plan_solve".into()]),
        ]
    }

    #[test]
    fn every_shape_of_the_flows_is_met_in_both_languages() {
        for shape in shapes() {
            for given in ["Why does login fail?", "登录为什么失败？", ""] {
                answer(&shape, given);
            }
        }
    }

    #[test]
    fn a_decision_does_what_people_said_once() {
        let shape = OutputShape::Decision { agents: vec!["a".into(), "b".into()] };
        let given = |message: &str, more: &str, plan: &str| {
            let text = format!(
                "[message from=user id=u_1]\n| {message}\n\n[result step=1 from=agent id=a]\n| x\n\n{more}[plan title=\"P\"]\n{plan}"
            );
            answer(&shape, &text).0
        };
        let open = "1. [✓] \"x\" agent=a\n2. [ ] \"y\" agent=b";
        let plain = given("tea", "", open);
        assert_eq!((&plain["next_action"], &plain["next_agent"]), (&json!("continue"), &json!("b")));
        assert_eq!(given("tea, and retry", "", open)["next_action"], "retry");
        assert_eq!(
            given("tea, and retry", "[result step=1 from=agent id=a]\n| y\n\n", open)["next_action"],
            "continue"
        );
        assert_eq!(given("tea, skip one", "", open)["next_action"], "skip");
        assert_eq!(
            given("tea, skip one", "", "1. [✓] \"x\" agent=a\n2. [–] \"y\" agent=b\n3. [ ] \"z\" agent=b")["next_action"],
            "continue"
        );
        assert_eq!(given("tea", "", "1. [✓] \"x\" agent=a")["next_action"], "end");
        assert_eq!(given("tea, stop early", "", open)["next_action"], "end");
        let more = given("tea, one more step", "", "1. [✓] \"x\" agent=a\n2. [✓] \"y\" agent=b");
        assert_eq!((&more["next_action"], &more["next_agent"]), (&json!("continue"), &json!("b")));
        let added = "1. [✓] \"x\" agent=a\n2. [✓] \"y\" agent=b\n3. [✓] \"z\" agent=b";
        assert_eq!(given("tea, one more step", "", added)["next_action"], "end");
    }

    #[test]
    fn an_investigation_looks_asks_and_concludes() {
        let given = |found: &str| format!("[message from=user id=u_1]\n| why does login fail\n\n{found}");
        let result = |step: u32, tool: &str, text: &str| {
            format!("[result step={step} for=I from=tool name=\"{tool}\" arguments={{}}]\n| {text}\n\n")
        };
        let (first, _) = answer(&OutputShape::Investigation, &given(""));
        assert_eq!(first["next_steps"][0]["tool_params"], json!({ "pattern": "login" }));
        let listed = result(1, "code_list", "login.rs");
        let planned = format!("{listed}[plan title=\"\"]\n1. [✓] \"See\"\n2. [ ] \"Search\"");
        let (goes_on, _) = answer(&OutputShape::NextOfInvestigation, &given(&planned));
        assert_eq!((&goes_on["action"], &goes_on["next_steps"]), (&json!("continue"), &Value::Null));
        let adjust = format!("[message from=user id=u_1]\n| why? adjust the plan\n\n{planned}");
        assert_eq!(answer(&OutputShape::NextOfInvestigation, &adjust).0["action"], "adjust_plan");
        let searched = result(1, "code_search", "login.rs:1");
        let (second, _) = answer(&OutputShape::NextOfInvestigation, &given(&searched));
        assert_eq!(second["action"], "request_input");
        let answered = format!("{searched}{}", result(2, "user_input", "1.2"));
        assert_eq!(answer(&OutputShape::NextOfInvestigation, &given(&answered)).0["action"], "synthesize");
        let ask_first = "[message from=user id=u_1]\n| why does login fail? ask first";
        let tools = |value: &Value| {
            let steps = value["next_steps"].as_array().into_iter().flatten();
            steps.map(|step| step["tool_name"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(tools(&answer(&OutputShape::Investigation, ask_first).0), ["user_input", "code_search"]);
        let quiet = format!("[message from=user id=u_1]\n| why, without asking me\n\n{searched}");
        assert_eq!(answer(&OutputShape::NextOfInvestigation, &quiet).0["action"], "synthesize");
    }

    #[test]
    fn a_long_task_gets_a_plan() {
        let shape = OutputShape::Route(vec!["react".into(), "plan_solve".into()]);
        assert_eq!(answer(&shape, "what time is it?").0["flow"], "react");
        assert_eq!(answer(&shape, &"compare three ways to store sessions ".repeat(3)).0["flow"], "plan_solve");
        assert_eq!(answer(&shape, "请比较三种会话存储方案的优缺点并给出迁移计划和风险").0["flow"], "plan_solve");
    }
}
