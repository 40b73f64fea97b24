//! Ephemeral signals from clients.

use serde_json::Value;

use crate::identity::Participant;
use crate::protocol::{Code, Problem};

/// Names of the signals that clients are allowed to send.
const SIGNAL_NAMES: [&str; 2] = ["typing", "looking_at"];

/// Returns a signal's data as everyone sees it: the client's data, and the sender, which the server sets (law 7).
pub(super) fn check(name: &str, data: Value, who: &Participant, max_bytes: usize) -> Result<Value, Problem> {
    let invalid = |message: String| Problem::new(Code::InvalidArgument, message);
    if !SIGNAL_NAMES.contains(&name) {
        return Err(invalid(format!("the name of a signal must be one of {}", SIGNAL_NAMES.join(", "))));
    }
    let mut fields = match data {
        Value::Null => serde_json::Map::new(),
        Value::Object(fields) => fields,
        _ => return Err(invalid("the data of a signal must be an object".into())),
    };
    let len = serde_json::to_vec(&fields).map_or(usize::MAX, |json| json.len());
    if len > max_bytes {
        let message = format!("the data of a signal has {len} bytes, but at most {max_bytes} are accepted");
        return Err(Problem::too_large(message, max_bytes));
    }
    fields.insert("by".into(), serde_json::to_value(who.actor()).expect("an actor serializes: its keys are strings"));
    Ok(Value::Object(fields))
}
