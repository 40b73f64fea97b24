//! The laws of `Bus`, on every kind of bus.

use std::{
    collections::HashSet,
    sync::atomic::Ordering::Relaxed,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use roundtable::bus::{BusRequestError, BusSettings, InboxItem, Urgency};
use roundtable::node_id::NodeId;
use tokio::time::timeout;

use crate::{
    append_builders::session,
    bus_cluster::{PATIENCE, Wires, news, next, on_all_wires, settled, text},
};

on_all_wires! {
    news_is_heard_in_the_order_of_its_publisher,
    a_node_does_not_hear_itself,
    a_follower_hears_its_session_only,
    every_follower_of_a_node_hears_all_and_first_a_loss,
    a_following_begins_with_a_loss_whatever_came_before_it_was_in_force,
    a_slow_follower_hears_one_loss_and_then_what_is_new,
    news_that_is_too_large_is_made_up_for_by_a_loss,
    after_a_following_is_dropped_nothing_of_it_is_left,
    a_question_is_answered_by_the_node_that_it_is_for,
    questions_at_once_get_their_own_answers,
    a_request_to_an_absent_node_fails,
    a_question_that_is_not_answered_ends_in_time,
    one_question_too_many_is_refused,
    oversized_requests_and_replies_are_rejected,
    a_thousand_sessions_are_followed_at_once,
}

/// Longer than an answer takes.
const SOON: Duration = Duration::from_secs(10);

async fn news_is_heard_in_the_order_of_its_publisher(wires: Wires) {
    let (one, other, here) = (wires.join().await, wires.join().await, wires.join().await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    let tell = |from: &'static str, bus: std::sync::Arc<dyn roundtable::bus::Bus>| {
        tokio::spawn(async move {
            for number in 0..500 {
                let urgency = if number % 7 == 0 { Urgency::Now } else { Urgency::Soon };
                bus.publish(session, text(format!("{from} {number}")), urgency);
                tokio::task::yield_now().await;
            }
        })
    };
    let telling = [tell("one", one.bus.clone()), tell("other", other.bus.clone())];
    let mut heard = [0, 0];
    while heard != [500, 500] {
        let news = news(&mut following).await;
        let (from, number) = news.split_once(' ').expect("has two words");
        let so_far = &mut heard[usize::from(from == "other")];
        assert_eq!(number, so_far.to_string(), "of {from}");
        *so_far += 1;
    }
    join_all(telling).await;
    assert_eq!(one.bus.traffic().published.load(Relaxed), 500);
    assert_eq!(here.bus.traffic().received.load(Relaxed), 1000);
}

async fn a_node_does_not_hear_itself(wires: Wires) {
    let (here, there) = (wires.join().await, wires.join().await);
    let session = session();
    let mut own = settled(here.bus.follow(session)).await;
    let mut witness = settled(there.bus.follow(session)).await;
    here.bus.publish(session, text("mine"), Urgency::Now);
    assert_eq!(news(&mut witness).await, "mine");
    // A message that reached the witness has reached all its receivers.
    there.bus.publish(session, text("theirs"), Urgency::Now);
    assert_eq!(news(&mut own).await, "theirs");
}

async fn a_follower_hears_its_session_only(wires: Wires) {
    let (here, there) = (wires.join().await, wires.join().await);
    let (this, that) = (session(), session());
    let mut of_this = settled(here.bus.follow(this)).await;
    let mut of_that = settled(here.bus.follow(that)).await;
    there.bus.publish(that, text("that"), Urgency::Now);
    there.bus.publish(session(), text("nobody's"), Urgency::Now);
    there.bus.publish(this, text("this"), Urgency::Now);
    assert_eq!(news(&mut of_this).await, "this");
    assert_eq!(news(&mut of_that).await, "that");
}

async fn every_follower_of_a_node_hears_all_and_first_a_loss(wires: Wires) {
    let (here, there) = (wires.join().await, wires.join().await);
    let session = session();
    let mut first = settled(here.bus.follow(session)).await;
    there.bus.publish(session, text("1"), Urgency::Now);
    assert_eq!(news(&mut first).await, "1");
    let mut second = settled(here.bus.follow(session)).await;
    there.bus.publish(session, text("2"), Urgency::Now);
    assert_eq!((news(&mut first).await, news(&mut second).await), ("2".into(), "2".into()));
    drop(first);
    there.bus.publish(session, text("3"), Urgency::Now);
    assert_eq!(news(&mut second).await, "3");
}

async fn a_following_begins_with_a_loss_whatever_came_before_it_was_in_force(wires: Wires) {
    let (here, there) = (wires.join().await, wires.join().await);
    for round in 0..50 {
        let session = session();
        let mut following = here.bus.follow(session);
        there.bus.publish(session, text("early"), Urgency::Now);
        // The early message arrives in time or not; but the loss always comes before it, and comes once.
        assert_eq!(next(&mut following).await, InboxItem::Lost, "in round {round}");
        there.bus.publish(session, text("late"), Urgency::Now);
        let heard = news(&mut following).await;
        let heard = if heard == "early" { news(&mut following).await } else { heard };
        assert_eq!(heard, "late");
    }
    // The same if the subscription of a former follower still exists or is being removed.
    let session = session();
    for round in 0..200 {
        let mut following = here.bus.follow(session);
        there.bus.publish(session, text("for the former one"), Urgency::Now);
        if round % 3 == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(next(&mut following).await, InboxItem::Lost, "in round {round}");
        there.bus.publish(session, text("for the former one"), Urgency::Now);
    }
}

async fn a_slow_follower_hears_one_loss_and_then_what_is_new(wires: Wires) {
    let small = BusSettings { max_follower_bytes: 4096, ..BusSettings::default() };
    let (here, there) = (wires.join_with(&small).await, wires.join().await);
    let session = session();
    let mut slow = settled(here.bus.follow(session)).await;
    let mut quick = settled(here.bus.follow(session)).await;
    for number in 0..100 {
        there.bus.publish(session, text(format!("{number} {}", "x".repeat(200))), Urgency::Now);
        assert!(news(&mut quick).await.starts_with(&number.to_string()), "who keeps up loses nothing");
    }
    assert_eq!(next(&mut slow).await, InboxItem::Lost);
    let mut numbers = vec![];
    while numbers.last() != Some(&99) {
        let news = news(&mut slow).await;
        numbers.push(news.split(' ').next().and_then(|word| word.parse().ok()).expect("is a number"));
    }
    assert!((1..=16).contains(&numbers.len()), "{} of them waited within 4 KiB", numbers.len());
    assert!(numbers.is_sorted_by(|a, b| a + 1 == *b), "{numbers:?}");
    assert!(here.bus.traffic().lost.load(Relaxed) > 2, "losses are counted");
}

async fn news_that_is_too_large_is_made_up_for_by_a_loss(wires: Wires) {
    let small = BusSettings { max_message_bytes: 1024, ..BusSettings::default() };
    let (here, there) = (wires.join().await, wires.join_with(&small).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    there.bus.publish(session, text("x".repeat(1024)), Urgency::Now);
    assert_eq!(news(&mut following).await.len(), 1024);
    there.bus.publish(session, text("x".repeat(1025)), Urgency::Soon);
    there.bus.publish(session, text("after"), Urgency::Now);
    assert_eq!(next(&mut following).await, InboxItem::Lost);
    assert_eq!(news(&mut following).await, "after");
    assert_eq!(there.bus.traffic().dropped.load(Relaxed), 1);
    assert_eq!(there.bus.traffic().published.load(Relaxed), 2);
}

async fn after_a_following_is_dropped_nothing_of_it_is_left(wires: Wires) {
    let (here, there, witness) = (wires.join().await, wires.join().await, wires.join().await);
    let session = session();
    let mut witnessed = settled(witness.bus.follow(session)).await;
    drop(settled(here.bus.follow(session)).await);
    wires.until_followed_by(session, 1).await;
    there.bus.publish(session, text("unheard"), Urgency::Now);
    assert_eq!(news(&mut witnessed).await, "unheard");
    assert_eq!(here.bus.traffic().received.load(Relaxed), 0);
    let mut again = settled(here.bus.follow(session)).await;
    there.bus.publish(session, text("heard"), Urgency::Now);
    assert_eq!(news(&mut again).await, "heard");
    // Subscribe and unsubscribe faster than a server can be told.
    for _ in 0..100 {
        drop(again);
        again = here.bus.follow(session);
    }
    let mut again = settled(again).await;
    there.bus.publish(session, text("still"), Urgency::Now);
    assert_eq!(news(&mut again).await, "still");
}

async fn a_question_is_answered_by_the_node_that_it_is_for(wires: Wires) {
    let (mut asker, one, other) = (wires.join().await, wires.join().await, wires.join().await);
    let (first, second) = (one.id, other.id);
    one.answer_all("one");
    other.answer_all("other");
    let ask = |node, content: &'static str| asker.bus.ask(node, text(content), SOON);
    assert_eq!(ask(first, "hears").await.expect("answers"), "one hears");
    assert_eq!(ask(second, "hears").await.expect("answers"), "other hears");
    assert!(asker.requests.try_recv().is_err(), "the asker was not asked");
    // A node can ask itself like any other node.
    let (id, bus) = (asker.id, asker.bus.clone());
    asker.answer_all("itself");
    assert_eq!(bus.ask(id, text("hears"), SOON).await.expect("answers"), "itself hears");
}

async fn questions_at_once_get_their_own_answers(wires: Wires) {
    let (asker, other, mut asked) = (wires.join().await, wires.join().await, wires.join().await);
    let (id, from) = (asked.id, [asker.id, other.id]);
    let asking = (0..100).map(|number| {
        let bus = [&asker, &other][number % 2].bus.clone();
        tokio::spawn(async move { (number, bus.ask(id, text(number.to_string()), SOON).await) })
    });
    let asking: Vec<_> = asking.collect();
    let mut questions = vec![];
    while questions.len() < 100 {
        questions.push(timeout(PATIENCE, asked.requests.recv()).await.expect("is asked").expect("is there"));
    }
    // Reply in a different order.
    for question in questions.into_iter().rev() {
        let number: usize = std::str::from_utf8(&question.content).expect("is text").parse().expect("is a number");
        assert_eq!(question.from, from[number % 2]);
        question.reply(text(format!("answer {number}")));
    }
    for answer in join_all(asking).await {
        let (number, answer) = answer.expect("ends");
        assert_eq!(answer.expect("answers"), format!("answer {number}"));
    }
}

async fn a_request_to_an_absent_node_fails(wires: Wires) {
    let (asker, gone, deaf) = (wires.join().await, wires.join().await, wires.join().await);
    let began = Instant::now();
    assert_eq!(asker.bus.ask(NodeId::fresh(), text("?"), PATIENCE).await, Err(BusRequestError::Absent));
    drop(deaf.requests);
    assert_eq!(asker.bus.ask(deaf.id, text("?"), PATIENCE).await, Err(BusRequestError::Absent));
    let id = gone.id;
    drop(gone);
    wires.until_gone(id).await;
    assert_eq!(asker.bus.ask(id, text("?"), PATIENCE).await, Err(BusRequestError::Absent));
    assert!(began.elapsed() < PATIENCE, "and that is known at once");
}

async fn a_question_that_is_not_answered_ends_in_time(wires: Wires) {
    let (asker, mut asked) = (wires.join().await, wires.join().await);
    let began = Instant::now();
    let within = Duration::from_millis(50);
    let (answer, question) = tokio::join!(asker.bus.ask(asked.id, text("?"), within), asked.requests.recv());
    assert_eq!(answer, Err(BusRequestError::Late));
    assert!((within..PATIENCE).contains(&began.elapsed()));
    // The reply is late and ignored; the next request is a different one.
    question.expect("is there").reply(text("late"));
    drop(asker.bus.ask(asked.id, text("abandoned"), SOON));
    let (answer, ()) = tokio::join!(asker.bus.ask(asked.id, text("again"), SOON), async {
        let question = asked.requests.recv().await.expect("is there");
        assert_eq!(question.content, "again");
        question.reply(text("in time"));
    });
    assert_eq!(answer.expect("answers"), "in time");
}

async fn one_question_too_many_is_refused(wires: Wires) {
    let small = BusSettings { max_requests: 2, ..BusSettings::default() };
    // The limit of the node that receives the requests.
    let (asker, asked) = (wires.join().await, wires.join_with(&small).await);
    let ask = || asker.bus.ask(asked.id, text("?"), Duration::from_millis(200));
    let mut answers = join_all([ask(), ask(), ask(), ask()]).await;
    answers.sort_by_key(|answer| *answer == Err(BusRequestError::Busy));
    assert_eq!(
        answers,
        [BusRequestError::Late, BusRequestError::Late, BusRequestError::Busy, BusRequestError::Busy].map(Err)
    );
    // The limit of the node that sends the requests.
    let (asker, asked) = (wires.join_with(&small).await, wires.join().await);
    let ask = || asker.bus.ask(asked.id, text("?"), Duration::from_millis(200));
    let answers = join_all([ask(), ask(), ask()]).await;
    assert_eq!(answers, [BusRequestError::Late, BusRequestError::Late, BusRequestError::Busy].map(Err));
    assert_eq!(ask().await, Err(BusRequestError::Late), "what has ended makes room");
}

async fn oversized_requests_and_replies_are_rejected(wires: Wires) {
    let small = BusSettings { max_message_bytes: 1024, ..BusSettings::default() };
    let (asker, asked) = (wires.join_with(&small).await, wires.join_with(&small).await);
    let id = asked.id;
    asked.answer_all("with this:");
    let ask = |bytes| asker.bus.ask(id, text("x".repeat(bytes)), SOON);
    assert_eq!(ask(1025).await, Err(BusRequestError::TooLarge));
    assert_eq!(ask(1024).await, Err(BusRequestError::TooLarge));
    assert_eq!(ask(1000).await.expect("answers").len(), 1011);
}

async fn a_thousand_sessions_are_followed_at_once(wires: Wires) {
    let (here, there) = (wires.join().await, wires.join().await);
    let sessions: Vec<_> = (0..1000).map(|_| session()).collect();
    let mut followings = join_all(sessions.iter().map(|&session| settled(here.bus.follow(session)))).await;
    for session in &sessions {
        there.bus.publish(*session, text(session.to_string()), Urgency::Soon);
    }
    let mut heard = HashSet::new();
    for following in &mut followings {
        heard.insert(news(following).await);
    }
    assert_eq!(heard.len(), 1000);
    drop(followings);
    for session in sessions {
        wires.until_followed_by(session, 0).await;
    }
}
