//! Every prompt starter of the built-in teams, played to its end with the demo model.

use roundtable::agent::teams::builtin_teams;
use roundtable::kernel::{Language, Team};
use serde_json::{Value, json};

use super::harness::FlowHarness;

/// Markers of a scripted answer.
const MARKS: [&str; 3] = ["🎭", "(scripted)", "（演示）"];
/// Phrases of the generic answers that the demo model gives if no story matches the request.
const FORMS: [&str; 6] = ["A real model would", "真实模型", "your request", "您的请求", "Step 1:", "步骤 1"];

/// Plays a prompt starter to its end. Returns everything that agents said.
async fn play(team: &Team, starter: &str) -> Vec<String> {
    let mut harness = FlowHarness::with(vec![], &team.name, starter, json!({}), |_| {}).await;
    loop {
        let event = harness.until_any(&["gate.opened", "run.finished"]).await;
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
    assert!(harness.all("tool.failed").is_empty(), "{starter}: {:?}", harness.all("tool.failed"));
    let said = harness.all("message.completed").into_iter().filter_map(|message| message["text"].as_str());
    let found = harness.all("output.produced").into_iter().map(|data| data["output"]["summary"].as_str().unwrap_or(""));
    let mut said: Vec<String> = said.map(str::to_owned).collect();
    // An answer with a schema is JSON; its text fields are read.
    said.retain(|text| serde_json::from_str::<Value>(text).is_err());
    said.extend(found.map(str::to_owned));
    said
}

#[tokio::test]
async fn every_starter_shows_authored_work_and_says_once_that_it_is_scripted() {
    let plays = builtin_teams::all().iter().flat_map(|team| {
        let starters = team.starters.clone();
        starters.into_iter().map(move |starter| (team, starter))
    });
    for (team, starter) in plays {
        let said = play(team, &starter).await;
        let all = said.join("\n");
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
async fn a_story_uses_what_people_answered_and_ends_when_its_call_is_refused() {
    let team = builtin_teams::get("assistant-en").expect("a team");
    let mut harness = FlowHarness::with(vec![], &team.name, &team.starters[0], json!({}), |_| {}).await;
    let question = harness.gate("question").await;
    harness.answer(&question, json!({ "years": 7, "keep_invoices": false })).await;
    let call = harness.gate("tool").await;
    let arguments = harness.all("tool.proposed").last().expect("a call")["arguments"].to_string();
    assert!(arguments.contains("interval '7 years'") && arguments.contains("Keep invoices: false"), "{arguments}");
    harness.vote(&call, "reject", json!({ "comment": "not on a Friday" })).await;
    let answer = harness.finished().await;
    assert!(answer.contains("was not made") && !answer.contains("The script is ready"), "{answer}");
    assert!(harness.all("file.added").is_empty());
}
