//! The English script: short texts that describe what a real model would do.

use super::{Finding, Scene, Topic, block, list_findings, phrase};

pub(super) const LABEL: &str = "> 🎭 **Demo model**: this answer is scripted; no model is thinking.\n\n";

/// Test cases for any subject.
pub(super) fn cases(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    format!(
        "## Test cases: {subject} (version {version})\n\n\
         A real model would write the cases for this subject. The script has a few that fit any subject:\n\n\
         {}\n{}{}",
        table(),
        topics(scene),
        feedback_reply(scene),
    )
}

/// Review of any test cases.
pub(super) fn review(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    format!(
        "## Review: {subject} (version {version})\n\n\
         A real model would review the cases. The script only has a checklist:\n\n\
         1. Does every case have a verifiable expected result?\n\
         2. Are errors, limits and permissions covered?\n\
         3. Can a tester carry out each case without further questions?\n\n{}",
        feedback_reply(scene),
    )
}

/// Final test cases, after an approval.
pub(super) fn final_cases(scene: &Scene) -> String {
    let subject = &scene.subject;
    format!(
        "## Final test cases: {subject}\n\n\
         A real model would combine the cases, the review and the feedback. The script ends with its own cases:\n\n\
         {}\n{}{}",
        table(),
        topics(scene),
        feedback_reply(scene),
    )
}

/// Text of an agent that the script does not know.
pub(super) fn fallback(scene: &Scene) -> String {
    let subject = &scene.subject;
    format!(
        "## About {subject}\n\n\
         A real model would answer here. The script only knows the general approach:\n\n\
         1. **Understand** the goal, the scope and the limits.\n\
         2. **Divide** the work into steps that can be checked.\n\
         3. **Check** each step before the next one.\n\n{}\
         Set `OPENAI_API_KEY`, or start Ollama, to talk to a real model.\n",
        feedback_reply(scene),
    )
}

/// Response to the newest feedback, saying that the script cannot follow it.
fn feedback_reply(scene: &Scene) -> String {
    match scene.feedback.last().map(|text| phrase(text)) {
        None => String::new(),
        Some(None) => "A real model would follow your feedback now; the script cannot.\n\n".into(),
        Some(Some(text)) => format!("A real model would follow your feedback \"{text}\" now; the script cannot.\n\n"),
    }
}

fn table() -> &'static str {
    "| No. | Title | Priority | Steps | Expected |\n| --- | --- | --- | --- | --- |\n\
     | TC-01 | Normal flow | P0 | Use it once with valid data | Succeeds, data is stored correctly |\n\
     | TC-02 | Missing field | P1 | Leave out each required field | Refused, with the name of the field |\n\
     | TC-03 | Duplicate request | P0 | Send the same request id twice | Takes effect once, same response twice |\n\
     | TC-04 | Not signed in | P0 | Use it without credentials | 401, without any details |\n"
}

fn topics(scene: &Scene) -> String {
    let sections = scene.topics().into_iter().map(|topic| match topic {
        Topic::Boundary => "### Boundary cases\n\n- TC-B1 · smallest value, smallest − 1, largest, largest + 1\n- TC-B2 · empty text, very long text, emoji\n\n",
        Topic::Performance => "### Performance cases\n\n- TC-P1 · 200 concurrent users for 10 minutes\n- TC-P2 · traffic rises to five times within 10 s\n\n",
        Topic::Security => "### Security cases\n\n- TC-S1 · SQL and scripts in every field\n- TC-S2 · a tampered signature and a replayed request\n\n",
    });
    sections.collect()
}

/// Text for a step of a plan.
pub(super) fn step(scene: &Scene, number: usize, action: &str) -> String {
    let action = phrase(action).map_or_else(|| format!("Step {number}"), |action| format!("Step {number}, {action}"));
    let results = tool_results(scene);
    match results.is_empty() {
        true => format!("{action}: a real model would do this and report the result.\n"),
        false => format!("{action}: a real model would draw a conclusion from this.\n\n{results}"),
    }
}

/// Text that uses tool results.
pub(super) fn tool_result_reply(scene: &Scene) -> String {
    let (subject, results) = (&scene.subject, tool_results(scene));
    format!("## About {subject}\n\n{results}A real model would draw its conclusion from this.\n")
}

/// Final text that joins the results of all agents.
pub(super) fn summary(scene: &Scene, found: &[Finding]) -> String {
    let (subject, table) = (&scene.subject, list_findings(found));
    format!(
        "## Result: {subject}\n\n\
         A real model would draw a conclusion from these results:\n\n\
         | Step | Result |\n| --- | --- |\n{table}"
    )
}

pub(super) fn tool_results(scene: &Scene) -> String {
    scene.brought.iter().map(|(name, text)| format!("`{name}` says:\n\n{}\n", block(text))).collect()
}
