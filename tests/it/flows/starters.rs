//! Every prompt starter of the built-in teams, run to completion with the demo model.

use roundtable::agent::teams::builtin_teams;
use roundtable::kernel::{Language, Team};
use serde_json::{Value, json};

use super::harness::FlowHarness;

/// Markers of a scripted response.
const MARKS: [&str; 3] = ["🎭", "(scripted)", "（演示）"];
/// Phrases of the generic responses that the demo model gives if no story matches the request.
const FORMS: [&str; 6] = ["A real model would", "真实模型", "your request", "您的请求", "Step 1:", "步骤 1"];

/// Runs a prompt starter to completion. Returns everything that agents said.
async fn run_starter(team: &Team, starter: &str) -> Vec<String> {
    let mut harness = FlowHarness::start_with_tools(vec![], &team.name, starter, json!({}), |_| {}).await;
    loop {
        let event = harness.wait_for_any(&["gate.opened", "run.finished"]).await;
        let gate = &event["data"]["gate"];
        match gate["kind"].as_str() {
            None => break,
            Some("question") if gate["schema"].is_object() => {
                harness.answer(gate, json!({ "years": 5, "keep_invoices": true })).await;
            }
            Some("question") => harness.answer(gate, json!("yes")).await,
            Some(_) => harness.vote(gate, "approve", json!({})).await,
        }
    }
    assert!(harness.events("tool.failed").is_empty(), "{starter}: {:?}", harness.events("tool.failed"));
    let texts = harness.events("message.completed").into_iter().filter_map(|message| message["text"].as_str());
    let found =
        harness.events("output.produced").into_iter().map(|data| data["output"]["summary"].as_str().unwrap_or(""));
    let mut texts: Vec<String> = texts.map(str::to_owned).collect();
    // Structured output is JSON; its summary is read from the event instead.
    texts.retain(|text| serde_json::from_str::<Value>(text).is_err());
    texts.extend(found.map(str::to_owned));
    texts
}

#[tokio::test]
async fn every_starter_plays_a_story_that_is_marked_once_as_scripted() {
    let plays = builtin_teams::all().iter().flat_map(|team| {
        let starters = team.starters.clone();
        starters.into_iter().map(move |starter| (team, starter))
    });
    for (team, starter) in plays {
        let texts = run_starter(team, &starter).await;
        let all = texts.join("\n");
        let marks: usize = MARKS.iter().map(|mark| all.matches(mark).count()).sum();
        assert_eq!(marks, 1, "{}: {starter}: {all}", team.name);
        for form in FORMS {
            assert!(!all.contains(form), "{}: {starter}: {form}: {all}", team.name);
        }
        let chinese = all.chars().filter(|letter| ('\u{4e00}'..='\u{9fff}').contains(letter)).count();
        assert_eq!(chinese > 30, team.language == Language::Zh, "{}: {all}", team.name);
    }
}

#[tokio::test]
async fn a_story_uses_the_answers_and_ends_when_its_call_is_rejected() {
    let team = builtin_teams::get("assistant-en").expect("a team");
    let mut harness = FlowHarness::start_with_tools(vec![], &team.name, &team.starters[0], json!({}), |_| {}).await;
    let question = harness.wait_for_gate("question").await;
    harness.answer(&question, json!({ "years": 7, "keep_invoices": false })).await;
    let call = harness.wait_for_gate("tool").await;
    let arguments = harness.events("tool.proposed").last().expect("a call")["arguments"].to_string();
    assert!(arguments.contains("interval '7 years'") && arguments.contains("Keep invoices: false"), "{arguments}");
    harness.vote(&call, "reject", json!({ "comment": "not on a Friday" })).await;
    let answer = harness.finish().await;
    assert!(answer.contains("was not made") && !answer.contains("The script is ready"), "{answer}");
    assert!(harness.events("file.added").is_empty());
}
