//! How the demo model behaves: for the whole server, and per request in the model's name.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What goes wrong on purpose.
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
    /// The connection breaks in the midst of the answer.
    Cut,
    /// The stream ends in good order, but without a finish reason.
    End,
    /// Something that is not JSON comes in the midst of the answer.
    Garbage,
    /// An error object comes in the midst of the answer.
    Error,
    /// Nothing more comes, and the connection stays open.
    Stall,
}

/// What a model does wrong that is well in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Mistake {
    /// Words where a value of some shape is asked for.
    Shape,
    /// A call of a tool that does not exist.
    Tool,
    /// A call whose arguments are not JSON.
    Arguments,
    /// A call in every turn, also where none may be made.
    Endless,
}

/// Options of the demo model. Each can be given in a model's name as well: `demo?speed=200&hold=20`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, default)]
pub struct DemoOptions {
    /// Tokens a second; 0: as fast as it goes.
    #[arg(long, default_value_t = 60.0)]
    pub speed: f64,
    /// Milliseconds before the first token.
    #[arg(long, default_value_t = 300)]
    pub delay_ms: u64,
    /// Tokens that an answer has: the script is cut or repeated; 0: as it is.
    #[arg(long, default_value_t = 0)]
    pub tokens: u32,
    /// What goes wrong.
    #[arg(long)]
    pub fault: Option<Fault>,
    /// How many requests to one and the same model name it goes wrong for; 0: for all.
    #[arg(long, default_value_t = 0)]
    pub fault_times: u32,
    /// Tokens of the answer before a fault in its midst.
    #[arg(long, default_value_t = 20)]
    pub fault_after: u32,
    /// Seconds that a 429 asks to wait.
    #[arg(long, default_value_t = 1)]
    pub retry_after: u32,
    /// Hold the stream after so many tokens until it is released, by `DemoModel::release` or `POST /demo/release`.
    #[arg(long)]
    pub hold: Option<u32>,
    /// What it does wrong where it can: in answers that must have a shape, or with tools.
    #[arg(long)]
    pub mistake: Option<Mistake>,
    /// How many requests to one and the same model name it does so for; 0: for all.
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
            retry_after: 1,
            hold: None,
            mistake: None,
            mistake_times: 0,
        }
    }
}

/// Model names without their options; the first is the default.
pub(super) const MODELS: [&str; 3] = ["demo", "demo-fast", "demo-slow"];

/// Why a model name cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ModelError {
    /// There is no such model.
    Unknown,
    /// The part after the question mark is wrong.
    Option(String),
}

impl DemoOptions {
    /// As fast as it goes, without a delay: for tests.
    pub fn fast() -> Self {
        Self { speed: 0.0, delay_ms: 0, ..Self::default() }
    }

    /// These options with what the model's name says: `demo-fast`, `demo?speed=50&tag=a`. A `tag` has no meaning, but sets
    /// names apart, for `fault_times`.
    pub(super) fn for_model(&self, model: &str) -> Result<Self, ModelError> {
        let (name, query) = model.split_once('?').unwrap_or((model, ""));
        let mut options = self.clone();
        match name {
            "demo" => {}
            "demo-fast" => (options.speed, options.delay_ms) = (0.0, 0),
            "demo-slow" => (options.speed, options.delay_ms) = (15.0, 1_000),
            _ => return Err(ModelError::Unknown),
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            options.set(key, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ModelError> {
        match key {
            "speed" => {
                self.speed = number(key, value)?;
                if !self.speed.is_finite() || self.speed < 0.0 {
                    return Err(ModelError::Option(format!("\"{value}\" is no speed")));
                }
            }
            "delay_ms" => self.delay_ms = number(key, value)?,
            "tokens" => self.tokens = number(key, value)?,
            "fault" => self.fault = Some(one_of(key, value)?),
            "fault_times" => self.fault_times = number(key, value)?,
            "fault_after" => self.fault_after = number(key, value)?,
            "retry_after" => self.retry_after = number(key, value)?,
            "hold" => self.hold = Some(number(key, value)?),
            "mistake" => self.mistake = Some(one_of(key, value)?),
            "mistake_times" => self.mistake_times = number(key, value)?,
            "tag" => {}
            _ => {
                return Err(ModelError::Option(format!(
                    "\"{key}\" is no option; there are speed, delay_ms, tokens, fault, fault_times, fault_after, \
                     retry_after, hold, mistake, mistake_times, tag"
                )));
            }
        }
        Ok(())
    }
}

fn one_of<T: ValueEnum>(key: &str, value: &str) -> Result<T, ModelError> {
    T::from_str(value, false).map_err(|_| {
        let known: Vec<_> = T::value_variants().iter().filter_map(T::to_possible_value).collect();
        let known: Vec<_> = known.iter().map(|value| value.get_name()).collect();
        ModelError::Option(format!("\"{value}\" is no {key}; there are {}", known.join(", ")))
    })
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, ModelError> {
    value.parse().map_err(|_| ModelError::Option(format!("{key} must be a number, not \"{value}\"")))
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
        assert_eq!(of("gpt-4o"), Err(ModelError::Unknown));
        for wrong in
            ["demo?sped=1", "demo?speed=fast", "demo?speed=-1", "demo?speed=inf", "demo?fault=fire", "demo?mistake=x"]
        {
            assert!(matches!(of(wrong), Err(ModelError::Option(_))), "{wrong}");
        }
    }
}
