//! An authorization by a person: a link to open, and what the browser comes back with.

use std::path::Path;

use rmcp::transport::auth::{AuthError, AuthorizationCallback, AuthorizationManager, OAuthClientConfig};
use serde_json::Value;

use super::credentials::Credentials;
use super::discovery::{discover, manager};
use super::words;
use crate::tool::mcp::{McpServer, secrets};

/// Begun with [`Authorization::begin`], done with [`Authorization::finish`].
pub struct Authorization {
    manager: AuthorizationManager,
    url: String,
}

impl Authorization {
    /// Find the authorization server, register with it where that is needed, and make the link to open. The browser is sent
    /// to `redirect` with the answer. `folder` is where credentials are kept; secrets are taken from `environment`.
    ///
    /// # Errors
    /// In words for the operator; nothing secret.
    pub async fn begin(
        name: &str,
        server: &McpServer,
        folder: &Path,
        environment: impl Fn(&str) -> Option<String>,
        redirect: &str,
    ) -> Result<Self, String> {
        server.check(name)?;
        if server.url.is_empty() || !server.token_env.is_empty() {
            return Err(
                "it is not authorized by a person; that is for a server with a url and without a token_env".into()
            );
        }
        let oauth = &server.oauth;
        let secret = match &*oauth.client_secret_env {
            "" => None,
            variable => Some(secrets::value(variable, environment)?.trim().to_owned()),
        };
        let credentials = Credentials::of(folder, name, &server.url);
        let begun = begin(server, &credentials, secret, redirect).await;
        let (manager, url) = begun.map_err(|error| words(&error))?;
        let scheme = reqwest::Url::parse(&url).ok().map(|url| url.scheme().to_owned());
        if !matches!(scheme.as_deref(), Some("https" | "http")) {
            return Err("the authorization server's link is no https address".into());
        }
        Ok(Self { manager, url })
    }

    /// The link for the person.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Take the address that the browser was sent back to, and keep the token.
    ///
    /// # Errors
    /// In words for the operator; nothing secret.
    pub async fn finish(&self, returned: &str) -> Result<(), String> {
        let finished = async {
            let AuthorizationCallback { code, csrf_token, issuer, .. } =
                AuthorizationCallback::from_redirect_url(returned.trim())?;
            self.manager.exchange_code_for_token_with_issuer(&code, &csrf_token, issuer.as_deref()).await
        };
        finished.await.map(drop).map_err(|error| words(&error))
    }

    /// Forget the credentials of a server.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn forget(name: &str, server: &McpServer, folder: &Path) -> std::io::Result<()> {
        Credentials::of(folder, name, &server.url).remove()
    }
}

async fn begin(
    server: &McpServer,
    credentials: &Credentials,
    secret: Option<String>,
    redirect: &str,
) -> Result<(AuthorizationManager, String), AuthError> {
    let kept = credentials.read().map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
    let mut manager = manager(&server.url, credentials.clone()).await?;
    let metadata = discover(&mut manager, &server.url, kept.challenge.as_deref()).await?;
    let takes_urls =
        metadata.additional_fields.get("client_id_metadata_document_supported") == Some(&Value::Bool(true));
    let scopes = scopes(server, &manager, &kept.granted_scopes()).await;
    let scopes: Vec<&str> = scopes.iter().map(|scope| &**scope).collect();
    let oauth = &server.oauth;
    let client = if !oauth.client_id.is_empty() {
        let client = OAuthClientConfig::new(&*oauth.client_id, redirect);
        secret.into_iter().fold(client, OAuthClientConfig::with_client_secret)
    } else if takes_urls && !oauth.client_metadata_url.is_empty() {
        OAuthClientConfig::new(&*oauth.client_metadata_url, redirect)
    } else {
        manager.register_client("Roundtable", redirect, &scopes).await?
    };
    let secret = client.client_secret.clone();
    manager.configure_client(client)?;
    manager.set_credential_store(credentials.clone().of_client(secret));
    let url = manager.get_authorization_url(&scopes).await?;
    Ok((manager, url))
}

/// What is asked for now, with what was granted before: a server may ask for one thing at a time.
async fn scopes(server: &McpServer, manager: &AuthorizationManager, granted: &[String]) -> Vec<String> {
    let asked = manager.select_initial_scopes(&[]).await;
    let wanted = if server.oauth.scopes.is_empty() { asked } else { server.oauth.scopes.clone() };
    let mut all = granted.to_vec();
    all.extend(wanted);
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|scope| seen.insert(scope.clone()));
    all
}
