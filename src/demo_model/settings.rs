//! Settings of the demo model: for the whole server, and per request as options in the model's name.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fault that can be injected into a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// HTTP 429 with `Retry-After`.
    #[value(name = "429")]
    #[serde(rename = "429")]
    TooManyRequests,
    /// HTTP 500.
    #[value(name = "500")]
    #[serde(rename = "500")]
    ServerError,
    /// HTTP 401.
    #[value(name = "401")]
    #[serde(rename = "401")]
    Unauthorized,
    /// The connection breaks in the middle of the response.
    Cut,
    /// The stream ends cleanly, but without a finish reason.
    End,
    /// Invalid JSON in the middle of the response.
    Garbage,
    /// An error object in the middle of the response.
    Error,
    /// The stream stops, but the connection stays open.
    Stall,
}

/// Mistake in the content of an otherwise valid response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Mistake {
    /// Text instead of a value of the required structure.
    Shape,
    /// A value that the required schema rejects in one place.
    Value,
    /// A call to a tool that does not exist.
    Tool,
    /// A call with arguments that are not JSON.
    Arguments,
    /// A call in every turn, even if the request forbids calls.
    Endless,
}

/// Settings of the demo model. Options in a model's name override them: `demo?tokens_per_second=200&delay_ms=0`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
pub struct DemoSettings {
    /// Tokens per second of a response. 0 removes the limit. Default 60, at least 0.
    #[arg(long, default_value_t = 60.0, hide_default_value = true, value_parser = parse_tokens_per_second)]
    #[schemars(range(min = 0))]
    pub tokens_per_second: f64,
    /// Milliseconds before the first token. Default 300.
    #[arg(long, default_value_t = 300, hide_default_value = true)]
    pub delay_ms: u64,
    /// Length of each response, in tokens: the script is cut or repeated. 0 leaves it unchanged. Default 0.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub response_tokens: u32,
    /// Fault to inject. Default none.
    #[arg(long)]
    pub fault: Option<Fault>,
    /// Number of requests per model name that get the fault. 0 means all. Default 0.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub fault_times: u32,
    /// Number of tokens before a fault in the middle of a response. Default 20.
    #[arg(long, default_value_t = 20, hide_default_value = true)]
    pub fault_after_tokens: u32,
    /// Seconds in the `Retry-After` header of a 429 response. Default 1.
    #[arg(long, default_value_t = 1, hide_default_value = true)]
    pub retry_after_seconds: u32,
    /// Number of tokens after which a stream is held until `DemoModel::release` or `POST /demo/release`. If absent,
    /// streams are not held.
    #[arg(long)]
    pub hold_after_tokens: Option<u32>,
    /// Mistake to make in responses that require a structure or can call tools. Default none.
    #[arg(long)]
    pub mistake: Option<Mistake>,
    /// Number of requests per model name that get the mistake. 0 means all. Default 0.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub mistake_times: u32,
}

impl Default for DemoSettings {
    fn default() -> Self {
        Self {
            tokens_per_second: 60.0,
            delay_ms: 300,
            response_tokens: 0,
            fault: None,
            fault_times: 0,
            fault_after_tokens: 20,
            retry_after_seconds: 1,
            hold_after_tokens: None,
            mistake: None,
            mistake_times: 0,
        }
    }
}

/// Error in a model's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ModelNameError {
    /// The model does not exist.
    Unknown,
    /// The options after the question mark are invalid.
    Option(String),
}

impl DemoSettings {
    /// Returns settings without a delay or a limit on tokens per second, for tests.
    pub fn fast() -> Self {
        Self { tokens_per_second: 0.0, delay_ms: 0, ..Self::default() }
    }

    /// Returns the settings with the options of the model's name applied, such as `demo-fast` or
    /// `demo?delay_ms=0&tag=a`. A `tag` option has no effect of its own, but it makes names distinct, so that faults
    /// are counted separately for each name.
    pub(super) fn for_model(&self, model: &str) -> Result<Self, ModelNameError> {
        let (name, query) = model.split_once('?').unwrap_or((model, ""));
        let mut settings = self.clone();
        match name {
            "demo" => {}
            "demo-fast" => (settings.tokens_per_second, settings.delay_ms) = (0.0, 0),
            "demo-slow" => (settings.tokens_per_second, settings.delay_ms) = (15.0, 1_000),
            _ => return Err(ModelNameError::Unknown),
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            settings.set(key, value)?;
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ModelNameError> {
        match key {
            "tokens_per_second" => {
                self.tokens_per_second = parse_tokens_per_second(value).map_err(ModelNameError::Option)?;
            }
            "delay_ms" => self.delay_ms = number(key, value)?,
            "response_tokens" => self.response_tokens = number(key, value)?,
            "fault" => self.fault = Some(one_of(key, value)?),
            "fault_times" => self.fault_times = number(key, value)?,
            "fault_after_tokens" => self.fault_after_tokens = number(key, value)?,
            "retry_after_seconds" => self.retry_after_seconds = number(key, value)?,
            "hold_after_tokens" => self.hold_after_tokens = Some(number(key, value)?),
            "mistake" => self.mistake = Some(one_of(key, value)?),
            "mistake_times" => self.mistake_times = number(key, value)?,
            "tag" => {}
            _ => {
                return Err(ModelNameError::Option(format!(
                    "unknown option \"{key}\"; use one of tokens_per_second, delay_ms, response_tokens, fault, \
                     fault_times, fault_after_tokens, retry_after_seconds, hold_after_tokens, mistake, mistake_times, \
                     tag"
                )));
            }
        }
        Ok(())
    }
}

fn one_of<T: ValueEnum>(key: &str, value: &str) -> Result<T, ModelNameError> {
    T::from_str(value, false).map_err(|_| {
        let known: Vec<_> = T::value_variants().iter().filter_map(T::to_possible_value).collect();
        let known: Vec<_> = known.iter().map(|value| value.get_name()).collect();
        ModelNameError::Option(format!("unknown {key} \"{value}\"; use one of {}", known.join(", ")))
    })
}

/// Parses a number of tokens per second.
fn parse_tokens_per_second(value: &str) -> Result<f64, String> {
    let rate = value.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
    rate.ok_or_else(|| format!("tokens_per_second must be a finite number of at least 0, not \"{value}\""))
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, ModelNameError> {
    value.parse().map_err(|_| ModelNameError::Option(format!("{key} must be a number, not \"{value}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_name_carries_options() {
        let name = "demo?tokens_per_second=50&response_tokens=9&fault=429&fault_times=1&fault_after_tokens=7\
                    &hold_after_tokens=3&tag=x";
        let settings = DemoSettings::default().for_model(name).expect("reads");
        assert_eq!((settings.tokens_per_second, settings.response_tokens, settings.fault_times), (50.0, 9, 1));
        assert_eq!((settings.fault_after_tokens, settings.hold_after_tokens), (7, Some(3)));
        assert_eq!(settings.fault, Some(Fault::TooManyRequests));
        assert_eq!(settings.delay_ms, 300);
        let settings = DemoSettings::default().for_model("demo?mistake=shape&mistake_times=2").expect("reads");
        assert_eq!((settings.mistake, settings.mistake_times), (Some(Mistake::Shape), 2));
        assert_eq!(DemoSettings::default().for_model("demo-fast").expect("reads").tokens_per_second, 0.0);
    }

    #[test]
    fn a_wrong_name_is_told_apart_from_a_wrong_option() {
        let of = |model: &str| DemoSettings::default().for_model(model);
        assert_eq!(of("gpt-4o"), Err(ModelNameError::Unknown));
        for wrong in [
            "demo?speed=1",
            "demo?tokens_per_second=fast",
            "demo?tokens_per_second=-1",
            "demo?tokens_per_second=nan",
            "demo?fault=fire",
            "demo?mistake=x",
        ] {
            assert!(matches!(of(wrong), Err(ModelNameError::Option(_))), "{wrong}");
        }
    }
}
