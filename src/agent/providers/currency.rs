//! Currency of prices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// ISO 4217 currency code, such as `EUR`. Default `USD`, the currency of most providers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Currency(String);

impl Default for Currency {
    fn default() -> Self {
        Self("USD".into())
    }
}

impl TryFrom<String> for Currency {
    type Error = String;

    fn try_from(code: String) -> Result<Self, String> {
        match code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase()) {
            true => Ok(Self(code)),
            false => Err(format!("{code:?} is not a currency; use three capital letters of ISO 4217, such as EUR")),
        }
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.0
    }
}

#[cfg(test)]
mod tests {
    use super::Currency;

    #[test]
    fn a_currency_is_three_capital_letters() {
        assert_eq!(String::from(Currency::default()), "USD");
        assert!(Currency::try_from("CNY".to_owned()).is_ok());
        for code in ["", "eur", "EURO", "€", "E1R"] {
            assert!(Currency::try_from(code.to_owned()).is_err(), "{code}");
        }
    }
}
