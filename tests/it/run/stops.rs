//! Stopping a message while it is being written: the stream from the model is actually closed.

use roundtable::agent::Tokenizer;
use roundtable::kernel::*;

use super::harness::*;

#[tokio::test]
async fn an_interrupt_closes_the_stream_keeps_the_text_and_asks_people() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=20", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.submit("c2", harness.interrupt(None).await).await.expect("accepted");
    harness.wait_for("gate.opened").await;
    harness.wait_for_model(|model| model.dropped == 1 && model.open == 0).await;

    let phases = ["control.requested", "control.acknowledged", "message.aborted", "control.effective"];
    let at =
        |name: &str| harness.event_names().iter().position(|seen| seen == name).unwrap_or_else(|| panic!("no {name}"));
    assert!(phases.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{:?}", harness.event_names());
    let aborted = harness.seen.iter().find_map(|event| match &event.fact {
        Fact::MessageAborted { message, text, reason, .. } => Some((*message, text.clone(), *reason)),
        _ => None,
    });
    let (message, text, reason) = aborted.expect("aborted");
    assert_eq!(reason, AbortReason::Interrupted);
    assert!(!text.is_empty(), "the text so far is kept");
    assert_eq!(harness.text_of(message), *text, "as the viewers saw it");
    let paid = harness.seen.iter().find_map(|event| match &event.fact {
        Fact::UsageRecorded { message: of, input_tokens, output_tokens, estimated, .. } if *of == message => {
            Some((*input_tokens > 0, *output_tokens, *estimated))
        }
        _ => None,
    });
    let written = Tokenizer::Estimate.count(&text);
    assert_eq!(paid, Some((true, written, true)), "what was written so far is paid for");
}

#[tokio::test]
async fn a_turn_stopped_before_its_response_costs_nothing() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=0", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.submit("c2", harness.interrupt(None).await).await.expect("accepted");
    harness.wait_for("gate.opened").await;
    assert!(!harness.event_names().contains(&"usage.recorded".to_owned()), "{:?}", harness.event_names());
}

#[tokio::test]
async fn an_interrupt_with_a_message_continues_the_agent_with_both_texts() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=20", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.submit("c2", harness.interrupt(Some("as a table, please")).await).await.expect("accepted");
    harness.wait_for("control.effective").await;
    harness.wait_for_model(|model| model.held == 1 && model.dropped == 1).await;
    let requests = harness.demo.requests();
    let prompt = requests.last().expect("asked").last_text().expect("text").to_owned();
    assert!(prompt.contains("as a table, please"), "{prompt}");
}

#[tokio::test]
async fn a_cancel_ends_the_run_and_closes_the_stream() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness
        .submit("c2", Command::Cancel { run: harness.run().await, reason: Some("enough".into()) })
        .await
        .expect("accepted");
    harness.wait_for("control.effective").await;
    harness.wait_for_model(|model| model.open == 0).await;
    assert!(harness.event_names().contains(&"run.cancelled".to_owned()));
}

#[tokio::test]
async fn a_pause_lets_the_turn_finish_and_holds_the_next() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.submit("c2", Command::Pause { run: harness.run().await }).await.expect("accepted");
    harness.demo.release();
    harness.wait_for("control.effective").await;
    assert!(harness.event_names().contains(&"message.completed".to_owned()), "what ran has finished");
    assert_eq!(harness.demo.counters().borrow().requests, 1, "nothing new was asked");
    harness.submit("c3", Command::Resume { run: harness.run().await }).await.expect("accepted");
    harness.wait_for("gate.opened").await;
}

#[tokio::test]
async fn a_viewer_that_joins_mid_message_sees_it_from_the_start() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=30", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.wait_for("message.started").await;
    // Another viewer joins from the beginning of the log, while the message is being written.
    harness.watch = harness.feeds.open(harness.session).await.expect("opens").watch(0);
    harness.seen.clear();
    harness.deltas.clear();
    while harness.deltas.is_empty() {
        harness.next().await;
    }
    assert_eq!((harness.deltas[0].1, harness.deltas[0].2), (1, 0), "attempt 1, from the first character");
    harness.demo.release();
    let completed = harness.wait_for("message.completed").await;
    let Fact::MessageCompleted { message, text, .. } = completed.fact else { panic!("completed") };
    assert_eq!(harness.text_of(message), *text);
}
