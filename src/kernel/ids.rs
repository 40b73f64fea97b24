//! Ids. Ids of sessions and participants are unique on the server. Ids inside a session contain the seq of the event
//! that introduced them, so that the kernel needs no randomness and an id shows where to find its event.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// Error for a string that is not a valid id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid id; expected {example}")]
pub struct IdError {
    example: &'static str,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $prefix:literal, $pattern:literal, $example:expr, $parse:expr, $print:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($prefix)?;
                #[allow(clippy::redundant_closure_call)]
                ($print)(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let no = IdError { example: $example };
                let rest = text.strip_prefix($prefix).ok_or_else(|| no.clone())?;
                #[allow(clippy::redundant_closure_call)]
                ($parse)(rest).map(Self).ok_or(no)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern })
            }
        }
    };
}

fn parse_uuid(text: &str) -> Option<Uuid> {
    let canonical = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    canonical.then(|| Uuid::try_parse(text).ok()).flatten()
}

fn print_uuid(id: &Uuid, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{}", id.simple())
}

fn parse_number(text: &str) -> Option<u64> {
    // A leading zero or a sign would allow two spellings of one id.
    let canonical = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    canonical.then(|| text.parse().ok()).flatten()
}

fn print_number(id: &u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{id}")
}

macro_rules! global_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        id!($(#[$doc])* $name, Uuid, $prefix, "^[a-z]_[0-9a-f]{32}$",
            concat!($prefix, "0190f3c07a1b7c3d8e5f60718293a4b5"), parse_uuid, print_uuid);
    };
}

macro_rules! local_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        id!($(#[$doc])* $name, u64, $prefix, "^[a-z]_[1-9][0-9]*$",
            concat!($prefix, "42"), parse_number, print_number);
    };
}

global_id!(
    /// Id of a session: `s_` and a time-ordered UUID in 32 hexadecimal digits, so that ids sort by age.
    SessionId,
    "s_"
);
global_id!(
    /// Id of a person or bot: `u_` and a UUID in 32 hexadecimal digits. The same in every session.
    ParticipantId,
    "u_"
);
local_id!(
    /// Id of a run. Example: `r_12`.
    RunId,
    "r_"
);
local_id!(
    /// Id of a step of a run. Example: `p_14`.
    StepId,
    "p_"
);
local_id!(
    /// Id of a message, already valid while the message is being written. Example: `m_42`.
    MessageId,
    "m_"
);
local_id!(
    /// Id of a gate. Example: `g_30`.
    GateId,
    "g_"
);

local_id!(
    /// Id of a tool call. Example: `t_21`.
    CallId,
    "t_"
);
local_id!(
    /// Id of a standing permission. Example: `a_31`.
    PermissionId,
    "a_"
);
local_id!(
    /// Id of one version of a file. Example: `f_17`.
    FileId,
    "f_"
);

macro_rules! name_id {
    ($(#[$doc:meta])* $name:ident, $max:literal, $more:pat, $pattern:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(#[schemars(regex(pattern = $pattern))] std::sync::Arc<str>);

        impl $name {
            /// Returns the id as a string.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let fits = (1..=$max).contains(&text.len())
                    && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, $more));
                fits.then(|| Self(text.into())).ok_or(IdError { example: $example })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }
    };
}

name_id!(
    /// Id of an agent, from the configuration of its team; in a topology, `node/agent`. Example: `TestCase_Generator`.
    AgentId,
    129,
    b'_' | b'-' | b'.' | b'/',
    "^[A-Za-z0-9_./-]{1,129}$",
    "letters, digits, '_', '-', '.' or '/', at most 129 of them"
);
name_id!(
    /// Id of a command, chosen by the client, for example a ULID or UUID. It makes repeating the command harmless.
    CommandId,
    64,
    b'_' | b'-' | b'.',
    "^[A-Za-z0-9_.-]{1,64}$",
    "letters, digits, '_', '-' or '.', at most 64 of them"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_it_was_written() {
        let session = SessionId(Uuid::from_u128(7));
        assert_eq!(session.to_string().parse(), Ok(session));
        assert_eq!(MessageId(42).to_string(), "m_42");
        assert_eq!("m_42".parse(), Ok(MessageId(42)));
    }

    #[test]
    fn one_thing_has_one_name() {
        for wrong in ["m_042", "m_+1", "m_", "m_0", "g_1", "42", "m_99999999999999999999999"] {
            assert!(wrong.parse::<MessageId>().is_err(), "{wrong}");
        }
        assert!("s_0190F3C07A1B7C3D8E5F60718293A4B5".parse::<SessionId>().is_err());
    }

    #[test]
    fn a_command_id_is_short_plain_text() {
        assert!("c_01J".parse::<CommandId>().is_ok());
        assert!("".parse::<CommandId>().is_err());
        assert!("a b".parse::<CommandId>().is_err());
        assert!("x".repeat(65).parse::<CommandId>().is_err());
    }
}
