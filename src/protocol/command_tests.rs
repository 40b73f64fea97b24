use serde_json::json;

use super::*;

fn parse_problem(command: &str, data: Value) -> Problem {
    let frame = json!({ "id": "c_1", "do": command, "data": data });
    let frame: CommandFrame = serde_json::from_value(frame).expect("is a frame");
    frame.command(1024).expect_err("is refused")
}

#[test]
fn a_name_that_is_near_is_offered_and_else_all() {
    let message = parse_problem("cancle", json!({})).0.message;
    assert!(message.ends_with("did you mean cancel?"), "{message}");
    for other in ["fly", "dance", "stop", "abort"] {
        let message = parse_problem(other, json!({})).0.message;
        assert!(message.contains("say, withdraw, withdraw_command") && !message.contains("did you mean"), "{message}");
    }
}

#[test]
fn an_error_names_the_field_with_the_wrong_type() {
    for (command, data, text) in [
        ("answer", json!({ "gate": null }), "answer: invalid at /data/gate: invalid type: null"),
        ("say", json!({ "text": 5 }), "say: invalid at /data/text: invalid type: integer `5`"),
        ("say", json!({ "text": "hi", "to": "people" }), "say: invalid at /data/to: invalid type: string \"people\""),
        (
            "vote_batch",
            json!({ "votes": [{ "gate": "g_1", "rev": "1" }] }),
            "vote_batch: invalid at /data/votes/0/rev: invalid type",
        ),
        (
            "say",
            json!({ "text": "hi", "to": ["all", { "kind": "participant" }] }),
            "say: invalid at /data/to/1: expected the name of a recipient, such as \"all\", \"people\" or \"role:reviewer\", \
             or a target, such as {\"kind\":\"participant\",\"id\":\"u_…\"}",
        ),
        ("vote", json!({ "gate": "g_1", "choice": "yes" }), "vote: invalid at /data/choice: unknown variant `yes`"),
        ("say", json!({}), "say: missing field `text`"),
    ] {
        let message = parse_problem(command, data).0.message;
        assert!(message.starts_with(text), "{message}");
    }
}

#[test]
fn a_message_has_few_addressees_of_short_names() {
    let say = |to: Vec<String>| {
        let data = json!({ "text": "hi", "to": to });
        let frame = json!({ "id": "c_1", "do": "say", "data": data });
        let frame: CommandFrame = serde_json::from_value(frame).expect("is a frame");
        frame.command(1024).map_err(|problem| problem.code())
    };
    assert!(say(vec!["王".repeat(64); 50]).is_ok());
    assert_eq!(say(vec!["Bob".into(); 51]).expect_err("is too many"), Code::InvalidArgument);
    assert_eq!(say(vec!["x".repeat(65)]).expect_err("is too long"), Code::InvalidArgument);
}

#[test]
fn an_answer_is_a_text_or_a_value() {
    for (data, text) in [
        (json!({ "gate": "g_1", "text": "{}" }), "{}"),
        (json!({ "gate": "g_1", "value": { "n": 2 } }), "{\"n\":2}"),
        (json!({ "gate": "g_1", "value": 3 }), "3"),
    ] {
        let frame: CommandFrame =
            serde_json::from_value(json!({ "id": "c_1", "do": "answer", "data": data })).expect("is a frame");
        let parsed = frame.command(1024).expect("is a command");
        assert!(format!("{parsed:?}").contains(&format!("text: {text:?}")), "{parsed:?}");
    }
    for wrong in [json!({ "gate": "g_1" }), json!({ "gate": "g_1", "text": "a", "value": "b" })] {
        assert_eq!(parse_problem("answer", wrong.clone()).code(), Code::InvalidArgument, "{wrong}");
    }
}

#[test]
fn a_redaction_names_one_thing() {
    let who = "u_00000000000000000000000000000001";
    for wrong in [
        json!({}),
        json!({ "message": "m_1", "file": "f_1" }),
        json!({ "message": "m_1", "participant": who }),
        json!({ "message": "m_1", "content": true }),
        json!({ "participant": who, "reason": "private" }),
    ] {
        assert_eq!(parse_problem("redact", wrong.clone()).code(), Code::InvalidArgument, "{wrong}");
    }
}

#[test]
fn words_about_arguments_name_no_types_of_ours() {
    let cases = [
        ("say", json!([])),
        ("say", json!({ "text": "hi", "to": [7] })),
        ("pause", json!({ "now": true })),
        ("interrupt", json!({})),
        ("cancel", json!({ "run": "s_1" })),
        ("set", json!({ "settings": 7 })),
    ];
    for (command, data) in cases {
        let message = parse_problem(command, data.clone()).0.message;
        for word in ["struct", "enum", "variant", "CommandData", "SayTo"] {
            assert!(!message.contains(word), "{data}: {message}");
        }
    }
}
