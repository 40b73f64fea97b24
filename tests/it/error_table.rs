//! Every error that clients can get. A change here is a change of the protocol.

use axum::response::IntoResponse;
use roundtable::protocol::{Code, Problem};

#[test]
fn the_table_of_errors() {
    let mut table = String::new();
    for code in Code::ALL {
        let answer = Problem::new(*code, "words").into_response();
        assert_eq!(answer.status().as_u16(), code.status(), "HTTP says what the table says");
        let family = serde_json::to_string(&code.family()).expect("writes");
        let retryable = if code.is_retryable() { "retryable" } else { "" };
        let line = format!("{:<22} {:<13} {} {retryable}", code.as_str(), family.trim_matches('"'), code.status());
        table += &format!("{}\n", line.trim_end());
    }
    insta::assert_snapshot!(table);
}

#[test]
fn an_error_says_whether_a_retry_can_help() {
    for code in Code::ALL {
        let body = serde_json::to_value(&*Problem::new(*code, "words").0).expect("writes");
        assert_eq!(body["retryable"], matches!(code.status(), 429 | 503 | 504), "{body}");
    }
}

#[test]
fn retry_after_is_a_header_in_whole_seconds() {
    let answer = Problem::new(Code::RateLimited, "words").retry_after(1_200).into_response();
    assert_eq!(answer.headers()["retry-after"], "2");
}

#[test]
fn an_incident_reveals_its_id_and_not_its_cause() {
    let problem = Problem::internal("password=hunter2");
    let body = serde_json::to_string(&problem.0).expect("writes");
    assert!(body.contains("incident") && !body.contains("hunter2"), "{body}");
}
