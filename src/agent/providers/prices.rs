//! Prices of models, and the cost of tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Prices of a model, per million tokens, in `providers.currency`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Price of a million input tokens, such as `0.15`.
    pub input: f64,
    /// Price of a million output tokens, such as `0.6`.
    pub output: f64,
}

impl Prices {
    /// Returns the cost in millionths of the currency. A price per million tokens is the same number of millionths per
    /// token.
    pub fn micros(&self, input_tokens: u64, output_tokens: u64) -> u64 {
        (input_tokens as f64 * self.input + output_tokens as f64 * self.output).round().max(0.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_per_million_is_micros_per_token() {
        let prices = Prices { input: 0.15, output: 0.6 };
        assert_eq!(prices.micros(1_000, 500), 450);
        assert_eq!(Prices::default().micros(1_000_000, 5), 0);
    }
}
