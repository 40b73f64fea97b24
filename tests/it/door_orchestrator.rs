//! The door `orchestrator`: the five steps of its document, over HTTP against a complete server.

use reqwest::{Method, StatusCode};
use roundtable::agent::teams::builtin_teams;
use roundtable::identity::ServerRole;
use serde_json::{Value, json};

use crate::documents::{server, server_with_models, server_with_teams};
use crate::server::{Person, Server};

const TASKS: &str = "/api/orchestrator/tasks/";

struct OrchestratorTask<'a> {
    server: &'a Server,
    ann: Person,
    id: String,
}

async fn send(server: &Server, path: &str, body: Value) -> (StatusCode, Value) {
    let answer = server.request(Method::POST, path).json(&body).send().await.expect("answers");
    (answer.status(), answer.json().await.expect("JSON"))
}

/// Creates knowledge bases 1 and 2, named as in the document's example, with documents that Ann adds. Returns Ann.
pub async fn create_bases(server: &Server) -> Person {
    let ann = server.person("Ann", ServerRole::Member).await;
    for (id, name, text) in [
        (1, "规则", "登录规则：连续三次输错密码，账户锁定三十分钟。"),
        (2, "缺陷", "用户登录时，空密码曾被当作正确的密码。"),
    ] {
        let base = json!({ "name": name, "readers": { "members": true } });
        assert_eq!(server.post(&ann, "/api/v1/knowledge", &base).await.1["id"], id);
        let path = format!("/api/v1/knowledge/{id}/documents/notes.md");
        let put = server.as_person(&ann, Method::PUT, &path).body(text).send().await.expect("answers");
        assert_eq!(put.status(), StatusCode::OK);
    }
    ann
}

impl<'a> OrchestratorTask<'a> {
    async fn create(server: &'a Server) -> Self {
        Self::create_with(server, "创建用户登录功能的测试用例").await
    }

    async fn create_with(server: &'a Server, requirement: &str) -> Self {
        let ann = create_bases(server).await;
        let body = json!({ "requirement": requirement, "knowledge_base_ids": [1, 2] });
        let (status, task) = server.post(&ann, TASKS, &body).await;
        assert_eq!((status, &task["requirement"]), (StatusCode::CREATED, &json!(requirement)));
        assert!(["planning", "waiting_confirmation"].contains(&task["status"].as_str().expect("a status")), "{task}");
        Self { server, ann, id: task["id"].as_str().expect("an id").to_owned() }
    }

    fn path(&self, part: &str) -> String {
        format!("{TASKS}{}/{part}", self.id)
    }

    async fn get(&self, part: &str) -> Value {
        let answer = self.server.as_person(&self.ann, Method::GET, &self.path(part)).send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::OK);
        answer.json().await.expect("JSON")
    }

    /// Polls until this part of the task has this status, and returns the response.
    async fn wait_for_status(&self, part: &str, status: &str) -> Value {
        loop {
            let answer = self.get(part).await;
            if answer["status"] == status {
                return answer;
            }
            assert_ne!(answer["status"], "failed", "{answer}");
            tokio::task::yield_now().await;
        }
    }

    /// Polls until the task waits for `what`, and returns the response.
    async fn wait_until_waiting_for(&self, what: &str) -> Value {
        loop {
            let answer = self.get("").await;
            if answer["waiting_for"] == what {
                return answer;
            }
            assert_ne!(answer["status"], "failed", "{answer}");
            tokio::task::yield_now().await;
        }
    }

    async fn confirm(&self, body: Value) -> (StatusCode, Value) {
        self.server.post(&self.ann, &self.path("confirm/"), &body).await
    }
}

#[tokio::test]
async fn a_task_is_planned_confirmed_and_carried_out() {
    let server = server().await;
    let task = OrchestratorTask::create(&server).await;
    let planned = task.wait_for_status("plan/", "waiting_confirmation").await;
    let plan = &planned["execution_plan"];
    let steps = plan["steps"].as_array().expect("steps");
    assert!(
        !steps.is_empty() && steps.iter().all(|step| step["agent"].is_string() && step["action"].is_string()),
        "{plan}"
    );
    assert!(plan["estimated_time"].is_string() && plan["risks"].is_array(), "{plan}");

    let (status, confirmed) = task.confirm(json!({ "approved": true, "user_notes": "同意执行" })).await;
    assert_eq!((status, &confirmed["message"]), (StatusCode::OK, &json!("任务已开始执行")), "{confirmed}");

    let progress = task.wait_for_status("progress/", "completed").await;
    assert_eq!(progress["total_steps"], steps.len());
    assert_eq!(progress["current_step"], steps.len());
    let history = progress["execution_history"].as_array().expect("a history");
    assert_eq!(history.len(), steps.len(), "{progress}");
    for (number, line) in (1..).zip(history) {
        assert_eq!((&line["step"], &line["status"]), (&json!(number), &json!("completed")), "{line}");
        assert!(line["result"].is_string() && line["brain_decision"].is_string(), "{line}");
    }
    let whole = task.get("").await;
    assert_eq!((&whole["status"], &whole["execution_history"]), (&json!("completed"), &progress["execution_history"]));
    for field in ["requirement_analysis", "knowledge_docs", "testcases"] {
        assert!(!whole[field].is_null(), "{field}: {whole}");
    }
    let found = whole["knowledge_docs"].as_str().expect("text");
    for text in ["空密码曾被当作正确的密码", "账户锁定三十分钟", "knowledge base 2 \"缺陷\", \"notes.md\", line 1"]
    {
        assert!(found.contains(text), "{text}: {found}");
    }
}

#[tokio::test]
async fn planner_and_searcher_see_the_knowledge_bases() {
    let server = server().await;
    let task = OrchestratorTask::create(&server).await;
    task.wait_for_status("plan/", "waiting_confirmation").await;
    task.confirm(json!({ "approved": true })).await;
    task.wait_for_status("", "completed").await;
    let list =
        "[knowledge bases]\n- id=1 name=\"规则\" about=\"\" documents=1\n- id=2 name=\"缺陷\" about=\"\" documents=1";
    let requests = server.demo().requests();
    assert!(requests.len() > 4, "plans, does its steps and decides");
    for request in &requests {
        let (system, others) = request.messages.split_first().expect("messages");
        assert!(!system.to_string().contains("缺陷”") && system["role"] == "system", "{system}");
        let is_listed =
            others.iter().any(|message| message["content"].as_str().is_some_and(|text| text.contains(list)));
        assert!(is_listed, "{others:?}");
    }
}

#[tokio::test]
async fn a_task_gets_only_bases_that_its_sender_can_read() {
    let server = server().await;
    let ann = create_bases(&server).await;
    let hide =
        server.as_person(&ann, Method::PATCH, "/api/v1/knowledge/2").json(&json!({ "readers": { "members": false } }));
    assert_eq!(hide.send().await.expect("answers").status(), StatusCode::OK);
    let body = |ids: Value| json!({ "requirement": "创建用户登录功能的测试用例", "knowledge_base_ids": ids });
    let ben = server.person("Ben", ServerRole::Member).await;
    for ids in [json!([1, 2]), json!([3]), json!(["x"]), json!([1.5])] {
        let (status, refused) = server.post(&ben, TASKS, &body(ids.clone())).await;
        assert_eq!((status, &refused["code"]), (StatusCode::NOT_FOUND, &json!("unknown_knowledge")), "{ids}");
        assert!(refused["detail"].as_str().expect("text").contains("/api/v1/knowledge"), "{refused}");
    }
    let path = "/api/v1/sessions";
    let admin = server.person("Ada", ServerRole::Admin).await;
    assert_eq!(server.get(&admin, path).await["sessions"], json!([]), "what was refused left nothing");
    let (status, refused) = send(&server, TASKS, body(json!([1]))).await;
    assert_eq!((status, &refused["code"]), (StatusCode::NOT_FOUND, &json!("unknown_knowledge")), "a guest gives none");
    assert_eq!(server.post(&ben, TASKS, &body(json!([1]))).await.0, StatusCode::CREATED);
    assert_eq!(server.post(&ann, TASKS, &body(json!([1, "2"]))).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn an_edited_plan_is_confirmed() {
    let server = server().await;
    let task = OrchestratorTask::create(&server).await;
    let mut plan = task.wait_for_status("plan/", "waiting_confirmation").await["execution_plan"].take();
    let steps = plan["steps"].as_array_mut().expect("steps");
    steps.truncate(1);
    steps[0]["action"] = json!("只写一份摘要");
    let (status, confirmed) = task.confirm(json!({ "approved": true, "execution_plan": plan })).await;
    assert_eq!(status, StatusCode::OK, "{confirmed}");
    let done = task.wait_for_status("", "completed").await;
    let history = done["execution_history"].as_array().expect("a history");
    assert_eq!(history.len(), 1, "{done}");
    assert_eq!(done["execution_plan"]["steps"][0]["action"], "只写一份摘要");
}

#[tokio::test]
async fn a_plan_can_be_rejected_and_a_task_ended() {
    let server = server().await;
    let task = OrchestratorTask::create(&server).await;
    let first = task.wait_for_status("plan/", "waiting_confirmation").await;
    let (_, body) = task.confirm(json!({ "approved": false, "user_notes": "请增加安全测试" })).await;
    assert!(["planning", "waiting_confirmation"].contains(&body["status"].as_str().expect("a status")), "{body}");
    let second = loop {
        let plan = task.wait_for_status("plan/", "waiting_confirmation").await;
        if plan["revision"] != first["revision"] {
            break plan;
        }
    };
    let stale = task.confirm(json!({ "approved": true, "revision": first["revision"] })).await;
    assert_eq!((stale.0, &stale.1["code"]), (StatusCode::CONFLICT, &json!("stale_revision")));
    assert_eq!(second["revision"], 2);
    let (_, ended) = task.confirm(json!({ "approved": false })).await;
    assert_eq!(ended["status"], "cancelled");
    let (status, late) = task.confirm(json!({ "approved": true })).await;
    assert_eq!((status, late["detail"].is_string()), (StatusCode::CONFLICT, true), "{late}");
}

#[tokio::test]
async fn a_task_that_mentions_somebody_is_for_the_whole_team() {
    let server = server().await;
    let requirement = format!("@zhangsan 要求：创建登录功能的测试用例。{}", "覆盖密码、验证码和锁定。".repeat(10));
    let task = OrchestratorTask::create_with(&server, &requirement).await;
    task.wait_for_status("plan/", "waiting_confirmation").await;
    assert_eq!(task.get("").await["requirement"], requirement);
}

#[tokio::test]
async fn a_step_stays_in_the_history_while_its_tool_waits() {
    let server = server().await;
    let task = OrchestratorTask::create_with(
        &server,
        "创建登录功能的测试用例\n/tool ask_people {\"question\":\"哪个版本？\"}",
    )
    .await;
    task.wait_for_status("plan/", "waiting_confirmation").await;
    task.confirm(json!({ "approved": true })).await;
    let waiting = task.wait_until_waiting_for("user_input").await;
    let [line] = &waiting["execution_history"].as_array().expect("a history")[..] else { panic!("{waiting}") };
    assert_eq!(
        (&line["status"], &line["progress"]),
        (&json!("executing"), &json!("正在执行：分析「登录功能」的需求")),
        "{line}"
    );

    let admin = server.person("admin", ServerRole::Admin).await;
    let answer = json!({ "id": "c1", "do": "say", "data": { "text": "1.2" } });
    let path = format!("/api/v1/sessions/{}/commands", task.id);
    assert_eq!(server.post(&admin, &path, &answer).await.0, StatusCode::OK);
    let done = task.wait_for_status("", "completed").await;
    let history = done["execution_history"].as_array().expect("a history");
    let steps: Vec<_> = history.iter().map(|line| (&line["step"], &line["status"])).collect();
    assert_eq!(
        steps,
        [1, 2, 3].map(|number| (json!(number), json!("completed"))).iter().map(|(a, b)| (a, b)).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_permanent_model_failure_is_reported_and_the_run_continues() {
    let server = server_with_models(&[("brain-zh", "requirement", "demo-fast?fault=401")]).await;
    let task = OrchestratorTask::create(&server).await;
    task.wait_for_status("plan/", "waiting_confirmation").await;
    task.confirm(json!({ "approved": true })).await;
    let done = task.wait_for_status("", "completed").await;
    let failed = &done["execution_history"][0];
    let text = "模型服务拒绝了密钥，请联系管理员检查 API 密钥";
    assert_eq!((&failed["status"], &failed["result"]), (&json!("failed"), &json!(text)), "{failed}");
    assert!(failed["brain_decision"].as_str().is_some_and(|text| text.starts_with("继续下一步")), "{failed}");
    assert!(done["requirement_analysis"].is_null() && done["testcases"].is_string(), "{done}");
}

#[tokio::test]
async fn a_task_without_a_completed_step_fails() {
    let server = server_with_models(&[("brain-zh", "requirement", "demo-fast?fault=401")]).await;
    let task = OrchestratorTask::create(&server).await;
    let mut plan = task.wait_for_status("plan/", "waiting_confirmation").await["execution_plan"].take();
    plan["steps"].as_array_mut().expect("steps").truncate(1);
    task.confirm(json!({ "approved": true, "execution_plan": plan })).await;
    let failed = task.wait_for_status("", "failed").await;
    assert_eq!(failed["error"], json!({ "code": "plan_blocked", "message": "所有步骤都未能完成" }));
}

#[tokio::test]
async fn steps_added_after_the_last_one_are_executed() {
    let server = server().await;
    let task = OrchestratorTask::create_with(&server, "创建用户登录功能的测试用例，完成后再加一步").await;
    task.wait_for_status("plan/", "waiting_confirmation").await;
    task.confirm(json!({ "approved": true })).await;
    let done = task.wait_for_status("", "completed").await;
    let history = done["execution_history"].as_array().expect("a history");
    let agents: Vec<&str> = history.iter().filter_map(|line| line["agent"].as_str()).collect();
    assert_eq!(agents, ["requirement", "knowledge", "testcase", "testcase"], "{done}");
    assert_eq!((&history[3]["step"], &history[3]["action"]), (&json!(4), &json!("请保持同样的结构")));
    assert_eq!(task.get("progress/").await["total_steps"], 4);
    let testcases: Vec<&Value> = history[2..].iter().map(|line| &line["result"]).collect();
    assert_eq!(done["testcases"], json!(testcases), "what both steps have brought");
}

#[tokio::test]
async fn a_truncated_response_is_marked_in_the_history() {
    let id = "id = \"testcase\"\n";
    let short = builtin_teams::text("brain-zh").expect("is built in").replace(id, &format!("{id}max_tokens = 20\n"));
    let server = server_with_teams([("brain-zh", short)]).await;
    let task = OrchestratorTask::create(&server).await;
    task.wait_for_status("plan/", "waiting_confirmation").await;
    task.confirm(json!({ "approved": true })).await;
    let done = task.wait_for_status("", "completed").await;
    let notes: Vec<&Value> =
        done["execution_history"].as_array().expect("a history").iter().map(|line| &line["note"]).collect();
    assert_eq!(notes, [&Value::Null, &Value::Null, &json!("回答达到模型的 token 上限，已被截断")], "{done}");
}

#[tokio::test]
async fn a_plan_without_a_capable_agent_is_refused() {
    let server = server().await;
    let task = OrchestratorTask::create(&server).await;
    let revision = task.wait_for_status("plan/", "waiting_confirmation").await["revision"].clone();
    let edited = |step: Value| json!({ "approved": true, "execution_plan": { "steps": [step] } });
    for (body, named) in [
        (edited(json!({ "agent": "designer", "action": "画图" })), "designer"),
        (edited(json!({ "agent": "testcase", "action": "" })), "has no action"),
        (json!({ "approved": false, "execution_plan": { "steps": [] } }), "execution_plan"),
    ] {
        let (status, refused) = task.confirm(body).await;
        assert_eq!((status, &refused["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")), "{refused}");
        assert!(refused["detail"].as_str().is_some_and(|text| text.contains(named)), "{refused}");
    }
    // A confirmation that names another revision of the plan cannot end the task.
    let (status, stale) = task.confirm(json!({ "approved": false, "revision": 7 })).await;
    assert_eq!((status, &stale["code"]), (StatusCode::CONFLICT, &json!("stale_revision")));
    let (_, ended) = task.confirm(json!({ "approved": false, "revision": revision })).await;
    assert_eq!(ended["status"], "cancelled");
}

#[tokio::test]
async fn missing_and_empty_input_is_rejected_with_a_reason() {
    let server = server().await;
    let (status, empty) = send(&server, TASKS, json!({ "requirement": " " })).await;
    assert!(status.is_client_error() && empty["detail"].as_str().expect("text").contains("requirement"), "{empty}");
    for id in ["1", "s_00000000000000000000000000000001"] {
        let answer = server.request(Method::GET, &format!("{TASKS}{id}/plan/")).send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    }
}
