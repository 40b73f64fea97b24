//! Options of the demo model: for the whole server, and per request in the model's name.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fault that is injected on purpose.
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

/// Options of the demo model. A model's name can set them too: `demo?speed=200&hold=20`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
pub struct DemoOptions {
    /// Speed, in tokens per second; 0: as fast as possible.
    #[arg(long, default_value_t = 60.0, value_parser = parse_speed)]
    #[schemars(range(min = 0))]
    pub speed: f64,
    /// Delay before the first token, in milliseconds.
    #[arg(long, default_value_t = 300)]
    pub delay_ms: u64,
    /// Length of each response, in tokens: the script is cut or repeated; 0: the script's own length.
    #[arg(long, default_value_t = 0)]
    pub tokens: u32,
    /// Fault to inject. Default none.
    #[arg(long)]
    pub fault: Option<Fault>,
    /// Number of requests per model name that get the fault; 0: all.
    #[arg(long, default_value_t = 0)]
    pub fault_times: u32,
    /// Number of tokens before a fault in the middle of a response.
    #[arg(long, default_value_t = 20)]
    pub fault_after: u32,
    /// Value of `Retry-After` in a 429 response, in seconds.
    #[arg(long, default_value_t = 1)]
    pub retry_after_seconds: u32,
    /// Number of tokens after which a stream is held until `DemoModel::release` or `POST /demo/release`. Default: not
    /// held.
    #[arg(long)]
    pub hold: Option<u32>,
    /// Mistake to make in responses that require a structure or can call tools. Default none.
    #[arg(long)]
    pub mistake: Option<Mistake>,
    /// Number of requests per model name that get the mistake; 0: all.
    #[arg(long, default_value_t = 0)]
    pub mistake_times: u32,
}

impl Default for DemoOptions {
    fn default() -> Self {
        Self {
            speed: 60.0,
            delay_ms: 300,
            tokens: 0,
            fault: None,
            fault_times: 0,
            fault_after: 20,
            retry_after_seconds: 1,
            hold: None,
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

impl DemoOptions {
    /// Returns options without delay and speed limit, for tests.
    pub fn fast() -> Self {
        Self { speed: 0.0, delay_ms: 0, ..Self::default() }
    }

    /// Returns the options with those of the model's name applied, such as `demo-fast` or `demo?speed=50&tag=a`. A
    /// `tag` has no effect of its own, but makes names distinct, so that `fault_times` counts them separately.
    pub(super) fn for_model(&self, model: &str) -> Result<Self, ModelNameError> {
        let (name, query) = model.split_once('?').unwrap_or((model, ""));
        let mut options = self.clone();
        match name {
            "demo" => {}
            "demo-fast" => (options.speed, options.delay_ms) = (0.0, 0),
            "demo-slow" => (options.speed, options.delay_ms) = (15.0, 1_000),
            _ => return Err(ModelNameError::Unknown),
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            options.set(key, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ModelNameError> {
        match key {
            "speed" => self.speed = parse_speed(value).map_err(ModelNameError::Option)?,
            "delay_ms" => self.delay_ms = number(key, value)?,
            "tokens" => self.tokens = number(key, value)?,
            "fault" => self.fault = Some(one_of(key, value)?),
            "fault_times" => self.fault_times = number(key, value)?,
            "fault_after" => self.fault_after = number(key, value)?,
            "retry_after_seconds" => self.retry_after_seconds = number(key, value)?,
            "hold" => self.hold = Some(number(key, value)?),
            "mistake" => self.mistake = Some(one_of(key, value)?),
            "mistake_times" => self.mistake_times = number(key, value)?,
            "tag" => {}
            _ => {
                return Err(ModelNameError::Option(format!(
                    "unknown option \"{key}\"; use one of speed, delay_ms, tokens, fault, fault_times, fault_after, \
                     retry_after_seconds, hold, mistake, mistake_times, tag"
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

/// Parses a speed, in tokens per second.
fn parse_speed(value: &str) -> Result<f64, String> {
    let speed = value.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed >= 0.0);
    speed.ok_or_else(|| format!("speed must be a finite number of at least 0, not \"{value}\""))
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, ModelNameError> {
    value.parse().map_err(|_| ModelNameError::Option(format!("{key} must be a number, not \"{value}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_name_carries_options() {
        let options =
            DemoOptions::default().for_model("demo?speed=50&fault=429&fault_times=1&hold=3&tag=x").expect("reads");
        assert_eq!((options.speed, options.fault_times, options.hold), (50.0, 1, Some(3)));
        assert_eq!(options.fault, Some(Fault::TooManyRequests));
        assert_eq!(options.delay_ms, 300);
        let options = DemoOptions::default().for_model("demo?mistake=shape&mistake_times=2").expect("reads");
        assert_eq!((options.mistake, options.mistake_times), (Some(Mistake::Shape), 2));
        assert_eq!(DemoOptions::default().for_model("demo-fast").expect("reads").speed, 0.0);
    }

    #[test]
    fn a_wrong_name_is_told_apart_from_a_wrong_option() {
        let of = |model: &str| DemoOptions::default().for_model(model);
        assert_eq!(of("gpt-4o"), Err(ModelNameError::Unknown));
        for wrong in
            ["demo?sped=1", "demo?speed=fast", "demo?speed=-1", "demo?speed=nan", "demo?fault=fire", "demo?mistake=x"]
        {
            assert!(matches!(of(wrong), Err(ModelNameError::Option(_))), "{wrong}");
        }
    }
}
