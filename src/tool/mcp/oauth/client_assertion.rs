//! Signed assertion of the client's identity, instead of a secret (RFC 7523).

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::clock;

/// Lifetime of an assertion, in seconds. It can be short, because an assertion is used immediately.
const LIFETIME_SECONDS: u64 = 300;

/// The client's private key.
pub(super) struct SigningKey(EcdsaKeyPair);

impl SigningKey {
    /// Parses a P-256 key from PKCS#8 in PEM.
    ///
    /// # Errors
    /// Fails if the key does not have this form, with a message for the operator.
    pub(super) fn from_pem(pem: &str) -> Result<Self, String> {
        let error =
            || "oauth.private_key_env has no valid private key; use PKCS#8 in PEM, of the curve P-256".to_owned();
        let lines = pem.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("-----"));
        let der = STANDARD.decode(lines.collect::<String>()).map_err(|_| error())?;
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &SystemRandom::new());
        key.map(Self).map_err(|_| error())
    }

    /// Returns a signed assertion for this authorization server that its bearer is this client.
    pub(super) fn assertion(&self, client: &str, audience: &str) -> Result<String, String> {
        let now = clock::now().millis() / 1000;
        let claims = json!({
            "iss": client, "sub": client, "aud": audience, "iat": now, "exp": now + LIFETIME_SECONDS,
            "jti": Uuid::now_v7().to_string(),
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({ "alg": "ES256", "typ": "JWT" })), part(&claims));
        let signature = self
            .0
            .sign(&SystemRandom::new(), signed.as_bytes())
            .map_err(|_| "signing the client assertion failed".to_owned())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}
