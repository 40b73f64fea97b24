//! The token of one server: from its file, renewed in time, obtained where that needs nobody.

use std::path::Path;

use oauth2::TokenResponse;
use rmcp::transport::auth::{AuthError, AuthorizationManager, OAuthClientConfig};
use tokio::sync::Mutex;
use tracing::warn;

use super::credentials::Credentials;
use super::discovery::{discover, manager};
use super::grant::Grant;
use super::{OAuthSettings, words};

/// Redirect address of a client that only renews tokens; nothing is ever redirected to it.
const NOWHERE: &str = "http://127.0.0.1/callback";

/// Gives the token for each request.
pub(in super::super) struct Tokens {
    url: String,
    credentials: Credentials,
    grant: Option<Grant>,
    /// Absent until something is known that it could renew.
    manager: Mutex<Option<AuthorizationManager>>,
}

impl Tokens {
    /// For a server, with the secrets that its settings name.
    pub(in super::super) fn new(
        server: &str,
        url: &str,
        settings: &OAuthSettings,
        folder: &Path,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let (credentials, grant) = (Credentials::of(folder, server, url), Grant::of(url, settings, environment)?);
        Ok(Self { url: url.into(), credentials, grant, manager: Mutex::default() })
    }

    /// The token as it is now; none where nobody has authorized the server.
    pub(super) async fn current(&self) -> Result<Option<String>, AuthError> {
        let mut current = self.manager.lock().await;
        self.prepare(&mut current).await?;
        if let Some(manager) = current.as_ref() {
            match manager.get_access_token().await {
                Ok(token) => return Ok(Some(token)),
                Err(AuthError::AuthorizationRequired) => {}
                // It expired, and what obtained it obtains another.
                Err(_) if self.grant.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        self.obtained(&mut current).await
    }

    /// Another token than this one, which the server refused; none where that takes a person.
    pub(super) async fn renewed(&self, refused: Option<&str>) -> Result<Option<String>, AuthError> {
        let mut current = self.manager.lock().await;
        self.prepare(&mut current).await?;
        if let (Some(manager), Some(refused)) = (current.as_ref(), refused) {
            // Another request may have renewed it since.
            match manager.get_access_token().await {
                Ok(token) if token != refused => return Ok(Some(token)),
                _ => {}
            }
            if self.grant.is_none() {
                match manager.refresh_token().await {
                    Ok(token) => return Ok(Some(token.access_token().secret().clone())),
                    Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        self.obtained(&mut current).await
    }

    /// Keep what the server asked for, for the next authorization.
    pub(super) fn challenged(&self, challenge: &str) {
        let kept = self.credentials.change(|kept| kept.challenge = Some(challenge.chars().take(4096).collect()));
        if let Err(error) = kept {
            warn!(%error, "what an MCP server asks for its authorization is not kept");
        }
    }

    async fn obtained(&self, current: &mut Option<AuthorizationManager>) -> Result<Option<String>, AuthError> {
        let Some(grant) = &self.grant else { return Ok(None) };
        let mut fresh = manager(&self.url, self.credentials.clone()).await?;
        let token = grant.obtain(&mut fresh, &self.credentials).await;
        let token = token.inspect_err(|error| warn!(why = words(error), "an MCP server gave no token"))?;
        *current = Some(fresh);
        Ok(Some(token))
    }

    /// Have what renews the credentials, if there are any: for the client that they were given to, which another process may
    /// have registered meanwhile.
    async fn prepare(&self, current: &mut Option<AuthorizationManager>) -> Result<(), AuthError> {
        let kept = self.credentials.read().map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        let Some(client) = kept.client_id() else {
            *current = None;
            return Ok(());
        };
        if self.grant.is_some() {
            // What is kept of a process that is over is good until it expires.
            if current.is_none() {
                *current = Some(manager(&self.url, self.credentials.clone()).await?);
            }
            return Ok(());
        }
        let same = match current.as_ref() {
            Some(manager) => manager.get_credentials().await.is_ok_and(|(id, _)| id == client),
            None => false,
        };
        if !same {
            *current = None;
            let mut fresh = manager(&self.url, self.credentials.clone()).await?;
            discover(&mut fresh, &self.url, None).await?;
            if fresh.initialize_from_store().await? {
                let mut config = OAuthClientConfig::new(client, NOWHERE);
                config.client_secret = kept.client_secret.clone();
                fresh.configure_client(config)?;
                *current = Some(fresh);
            }
        }
        Ok(())
    }
}
