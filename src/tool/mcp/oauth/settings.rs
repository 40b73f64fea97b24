//! Settings of a server's authorization: the part of the configuration under `tools.mcp.<name>.oauth`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::McpServerSettings;

/// Grant that obtains tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OAuthGrant {
    /// A person opens a link once: `roundtable mcp authorize <name>`.
    #[default]
    AuthorizationCode,
    /// Roundtable authenticates as the client: `client_id` with `client_secret_env` or `private_key_env`.
    ClientCredentials,
    /// An identity provider asserts Roundtable's identity (enterprise-managed authorization). Requires the `identity_…`
    /// settings.
    IdentityAssertion,
}

/// Authorization at one MCP server. Without these settings, a person authorizes the server if it requires
/// authorization.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OAuthSettings {
    /// Grant that obtains tokens. Default `authorization_code`.
    pub grant: OAuthGrant,
    /// Id of the client at the authorization server, such as `roundtable`. If empty, Roundtable registers itself.
    pub client_id: String,
    /// Environment variable that contains the client's secret. If empty, none.
    pub client_secret_env: String,
    /// Environment variable that contains the client's private key instead of a secret: PKCS#8 in PEM, on the curve
    /// P-256. If empty, none.
    pub private_key_env: String,
    /// https URL of a client ID metadata document, used as the client's id if the authorization server supports this.
    /// If empty, none.
    pub client_metadata_url: String,
    /// Scopes to request, such as `["read"]`. If empty, those that the server asks for.
    pub scopes: Vec<String>,
    /// Issuer of the identity provider, such as `https://login.example.org`, for `identity_assertion`.
    pub identity_issuer: String,
    /// Token endpoint of the identity provider, for `identity_assertion`.
    pub identity_token_endpoint: String,
    /// Id of the client at the identity provider, for `identity_assertion`.
    pub identity_client_id: String,
    /// File that contains a current ID token of the identity provider, for `identity_assertion`. It is read each time a
    /// token is needed.
    pub identity_token_file: Option<PathBuf>,
}

impl OAuthSettings {
    /// Checks the settings for this server.
    ///
    /// # Errors
    /// Fails with the first invalid setting, in a message for the operator.
    pub(in super::super) fn check(&self, server: &McpServerSettings) -> Result<(), String> {
        if *self != Self::default() && (server.url.is_empty() || !server.token_env.is_empty()) {
            return Err("its oauth settings need a url and no token_env; set a url and remove token_env".into());
        }
        let secrets =
            [&self.client_secret_env, &self.private_key_env].into_iter().filter(|name| !name.is_empty()).count();
        match self.grant {
            OAuthGrant::AuthorizationCode if !self.private_key_env.is_empty() => {
                Err("oauth.private_key_env needs oauth.grant = \"client_credentials\"; set it, or remove the key"
                    .into())
            }
            OAuthGrant::ClientCredentials if self.client_id.is_empty() || secrets != 1 => {
                Err("oauth.grant = \"client_credentials\" needs client_id, and client_secret_env or private_key_env"
                    .into())
            }
            OAuthGrant::IdentityAssertion
                if [&self.client_id, &self.client_secret_env, &self.identity_issuer, &self.identity_client_id]
                    .iter()
                    .any(|setting| setting.is_empty())
                    || self.identity_token_endpoint.is_empty()
                    || self.identity_token_file.is_none() =>
            {
                Err("oauth.grant = \"identity_assertion\" needs client_id, client_secret_env, identity_issuer, \
                     identity_token_endpoint, identity_client_id and identity_token_file"
                    .into())
            }
            _ if !self.client_metadata_url.is_empty() && !self.client_metadata_url.starts_with("https://") => {
                Err("oauth.client_metadata_url is not an https URL; use https://".into())
            }
            _ => Ok(()),
        }
    }
}
