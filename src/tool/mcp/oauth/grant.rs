//! Grants that obtain tokens without a person.

use std::collections::HashSet;
use std::path::PathBuf;

use oauth2::{AccessToken, ClientSecret, Scope, TokenResponse, basic::BasicTokenType};
use rmcp::transport::auth::enterprise::{EmaAuthorizationServer, EmaClientAuthentication, EmaExchangeRequest};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, ClientCredentialsConfig, CredentialStore, OAuthTokenResponse, StoredCredentials,
    VendorExtraTokenFields, default_oauth_http_client,
};

use super::client_assertion::SigningKey;
use super::credentials::CredentialFile;
use super::discovery::discover;
use super::settings::{OAuthGrant, OAuthSettings};
use crate::clock;
use crate::http_client::read_body;
use crate::tool::mcp::environment;

/// Maximum number of bytes in a token response.
const MAX_TOKEN_BYTES: usize = 64 * 1024;

/// Proof of the client's identity.
pub(super) enum ClientAuthentication {
    Secret(String),
    Key(SigningKey),
    Identity { secret: String, issuer: String, token_endpoint: String, client_id: String, token_file: PathBuf },
}

/// A grant that does not need a person.
pub(super) struct MachineGrant {
    url: String,
    client_id: String,
    scopes: Vec<String>,
    proof: ClientAuthentication,
}

impl MachineGrant {
    /// Returns the grant of the settings, or `None` if a person authorizes the server.
    pub(super) fn of(
        url: &str,
        settings: &OAuthSettings,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, String> {
        let variable = |name: &str| environment::value(name, &environment).map(|value| value.trim().to_owned());
        let proof = match settings.grant {
            OAuthGrant::AuthorizationCode => return Ok(None),
            OAuthGrant::ClientCredentials if settings.private_key_env.is_empty() => {
                ClientAuthentication::Secret(variable(&settings.client_secret_env)?)
            }
            OAuthGrant::ClientCredentials => {
                ClientAuthentication::Key(SigningKey::from_pem(&variable(&settings.private_key_env)?)?)
            }
            OAuthGrant::IdentityAssertion => ClientAuthentication::Identity {
                secret: variable(&settings.client_secret_env)?,
                issuer: settings.identity_issuer.clone(),
                token_endpoint: settings.identity_token_endpoint.clone(),
                client_id: settings.identity_client_id.clone(),
                token_file: settings.identity_token_file.clone().unwrap_or_default(),
            },
        };
        let (client_id, scopes) = (settings.client_id.clone(), settings.scopes.clone());
        Ok(Some(Self { url: url.into(), client_id, scopes, proof }))
    }

    /// Obtains a token and stores it. Discovers the authorization server each time, because it might have moved.
    pub(super) async fn obtain(
        &self,
        manager: &mut AuthorizationManager,
        credentials: &CredentialFile,
    ) -> Result<String, AuthError> {
        let challenge = credentials.read().ok().and_then(|kept| kept.challenge);
        let metadata = discover(manager, &self.url, challenge.as_deref()).await?;
        let wanted =
            if self.scopes.is_empty() { manager.select_initial_scopes(&[]).await } else { self.scopes.clone() };
        let token = match &self.proof {
            ClientAuthentication::Secret(secret) => {
                let config = ClientCredentialsConfig::ClientSecret {
                    client_id: self.client_id.clone(),
                    client_secret: secret.clone(),
                    scopes: wanted,
                    resource: Some(self.url.clone()),
                };
                manager.validate_client_credentials_metadata(&config)?;
                manager.configure_client_credentials(&config)?;
                return Ok(manager.exchange_client_credentials(&config).await?.access_token().secret().clone());
            }
            ClientAuthentication::Key(key) => {
                let issuer = metadata.issuer.as_deref().unwrap_or(&metadata.token_endpoint);
                let assertion = key.assertion(&self.client_id, issuer).map_err(AuthError::ClientCredentialsError)?;
                self.exchange_assertion(&metadata.token_endpoint, &assertion, &wanted.join(" ")).await?
            }
            ClientAuthentication::Identity { .. } => {
                let issuer = metadata.issuer.as_deref().ok_or(AuthError::NoAuthorizationSupport)?;
                self.exchange_identity(issuer, &metadata.token_endpoint, wanted).await?
            }
        };
        let secret = token.access_token().secret().clone();
        let now = clock::now().millis() / 1000;
        credentials.save(StoredCredentials::new(self.client_id.clone(), Some(token), vec![], Some(now))).await?;
        Ok(secret)
    }

    async fn exchange_assertion(
        &self,
        endpoint: &str,
        assertion: &str,
        scope: &str,
    ) -> Result<OAuthTokenResponse, AuthError> {
        let refused = |why: &str| AuthError::ClientCredentialsError(why.into());
        let (token_url, resource) = (reqwest::Url::parse(endpoint)?, reqwest::Url::parse(&self.url)?);
        // Without https, anyone on the network could read the assertion and use it.
        let loopback = |url: &reqwest::Url| matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if token_url.scheme() != "https" && !(loopback(&token_url) && loopback(&resource)) {
            return Err(refused("the token endpoint is not an https URL"));
        }
        let mut form = vec![
            ("grant_type", "client_credentials"),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", assertion),
            ("resource", &self.url),
        ];
        if !scope.is_empty() {
            form.push(("scope", scope));
        }
        let client = crate::http_client::client(&token_url).build()?;
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = client.post(token_url).header("content-type", "application/x-www-form-urlencoded").body(body);
        let answer = read_body(request.send().await?.error_for_status()?, MAX_TOKEN_BYTES).await?;
        let token = answer.and_then(|answer| serde_json::from_slice(&answer).ok());
        token.ok_or_else(|| refused("the response contains no token"))
    }

    async fn exchange_identity(
        &self,
        issuer: &str,
        token_endpoint: &str,
        scopes: Vec<String>,
    ) -> Result<OAuthTokenResponse, AuthError> {
        let ClientAuthentication::Identity { secret, issuer: idp, token_endpoint: idp_endpoint, client_id, token_file } =
            &self.proof
        else {
            return Err(AuthError::NoAuthorizationSupport);
        };
        let identity = tokio::fs::read_to_string(token_file).await;
        let identity = identity.map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        let secret = EmaClientAuthentication::ClientSecretBasic(ClientSecret::new(secret.clone()));
        let exchange = EmaExchangeRequest::new_with_id_token(
            EmaAuthorizationServer::new(idp, idp_endpoint, client_id),
            EmaAuthorizationServer::new(issuer, token_endpoint, &self.client_id).with_client_authentication(secret),
            &self.url,
            identity.trim(),
        );
        let http = default_oauth_http_client()?;
        let exchanged = exchange.with_scopes(scopes.into_iter().collect::<HashSet<_>>()).exchange(&http, &http).await;
        let given = exchanged.map_err(|error| AuthError::ClientCredentialsError(error.to_string()))?;
        let token = AccessToken::new(given.access_token.secret().clone());
        let mut response = OAuthTokenResponse::new(token, BasicTokenType::Bearer, VendorExtraTokenFields::default());
        response.set_expires_in(given.expires_in.as_ref());
        response.set_scopes(Some(given.scopes.into_iter().map(Scope::new).collect()));
        Ok(response)
    }
}
