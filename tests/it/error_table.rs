//! Every way to say no, as clients meet it. A change here is a change of the protocol.

use axum::response::IntoResponse;
use roundtable::protocol::{Code, Problem};

#[test]
fn the_table_of_errors() {
    let mut table = String::new();
    for code in Code::ALL {
        let answer = Problem::new(*code, "words").into_response();
        assert_eq!(answer.status().as_u16(), code.status(), "HTTP says what the table says");
        let family = serde_json::to_string(&code.family()).expect("writes");
        table += &format!("{:<22} {:<13} {}\n", code.as_str(), family.trim_matches('"'), code.status());
    }
    insta::assert_snapshot!(table);
}

#[test]
fn when_to_come_back_is_a_header_in_whole_seconds() {
    let answer = Problem::new(Code::RateLimited, "words").retry_after(1_200).into_response();
    assert_eq!(answer.headers()["retry-after"], "2");
}

#[test]
fn an_incident_says_its_id_and_nothing_of_its_cause() {
    let problem = Problem::internal("password=hunter2");
    let shown = serde_json::to_string(&problem.0).expect("writes");
    assert!(shown.contains("incident") && !shown.contains("hunter2"), "{shown}");
}
