//! The script in English.

use super::{Found, Scene, Topic, block, listed};

pub(super) const LABEL: &str = "> 🎭 **Demo model**: this answer is scripted; no model is thinking.\n\n";

/// Test cases about the subject.
pub(super) fn cases(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    let changes = match scene.feedback.last() {
        None => String::new(),
        Some(words) => format!(
            "### What changed\n\n- Followed your feedback \"{words}\": this is version {version}.\n- Cases that it does not touch keep their numbers.\n\n"
        ),
    };
    format!(
        "## Test cases: {subject} (version {version})\n\n\
         **Scope:** normal flows, errors, boundaries, security and concurrency of the {subject}. **Assumptions:** the test environment is configured like production, and what it depends on can be simulated.\n\n\
         {changes}### Cases\n\n\
         | No. | Title | Priority | Steps | Expected |\n| --- | --- | --- | --- | --- |\n{}\n\
         {}### Data for the most important case\n\n```json\n{{\n  \"case\": \"TC-04\",\n  \"subject\": \"{subject}\",\n  \"request\": {{ \"id\": \"req-1001\", \"repeat\": 2 }},\n  \"expect\": {{ \"created\": 1, \"second_answer\": \"same_as_first\" }}\n}}\n```\n",
        table(subject),
        topics(scene),
    )
}

/// A review of the newest cases.
pub(super) fn review(scene: &Scene) -> String {
    let (subject, version) = (&scene.subject, scene.version());
    let (verdict, followed) = match scene.feedback.last() {
        None => ("adopt after changes", String::new()),
        Some(words) => {
            ("adopt", format!("### Was the feedback followed?\n\n- \"{words}\": ✅ yes, in version {version}.\n\n"))
        }
    };
    format!(
        "## Review: {subject} (version {version})\n\n\
         **Verdict: {verdict}.** The main flow is complete and the priorities make sense; some expected results cannot be judged yet.\n\n\
         {followed}### Problems\n\n\
         1. **Serious** · `TC-04` looks at the answer only. Without counting the records, a second write would slip through.\n\
         2. **Ordinary** · `TC-06` should name the length: the limit itself, and the limit + 1.\n\
         3. **Ordinary** · `TC-09` does not say how often to try again, so its result cannot be judged.\n\
         4. **Suggestion** · `TC-10` can share its data with `TC-04`.\n\n\
         ### Missing cases\n\n\
         - The {subject} while **some** of what it depends on is down\n\
         - Cleaning up after somebody cancels half-way\n\
         - An audit log that is complete and holds nothing secret\n\n\
         ### Coverage\n\n\
         | Aspect | Covered | Note |\n| --- | --- | --- |\n| Normal flow | ✅ | complete |\n| Errors | ✅ | add partial outages |\n| Boundaries | {} | see `TC-05`, `TC-06` |\n| Performance | {} | see `TC-10` |\n| Security | ✅ | authentication and permissions |\n",
        mark(scene, Topic::Boundary),
        mark(scene, Topic::Performance),
    )
}

/// The final cases, after an approval.
pub(super) fn final_cases(scene: &Scene) -> String {
    let subject = &scene.subject;
    let heard: String =
        scene.feedback.iter().map(|words| format!("- Your feedback \"{words}\" is included\n")).collect();
    format!(
        "## Final test cases: {subject}\n\n\
         The author's cases, the reviewer's criticism and your feedback, joined into one version that can be carried out as it stands.\n\n\
         ### Adopted\n\n- Repeated requests are checked against the records as well\n- Boundary cases name their values\n- Time-outs name the number of attempts (3)\n{heard}\n\
         ### Cases\n\n\
         | No. | Title | Priority | Steps | Expected |\n| --- | --- | --- | --- | --- |\n{}\
         | TC-13 | Partial outage | P1 | Stop one dependency, use the {subject} | Degrades as agreed, says so clearly |\n\
         | TC-14 | Cancelled half-way | P2 | Cancel in the middle | Everything is rolled back |\n\n\
         {}### Order\n\n```text\nP0: TC-01 → TC-04 → TC-07 → TC-08\nP1: TC-02 → TC-03 → TC-05 → TC-06 → TC-09 → TC-10 → TC-13\nP2: TC-11 → TC-12 → TC-14\n```\n\n\
         **Automate** everything of P0 and P1. **Remaining risk:** the real rate limits of third parties are unknown; try them in staging first.\n",
        table(subject),
        topics(scene),
    )
}

/// An answer of an agent that the script does not know.
pub(super) fn anything(scene: &Scene) -> String {
    let subject = &scene.subject;
    let heard: String = scene.feedback.iter().map(|words| format!("- Noted: \"{words}\"\n")).collect();
    format!(
        "## About {subject}\n\n\
         A real model would answer here. The demo model only has a fixed form, so that you can try how working together feels:\n\n\
         1. **Understand**: what is {subject} for, and what limits it?\n\
         2. **Divide**: take the smallest step that can be checked, then the next.\n\
         3. **Check**: say for every step how to tell that it is done.\n\n\
         {heard}\n\
         | Step | Result | Done when |\n| --- | --- | --- |\n| Explore | one page | reviewed |\n| Build | a version that runs | tests pass |\n| Deliver | instructions | the user agrees |\n\n\
         ```text\nSet OPENAI_API_KEY, or start Ollama, to talk to a real model.\n```\n"
    )
}

fn mark(scene: &Scene, topic: Topic) -> &'static str {
    if scene.topics().contains(&topic) { "✅" } else { "⚠️" }
}

fn table(subject: &str) -> String {
    format!(
        "| TC-01 | {subject}: normal flow | P0 | Use it once with valid data | Succeeds, data is stored correctly |\n\
         | TC-02 | Missing field | P1 | Leave out each required field | Refused, names the field |\n\
         | TC-03 | Wrong type | P1 | Put words into a number | Refused with a clear code |\n\
         | TC-04 | Sent twice | P0 | Send one request id twice | Counts once, same answer twice |\n\
         | TC-05 | Smallest value | P1 | Use the smallest value | Succeeds |\n\
         | TC-06 | Beyond the limit | P1 | Use the largest value + 1 | Refused, names the range |\n\
         | TC-07 | Not signed in | P0 | Use it without credentials | 401, tells nothing |\n\
         | TC-08 | Somebody else's | P0 | Use another person's id | 403, nothing changes |\n\
         | TC-09 | Time-out behind it | P1 | Let a dependency hang for 30 s | Fails in time, can be retried |\n\
         | TC-10 | At the same time | P1 | 50 requests on one object | Consistent, nothing lost or doubled |\n\
         | TC-11 | Restart half-way | P2 | Restart the service in the middle | Consistent afterwards |\n\
         | TC-12 | Logs and figures | P2 | One success, one failure | Both can be traced, nothing secret |\n"
    )
}

fn topics(scene: &Scene) -> String {
    let subject = &scene.subject;
    let sections = scene.topics().into_iter().map(|topic| match topic {
        Topic::Boundary => format!(
            "### Boundary cases\n\n- TC-B1 · {subject}: smallest value, smallest − 1, largest, largest + 1\n- TC-B2 · empty text, very long text (65,536 bytes), emoji and full-width letters\n- TC-B3 · leap days, ends of months and years, changes of time zone\n\n"
        ),
        Topic::Performance => format!(
            "### Performance cases\n\n- TC-P1 · {subject} with 200 users at once for 10 minutes: p99 under 500 ms, fewer than 0.1 % errors\n- TC-P2 · five times the traffic within 10 s: it limits, it does not fall over\n- TC-P3 · 24 hours without growth of memory\n\n"
        ),
        Topic::Security => "### Security cases\n\n- TC-S1 · SQL and scripts in every field: refused, logged as text\n- TC-S2 · a changed signature and a replayed request: both refused\n- TC-S3 · no keys, documents or card numbers in answers and logs\n\n".to_owned(),
    });
    sections.collect()
}

/// What came of a step.
pub(super) fn step(scene: &Scene, number: usize, action: &str) -> String {
    let subject = &scene.subject;
    let said: String = brought(scene);
    format!(
        "Step {number} is done: {action}.\n\n{said}\
         - **Found:** what \"{subject}\" needs here is there, and nothing speaks against going on.\n\
         - **Sure?** As sure as a script can be; a real model would say what it rests on.\n"
    )
}

/// An answer that uses what tools have said.
pub(super) fn used(scene: &Scene) -> String {
    let (subject, said, tools) = (&scene.subject, brought(scene), scene.brought.len());
    format!(
        "## About {subject}\n\n{said}\
         That is what {tools} call(s) of tools have brought. A real model would draw its conclusion from it here.\n"
    )
}

/// The answer that joins what everybody has found.
pub(super) fn sum(scene: &Scene, found: &[Found]) -> String {
    let subject = &scene.subject;
    let (count, table) = (found.len(), listed(found));
    format!(
        "## Result: {subject}\n\n\
         The team has looked into it; {count} result(s) lead to this answer.\n\n\
         | Step | What was found |\n| --- | --- |\n{table}\n\
         **Still open:** what only a real model could find out.\n"
    )
}

pub(super) fn brought(scene: &Scene) -> String {
    scene.brought.iter().map(|(name, text)| format!("`{name}` says:\n\n{}\n", block(text))).collect()
}
