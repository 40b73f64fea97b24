//! Tool calls of the demo model.
//!
//! People can dictate a call. A `/tool NAME {"argument": …}` line becomes a call, even if the tool does not exist.

use serde_json::{Map, Value, json};

use super::schema_value::instance;
use super::script::Scene;
use super::task_context::{DemoTask, Finding};

/// A tool call that the demo model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DemoCall {
    pub(super) name: String,
    /// Arguments, usually JSON. Dictated and faulty calls can contain invalid JSON.
    pub(super) arguments: String,
}

impl DemoCall {
    fn new(name: &str, arguments: &Value) -> Self {
        Self { name: name.to_owned(), arguments: arguments.to_string() }
    }
}

/// A tool that a request offers: its name and the schema of its arguments.
pub(super) type OfferedTool<'a> = (&'a str, &'a Value);

/// Returns the tools that a request offers.
pub(super) fn offered_tools(body: &Value) -> Vec<OfferedTool<'_>> {
    let functions = body["tools"].as_array().into_iter().flatten().map(|tool| &tool["function"]);
    functions.filter_map(|function| Some((function["name"].as_str()?, &function["parameters"]))).collect()
}

/// Returns the calls of this turn. After a tool result, the model responds with text, unless the plan or a story
/// requires a call.
pub(super) fn tool_calls(body: &Value, scene: &Scene) -> Vec<DemoCall> {
    let (tools, choice) = (offered_tools(body), &body["tool_choice"]);
    let call = |(name, schema): &OfferedTool| match *name {
        // Without optional arguments, the tool searches everywhere. Invented arguments would limit the search to places
        // without hits.
        "document_search" => DemoCall::new(name, &required_arguments(schema, &scene.subject)),
        _ => DemoCall::new(name, &instance(schema, &scene.subject)),
    };
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_result = |at: usize| messages.iter().rev().nth(at).is_some_and(|message| message["role"] == "tool");
    let (newest_is_result, steered) = (is_result(0), is_result(1));
    if tools.is_empty() || choice == "none" {
        return vec![];
    }
    if scene.work.task == DemoTask::KeepPlan && tools.iter().any(|(name, _)| *name == "plan") {
        return plan_calls(scene);
    }
    let is_offered = |wanted: &str| tools.iter().any(|(name, _)| *name == wanted);
    if let Some(call) = scene.story().and_then(|story| story.call(scene, is_offered)) {
        return vec![call];
    }
    if newest_is_result {
        return vec![];
    }
    // A summary for people is written to a file if there is a tool for this.
    if scene.work.task == DemoTask::Summarize && tools.iter().any(|(name, _)| *name == "report") {
        let report = json!({ "title": scene.subject, "markdown": scene.answer() });
        return vec![DemoCall::new("report", &report)];
    }
    if choice == "required" {
        return tools.iter().take(1).map(call).collect();
    }
    if let Some(named) = choice["function"]["name"].as_str() {
        return tools.iter().filter(|(name, _)| *name == named).map(call).collect();
    }
    let (dictated, text) = match &scene.work.task {
        DemoTask::Answer => (true, scene.newest.as_str()),
        // The step's own call has already been made, before people wrote further messages.
        DemoTask::Step { .. } if steered => (true, scene.newest.as_str()),
        DemoTask::Step { number, action } => (*number == 1, action.as_str()),
        DemoTask::KeepPlan | DemoTask::Summarize => return vec![],
    };
    let dictated: Vec<DemoCall> =
        if dictated { scene.newest.lines().filter_map(parse_tool_command).collect() } else { vec![] };
    if !dictated.is_empty() {
        return dictated;
    }
    let named = |name: &str| mentions(text, name) || name == "document_search" && needs_documents(scene, text);
    tools.iter().filter(|(name, _)| *name != "plan" && named(name)).take(1).map(call).collect()
}

/// Returns whether to search knowledge bases. In a step of a plan, only the knowledge agent searches them; otherwise,
/// they are searched if the text mentions them.
fn needs_documents(scene: &Scene, text: &str) -> bool {
    let DemoTask::Step { number, .. } = scene.work.task else {
        let text = text.to_lowercase();
        return ["知识库", "knowledge base"].iter().any(|name| text.contains(name));
    };
    let step = scene.work.plan.iter().find(|step| step.number == number);
    step.is_some_and(|step| step.agent.as_deref() == Some("knowledge"))
}

/// Parses a line with a dictated call, such as `/tool code_list {"path": "src"}`; `None` if the line is not one.
fn parse_tool_command(line: &str) -> Option<DemoCall> {
    let (name, arguments) = match line.trim().strip_prefix("/tool ")?.trim().split_once(char::is_whitespace) {
        Some((name, arguments)) => (name, arguments.trim()),
        None => (line.trim().strip_prefix("/tool ")?.trim(), "{}"),
    };
    (!name.is_empty()).then(|| DemoCall { name: name.to_owned(), arguments: arguments.to_owned() })
}

/// Returns whether the text contains the name as a word: "planned" does not contain "plan", and "code_read" does not
/// contain "read".
fn mentions(text: &str, name: &str) -> bool {
    let part_of_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}

/// Returns the next calls that maintain the plan: first the call that creates it, later the calls that mark its steps
/// and finish it.
fn plan_calls(scene: &Scene) -> Vec<DemoCall> {
    let (subject, plan) = (&scene.subject, &scene.work.plan);
    let call = |arguments: Value| DemoCall::new("plan", &arguments);
    if let Some(story) = scene.story().filter(|story| plan.is_empty() && !story.steps.is_empty()) {
        let steps: Vec<&str> = story.steps.iter().map(|step| &*step.action).collect();
        return vec![call(json!({ "command": "create", "title": story.title, "items": steps }))];
    }
    if plan.is_empty() {
        let steps = match scene.chinese {
            true => [
                format!("弄清「{subject}」的目标和范围"),
                format!("收集「{subject}」的已知内容<sep>找出「{subject}」的疑问和风险"),
                format!("整理「{subject}」的结果"),
            ],
            false => [
                format!("Clarify the goal and scope of {subject}"),
                format!("Collect known facts about {subject}<sep>Find open questions and risks of {subject}"),
                format!("Compile the result for {subject}"),
            ],
        };
        return vec![call(json!({ "command": "create", "title": subject, "items": steps }))];
    }
    let done = plan.iter().rfind(|step| step.mark == '✓').filter(|step| !step.noted);
    // The note must not be empty, because a step without a note would be marked again.
    let note = scene.work.found.last().and_then(Finding::gist).unwrap_or_else(|| scene.say("已执行", "carried out"));
    let mark = done.map(|step| {
        let index = step.number.saturating_sub(1);
        call(json!({ "command": "mark_item", "item_index": index, "item_status": "completed", "item_notes": note }))
    });
    let finish = scene.work.next().is_none().then(|| call(json!({ "command": "finish" })));
    mark.into_iter().chain(finish).collect()
}

/// Returns arguments for a call: only those that the schema requires.
pub(super) fn required_arguments(schema: &Value, text: &str) -> Value {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match instance(schema, text) {
        Value::Object(fields) => {
            fields.into_iter().filter(|(name, _)| required.contains(&name.as_str())).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(tools: &[&str], text: &str) -> Value {
        let tool = |name: &&str| json!({ "type": "function", "function": { "name": name, "parameters": {} } });
        json!({ "messages": [{ "role": "user", "content": text }], "tools": tools.iter().map(tool).collect::<Vec<_>>() })
    }

    fn calls(tools: &[&str], text: &str) -> Vec<(String, String)> {
        let body = body(tools, text);
        let scene = Scene::read(body["messages"].as_array().expect("messages"));
        tool_calls(&body, &scene).into_iter().map(|call| (call.name, call.arguments)).collect()
    }

    #[test]
    fn people_dictate_calls_line_by_line() {
        let text = "look\n/tool code_list {\"path\": \"src\"}\n/tool now\nplease";
        let expected = [("code_list".into(), "{\"path\": \"src\"}".into()), ("now".into(), "{}".to_owned())];
        assert_eq!(calls(&["now"], text), expected);
        assert_eq!(calls(&[], text), []);
        let quoted = text.replace('\n', "\n| ");
        let history = format!(
            "[message from=user id=u_1]\n| /tool old\n\n[message from=agent id=X]\n| done\n\n[feedback from=user id=u_1]\n| {quoted}"
        );
        assert_eq!(calls(&["now"], &history), expected);
    }

    #[test]
    fn words_after_a_result_are_new_words_and_not_part_of_it() {
        let call = json!({ "id": "1", "function": { "name": "read", "arguments": "{}" } });
        let mut body =
            body(&["read"], "[plan title=\"tea\"]\n1. [→] \"read it\"\n\n[step number=1 part=action]\n| read it");
        let messages = body["messages"].as_array_mut().expect("messages");
        messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
        messages.push(json!({ "role": "tool", "tool_call_id": "1", "content": "leaves" }));
        messages.push(json!({ "role": "user", "content": "[feedback from=user id=u_1]\n| only green tea" }));
        let scene = Scene::read(body["messages"].as_array().expect("messages"));
        assert_eq!((&*scene.brought[0].1, &*scene.newest), ("leaves", "only green tea"));
        assert!(matches!(scene.work.task, DemoTask::Step { number: 1, .. }));
        assert_eq!(tool_calls(&body, &scene), [], "the step's own call was made before");
    }

    #[test]
    fn a_tool_is_named_by_its_whole_name() {
        assert_eq!(calls(&["read"], "please read it").len(), 1);
        assert_eq!(calls(&["code_read"], "用code_read看看").len(), 1);
        assert_eq!(calls(&["read", "code_read"], "code_read it")[0].0, "code_read");
        assert_eq!(calls(&["read"], "already"), []);
        assert_eq!(calls(&["plan"], "plan a journey"), [], "the plan is for whoever is to keep one");
    }

    #[test]
    fn agents_with_the_search_tool_search_knowledge_bases() {
        let given = |number: u32, action: &str| {
            format!(
                "[message from=user id=u_1]\n| tea\n\n[plan title=\"tea\"]\n1. [✓] \"a\" agent=b note=\"good\"\n\
                 2. [→] \"Look it up\" agent=knowledge\n\n[step number={number} part=action]\n| {action}"
            )
        };
        let tools = ["document_search", "plan"];
        assert_eq!(calls(&tools, &given(2, "Look it up"))[0].0, "document_search");
        assert_eq!(calls(&tools, &given(1, "a")), []);
        assert_eq!(calls(&tools, "知识库里怎么说？").len(), 1);
        assert_eq!(calls(&["plan"], "What does the knowledge base say?"), []);
    }

    #[test]
    fn a_plan_is_made_marked_and_finished() {
        let keep = "[notice] Maintain the plan with the plan tool: create it";
        let call = |given: &str| -> Vec<Value> {
            let calls = calls(&["plan"], &format!("[message from=user id=u_1]\n| tea\n\n{given}\n\n{keep}"));
            calls.iter().map(|(_, arguments)| serde_json::from_str(arguments).expect("JSON")).collect()
        };
        let made = call("");
        assert_eq!((&made[0]["command"], made[0]["items"].as_array().map(Vec::len)), (&json!("create"), Some(3)));
        let marked =
            call("[result step=1 from=agent id=E]\n| all well\n\n[plan title=\"tea\"]\n1. [✓] \"a\"\n2. [ ] \"b\"");
        let note =
            json!({ "command": "mark_item", "item_index": 0, "item_status": "completed", "item_notes": "all well" });
        assert_eq!(marked, [note]);
        assert_eq!(call("[plan title=\"tea\"]\n1. [✓] \"a\" note=\"good\"\n2. [ ] \"b\""), Vec::<Value>::new());
        let finished = call(
            "[result step=2 from=agent id=E]\n| good\n\n[plan title=\"tea\"]\n1. [✓] \"a\" note=\"good\"\n2. [✓] \"b\"",
        );
        assert_eq!((finished.len(), &finished[1]["command"]), (2, &json!("finish")));
    }
}
