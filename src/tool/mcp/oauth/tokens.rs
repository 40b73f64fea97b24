//! Token of one server: read from its file, renewed before it expires, and obtained automatically if no person is
//! needed.

use std::path::Path;

use oauth2::TokenResponse;
use rmcp::transport::auth::{AuthError, AuthorizationManager, OAuthClientConfig};
use tokio::sync::Mutex;
use tracing::warn;

use super::credentials::CredentialFile;
use super::discovery::{discover, manager};
use super::grant::MachineGrant;
use super::{OAuthSettings, error_text};
use crate::kernel::first_chars;

/// Redirect URL of a client that only renews tokens. No browser is ever redirected to it.
const UNUSED_REDIRECT_URL: &str = "http://127.0.0.1/callback";

/// Source of the token for each request.
pub(in super::super) struct TokenSource {
    url: String,
    credentials: CredentialFile,
    grant: Option<MachineGrant>,
    /// `None` until there are credentials to renew.
    manager: Mutex<Option<AuthorizationManager>>,
}

impl TokenSource {
    /// Returns the token source of a server, with the secrets that its settings name.
    ///
    /// # Errors
    /// Fails if a secret is missing or invalid, with a message for the operator.
    pub(in super::super) fn new(
        server: &str,
        url: &str,
        settings: &OAuthSettings,
        folder: &Path,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let (credentials, grant) =
            (CredentialFile::of(folder, server, url), MachineGrant::of(url, settings, environment)?);
        Ok(Self { url: url.into(), credentials, grant, manager: Mutex::default() })
    }

    /// Returns the current token, or `None` if nobody has authorized the server.
    pub(super) async fn current(&self) -> Result<Option<String>, AuthError> {
        let mut current = self.manager.lock().await;
        self.prepare(&mut current).await?;
        if let Some(manager) = current.as_ref() {
            match manager.get_access_token().await {
                Ok(token) => return Ok(Some(token)),
                Err(AuthError::AuthorizationRequired) => {}
                // The token has expired. The grant below obtains a new one.
                Err(_) if self.grant.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        self.obtained(&mut current).await
    }

    /// Returns a token to replace this one, which the server rejected, or `None` if a person must authorize the server.
    pub(super) async fn renewed(&self, refused: Option<&str>) -> Result<Option<String>, AuthError> {
        let mut current = self.manager.lock().await;
        self.prepare(&mut current).await?;
        if let (Some(manager), Some(refused)) = (current.as_ref(), refused) {
            // Another request might have renewed the token since.
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

    /// Stores the server's challenge for the next authorization.
    pub(super) fn save_challenge(&self, challenge: &str) {
        let kept = self.credentials.change(|kept| kept.challenge = Some(first_chars(challenge, 4096).into()));
        if let Err(error) = kept {
            warn!(%error, "MCP authorization challenge not stored");
        }
    }

    async fn obtained(&self, current: &mut Option<AuthorizationManager>) -> Result<Option<String>, AuthError> {
        let Some(grant) = &self.grant else { return Ok(None) };
        let mut fresh = manager(&self.url, self.credentials.clone()).await?;
        let token = grant.obtain(&mut fresh, &self.credentials).await;
        let token = token.inspect_err(|error| warn!(why = error_text(error), "MCP token not obtained"))?;
        *current = Some(fresh);
        Ok(Some(token))
    }

    /// Sets up renewal of the credentials, if there are any, for the client that they were issued to. Another process
    /// might have registered a new client in the meantime.
    async fn prepare(&self, current: &mut Option<AuthorizationManager>) -> Result<(), AuthError> {
        let kept = self.credentials.read().map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        let Some(client) = kept.client_id() else {
            *current = None;
            return Ok(());
        };
        if self.grant.is_some() {
            // Credentials that an earlier process stored are valid until they expire.
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
                let mut config = OAuthClientConfig::new(client, UNUSED_REDIRECT_URL);
                config.client_secret = kept.client_secret.clone();
                fresh.configure_client(config)?;
                *current = Some(fresh);
            }
        }
        Ok(())
    }
}
