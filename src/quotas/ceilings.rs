//! Maximum values of session settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::QuotaError;
use crate::kernel::Settings;

/// Declares the maximum values once, each as `default to highest`, for the fields, the defaults, the check and the cap.
macro_rules! ceilings {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $default:literal to $max:literal,)*) => {
        /// Maximum values that participants other than administrators can give to session settings. If the creator of a
        /// session does not name a setting, the setting gets its default, or the maximum if that is lower.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct SessionCeilingSettings {
            $($(#[$doc])* #[schemars(range(min = 1, max = $max))] pub $name: $kind,)*
            /// Maximum of `retention_days`, 1 to 36500. If set, no session is kept forever, and a session that names no
            /// value gets this one. If absent, sessions can be kept forever.
            #[schemars(range(min = 1, max = 36_500))]
            #[serde(skip_serializing_if = "Option::is_none")]
            pub retention_days: Option<u32>,
        }

        impl Default for SessionCeilingSettings {
            fn default() -> Self {
                Self { $($name: $default,)* retention_days: None }
            }
        }

        impl SessionCeilingSettings {
            /// Returns the settings, each capped at its maximum.
            #[must_use]
            pub fn cap(&self, settings: Settings) -> Settings {
                let retention_days = match (settings.retention_days, self.retention_days) {
                    (Some(days), Some(limit)) => Some(days.min(limit)),
                    (days, limit) => days.or(limit),
                };
                Settings { $($name: settings.$name.min(self.$name),)* retention_days, ..settings }
            }

            fn of(&self, setting: &str) -> Option<(&'static str, u64)> {
                match setting {
                    "retention_days" => self.retention_days.map(|limit| ("retention_days", limit.into())),
                    $(stringify!($name) => Some((stringify!($name), self.$name.into())),)*
                    _ => None,
                }
            }
        }
    };
}

ceilings! {
    /// Maximum of `max_messages_per_run`, 1 to 10000. Default 10000; the largest topology needs 2102.
    max_messages_per_run: u32 = 10_000 to 10_000,
    /// Maximum of `max_steps_per_run`, 1 to 10000. Default 10000, the value for topologies.
    max_steps_per_run: u32 = 10_000 to 10_000,
    /// Maximum of `max_turns_per_task`, 1 to 200. Default 200.
    max_turns_per_task: u32 = 200 to 200,
    /// Maximum of `max_parallel`, 1 to 4096. Default 4096, the value for topologies.
    max_parallel: u32 = 4096 to 4096,
    /// Maximum of `max_calls_per_turn`, 1 to 64. Default 64.
    max_calls_per_turn: u32 = 64 to 64,
    /// Maximum of `max_retries`, 1 to 20. Default 20.
    max_retries: u32 = 20 to 20,
    /// Maximum of `max_repairs`, 1 to 20. Default 20.
    max_repairs: u32 = 20 to 20,
    /// Maximum of `max_attempts`, 1 to 20. Default 20.
    max_attempts: u32 = 20 to 20,
    /// Maximum of `max_waiting_messages`, 1 to 1000. Default 1000.
    max_waiting_messages: u32 = 1000 to 1000,
}

impl SessionCeilingSettings {
    /// Checks that the settings that a participant names are within their maximum values. Values that are not numbers
    /// pass, because the kernel rejects them.
    ///
    /// # Errors
    /// The error names the first setting above its maximum.
    pub fn check(&self, named: &Map<String, Value>) -> Result<(), QuotaError> {
        for (setting, value) in named {
            let Some((quota, limit)) = self.of(setting) else { continue };
            // No retention limit means forever, which is more than any number of days.
            let for_ever = quota == "retention_days" && value.is_null();
            if for_ever || value.as_u64().is_some_and(|value| value > limit) {
                let message =
                    format!("{setting} is above the maximum of this server, {limit}; reduce it or ask the operator");
                return Err(QuotaError { quota, limit, frees_at: None, message });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_ceiling_is_above_what_the_kernel_takes_and_none_below_a_default() {
        let ceilings = SessionCeilingSettings::default();
        let highest = SessionCeilingSettings::default().cap(Settings {
            max_messages_per_run: u32::MAX,
            max_steps_per_run: u32::MAX,
            max_turns_per_task: u32::MAX,
            max_parallel: u32::MAX,
            max_calls_per_turn: u32::MAX,
            max_retries: u32::MAX,
            max_repairs: u32::MAX,
            max_attempts: u32::MAX,
            max_waiting_messages: u32::MAX,
            ..Settings::default()
        });
        assert_eq!(highest.check(), Ok(()));
        for flow in ["react", "review", "topology"] {
            assert_eq!(ceilings.cap(Settings::of(flow)), Settings::of(flow), "{flow}");
        }
    }

    #[test]
    fn a_quota_above_its_ceiling_is_rejected() {
        let ceilings = SessionCeilingSettings { max_parallel: 2, ..SessionCeilingSettings::default() };
        let check = |named: Value| ceilings.check(named.as_object().expect("an object"));
        assert_eq!(
            check(
                json!({ "max_parallel": 2, "code": ["x"], "max_steps_per_run": 1000, "max_waiting_messages": "many" })
            ),
            Ok(())
        );
        let refused = check(json!({ "max_parallel": 3 })).expect_err("is above");
        assert_eq!((refused.quota, refused.limit), ("max_parallel", 2));
        assert_eq!(ceilings.cap(Settings::default()).max_parallel, 2);
    }
}
