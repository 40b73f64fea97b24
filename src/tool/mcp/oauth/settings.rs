//! How a server is authorized: the part of the configuration under `tools.mcp.<name>.oauth`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::McpServer;

/// How tokens are obtained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OAuthGrant {
    /// A person opens a link once: `roundtable mcp authorize <name>`.
    #[default]
    AuthorizationCode,
    /// The server itself is the client: `client_id` with `client_secret_env` or `private_key_env`.
    ClientCredentials,
    /// An identity provider vouches for the server (enterprise-managed authorization): the `identity_…` settings.
    IdentityAssertion,
}

/// Authorization at one MCP server. Without any of it, the server is authorized by a person, if it asks for that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OAuthSettings {
    /// How tokens are obtained.
    pub grant: OAuthGrant,
    /// Client that is registered at the authorization server; empty: Roundtable registers itself.
    pub client_id: String,
    /// Environment variable that holds the client's secret; empty: none.
    pub client_secret_env: String,
    /// Environment variable that holds the client's private key instead of a secret: PKCS#8 in PEM, of the curve P-256.
    pub private_key_env: String,
    /// https address of a client ID metadata document, used as the client's id where the authorization server takes such;
    /// empty: none.
    pub client_metadata_url: String,
    /// Scopes to ask for; empty: those that the server asks for.
    pub scopes: Vec<String>,
    /// Issuer of the identity provider, for `identity_assertion`.
    pub identity_issuer: String,
    /// Token endpoint of the identity provider.
    pub identity_token_endpoint: String,
    /// Client that is registered at the identity provider.
    pub identity_client_id: String,
    /// File that holds a current ID token of the identity provider. It is read each time that a token is needed.
    pub identity_token_file: Option<PathBuf>,
}

impl OAuthSettings {
    /// What is wrong with them for this server, in words for the operator.
    pub(in super::super) fn check(&self, server: &McpServer) -> Result<(), String> {
        if *self != Self::default() && (server.url.is_empty() || !server.token_env.is_empty()) {
            return Err("it has oauth settings; accepted are they with a url, and without a token_env".into());
        }
        let secrets =
            [&self.client_secret_env, &self.private_key_env].into_iter().filter(|name| !name.is_empty()).count();
        match self.grant {
            OAuthGrant::AuthorizationCode if !self.private_key_env.is_empty() => {
                Err("oauth.private_key_env is for grant = \"client_credentials\"".into())
            }
            OAuthGrant::ClientCredentials if self.client_id.is_empty() || secrets != 1 => {
                Err("oauth.grant = \"client_credentials\" wants a client_id, and client_secret_env or private_key_env"
                    .into())
            }
            OAuthGrant::IdentityAssertion
                if [&self.client_id, &self.client_secret_env, &self.identity_issuer, &self.identity_client_id]
                    .iter()
                    .any(|setting| setting.is_empty())
                    || self.identity_token_endpoint.is_empty()
                    || self.identity_token_file.is_none() =>
            {
                Err("oauth.grant = \"identity_assertion\" wants client_id, client_secret_env, identity_issuer, \
                     identity_token_endpoint, identity_client_id and identity_token_file"
                    .into())
            }
            _ if !self.client_metadata_url.is_empty() && !self.client_metadata_url.starts_with("https://") => {
                Err("oauth.client_metadata_url is no https address".into())
            }
            _ => Ok(()),
        }
    }
}
