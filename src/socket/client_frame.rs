//! Parsing of client frames, with helpful errors for invalid ones.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::json_pointer;
use crate::kernel::schema::json_error::plain;
use crate::kernel::{CommandId, SessionId};
use crate::protocol::{ClientFrame, Code, Problem};

/// The rejection of a frame, with the command and session to which it belongs, if they could be parsed.
#[derive(Debug)]
pub(super) struct FrameError {
    pub(super) id: Option<CommandId>,
    pub(super) session: Option<SessionId>,
    pub(super) problem: Problem,
}

impl From<Problem> for FrameError {
    fn from(problem: Problem) -> Self {
        Self { id: None, session: None, problem }
    }
}

/// The common fields of all frames, parsed leniently, so that an error elsewhere can be reported for the right command.
#[derive(Deserialize)]
struct FrameOutline {
    r#type: String,
    #[serde(default)]
    id: serde_json::Value,
    #[serde(default)]
    session: serde_json::Value,
}

impl FrameOutline {
    /// Returns a rejection with the id and session that the frame names.
    fn error(&self, problem: Problem) -> FrameError {
        let read = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let id = read(&self.id).and_then(|id| id.parse().ok());
        FrameError { id, session: read(&self.session).and_then(|id| id.parse().ok()), problem }
    }
}

/// Returns the rejection of a frame that was read completely but exceeds the limit.
pub(super) fn too_large(text: &str, max_bytes: usize) -> FrameError {
    let message = format!(
        "the frame has {} bytes, but at most {max_bytes} are accepted; nothing was done; send less at once, and a long text \
         as a file",
        text.len()
    );
    let problem = Problem::too_large(message, max_bytes);
    match serde_json::from_str::<FrameOutline>(text) {
        Ok(outline) => outline.error(problem),
        Err(_) => problem.into(),
    }
}

/// Parses a client frame.
pub(super) fn parse(text: &str) -> Result<ClientFrame, FrameError> {
    let outline: FrameOutline = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data if !text.trim_start().starts_with('{') => {
            Problem::new(Code::BadFrame, "a frame must be a JSON object; see docs/protocol.md")
        }
        _ => malformed("the frame", &error),
    })?;
    let parsed = match outline.r#type.as_str() {
        // Not through the enum: a tagged enum buffers its content, which loses the raw text of the arguments and the
        // location of an error.
        "hello" => parse_content("hello", text).map(ClientFrame::Hello),
        "join" => parse_content("join", text).map(ClientFrame::Join),
        "leave" => parse_content("leave", text).map(ClientFrame::Leave),
        "command" => parse_content("command", text).map(ClientFrame::Command),
        "signal" => parse_content("signal", text).map(ClientFrame::Signal),
        "ping" => parse_content("ping", text),
        _ => {
            let message = "the type of a frame must be one of hello, join, leave, command, signal, ping";
            Err(Problem::new(Code::BadFrame, message))
        }
    };
    parsed.map_err(|problem| outline.error(problem))
}

/// Parses the fields of a frame. An error names the location of the invalid value as a JSON Pointer.
fn parse_content<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let place = json_pointer::of_error::<T>(text.as_bytes());
        malformed(&place.map_or_else(|| name.to_owned(), |place| format!("{name} at {place}")), &error)
    })
}

fn malformed(what: &str, error: &serde_json::Error) -> Problem {
    Problem::new(Code::BadFrame, format!("{what} does not match the protocol: {}", plain(error)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SESSION: &str = "s_0190f3c07a1b7c3d8e5f60718293a4b5";

    #[test]
    fn commands_keep_the_raw_text_of_their_arguments() {
        let text = format!(
            r#"{{"type":"command","id":"c_1","session":"{SESSION}","do":"answer","data":{{"gate":"g_1","text":"hi"}},"expect":{{"rev":2}}}}"#
        );
        let ClientFrame::Command(command) = parse(&text).expect("is a command") else { panic!("is a command") };
        assert_eq!(command.data.as_deref().map(|data| data.get()), Some(r#"{"gate":"g_1","text":"hi"}"#));
        assert_eq!(command.expect.map(|expect| expect.rev), Some(2));
        command.command(1024).expect("has good arguments");
    }

    #[test]
    fn an_error_says_which_command_it_answers() {
        let error = parse(r#"{"type":"command","id":"c_9","session":"nowhere","do":7}"#).expect_err("is refused");
        assert_eq!(error.id.map(|id| id.to_string()).as_deref(), Some("c_9"));
        assert_eq!(error.problem.code(), Code::BadFrame);
    }

    #[test]
    fn an_error_names_the_invalid_field() {
        let message = |frame: serde_json::Value| parse(&frame.to_string()).expect_err("is refused").problem.0.message;
        for (frame, text) in [
            (json!({ "type": "join", "session": 5 }), "join at /session does not match the protocol: invalid type"),
            (
                json!({ "type": "join", "session": SESSION, "after": "7" }),
                "join at /after does not match the protocol: invalid type: string \"7\", expected a whole number",
            ),
            (
                json!({ "type": "command", "id": "c_1", "session": SESSION, "do": "vote", "expect": { "rev": "2" } }),
                "command at /expect/rev does not match the protocol: invalid type: string \"2\"",
            ),
            (
                json!({ "type": "signal", "session": SESSION }),
                "signal does not match the protocol: missing field `name`",
            ),
            (json!({ "type": "hello", "token": 1 }), "hello at /token does not match the protocol: invalid type"),
            (
                json!({ "type": "leave", "session": SESSION, "after": 7 }),
                "leave at /after does not match the protocol: unknown field `after`",
            ),
            (json!({ "type": "ping", "at": 7 }), "ping"),
        ] {
            let message = message(frame);
            assert!(message.starts_with(text), "{message}");
        }
    }

    #[test]
    fn an_oversized_frame_is_rejected_with_its_commands_id() {
        let text = "x".repeat(2_000);
        let large = format!(
            r#"{{"type":"command","session":"{SESSION}","do":"say","data":{{"text":"{text}","id":"c_2"}},"id":"c_1"}}"#
        );
        let error = too_large(&large, 1_024);
        assert_eq!(error.id.map(|id| id.to_string()).as_deref(), Some("c_1"));
        assert_eq!(error.session.map(|session| session.to_string()).as_deref(), Some(SESSION));
        assert!(error.problem.0.message.contains("at most 1024"), "{}", error.problem.0.message);
        let cut = too_large(&large[..1_500], 1_024);
        assert_eq!((cut.id, cut.problem.code()), (None, Code::TooLarge));
    }

    #[test]
    fn a_frame_that_is_no_object_is_rejected() {
        for text in ["[]", " 7", "null", "\"say\""] {
            let message = parse(text).expect_err("is refused").problem.0.message;
            assert!(message.starts_with("a frame must be a JSON object"), "{text}: {message}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_a_code() {
        let deep =
            format!(r#"{{"type":"signal","name":"typing","session":"{SESSION}","data":{}}}"#, "[".repeat(50_000));
        let nested = format!(
            r#"{{"type":"signal","name":"typing","session":"{SESSION}","data":{}{}}}"#,
            "[".repeat(5_000),
            "]".repeat(5_000)
        );
        for text in
            ["", "7", "[]", "null", "{}", r#"{"type":7}"#, r#"{"type":"shout"}"#, r#"{"type":"join"}"#, &deep, &nested]
        {
            let error = parse(text).expect_err("is refused");
            assert_eq!(error.problem.code(), Code::BadFrame, "{text:.40}");
            assert!(!error.problem.0.message.contains("Outline"), "{}", error.problem.0.message);
        }
    }
}
