//! Authorization by a person, who opens a link and passes back the URL that the browser is redirected to.

use std::path::Path;

use rmcp::transport::auth::{AuthError, AuthorizationCallback, AuthorizationManager, OAuthClientConfig};
use serde_json::Value;

use super::credentials::CredentialFile;
use super::discovery::{discover, manager};
use super::error_text;
use crate::tool::mcp::{McpServerSettings, environment};

/// An authorization in progress, from [`McpAuthorization::begin`] to [`McpAuthorization::finish`].
pub struct McpAuthorization {
    manager: AuthorizationManager,
    url: String,
}

impl McpAuthorization {
    /// Finds the authorization server, registers with it if needed, and creates the link to open. The browser is
    /// redirected to `redirect` with the response. Credentials are stored in `folder`; secrets come from `environment`.
    ///
    /// # Errors
    /// Fails with the reason for the operator, without secrets.
    pub async fn begin(
        name: &str,
        server: &McpServerSettings,
        folder: &Path,
        environment: impl Fn(&str) -> Option<String>,
        redirect: &str,
    ) -> Result<Self, String> {
        server.check(name)?;
        if server.url.is_empty() || !server.token_env.is_empty() {
            return Err("a person cannot authorize it; use a server with a url and without a token_env".into());
        }
        let oauth = &server.oauth;
        let secret = match &*oauth.client_secret_env {
            "" => None,
            variable => Some(environment::value(variable, environment)?.trim().to_owned()),
        };
        let credentials = CredentialFile::of(folder, name, &server.url);
        let started = begin(server, &credentials, secret, redirect).await;
        let (manager, url) = started.map_err(|error| error_text(&error))?;
        let scheme = reqwest::Url::parse(&url).ok().map(|url| url.scheme().to_owned());
        if !matches!(scheme.as_deref(), Some("https" | "http")) {
            return Err("the link of the authorization server is not an https URL".into());
        }
        Ok(Self { manager, url })
    }

    /// Returns the link for the person.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Exchanges the code for a token, and stores the token. The code is in `returned`, the URL that the browser was
    /// redirected to.
    ///
    /// # Errors
    /// Fails with the reason for the operator, without secrets.
    pub async fn finish(&self, returned: &str) -> Result<(), String> {
        let finished = async {
            let AuthorizationCallback { code, csrf_token, issuer, .. } =
                AuthorizationCallback::from_redirect_url(returned.trim())?;
            self.manager.exchange_code_for_token_with_issuer(&code, &csrf_token, issuer.as_deref()).await
        };
        finished.await.map(drop).map_err(|error| error_text(&error))
    }

    /// Deletes the credentials of a server.
    ///
    /// # Errors
    /// Fails if the file cannot be removed.
    pub fn forget(name: &str, server: &McpServerSettings, folder: &Path) -> std::io::Result<()> {
        CredentialFile::of(folder, name, &server.url).remove()
    }
}

async fn begin(
    server: &McpServerSettings,
    credentials: &CredentialFile,
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

/// Returns the scopes to request: those wanted now and those granted before, because a server can ask for one scope at
/// a time.
async fn scopes(server: &McpServerSettings, manager: &AuthorizationManager, granted: &[String]) -> Vec<String> {
    let proposed = manager.select_initial_scopes(&[]).await;
    let wanted = if server.oauth.scopes.is_empty() { proposed } else { server.oauth.scopes.clone() };
    let mut all = granted.to_vec();
    all.extend(wanted);
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|scope| seen.insert(scope.clone()));
    all
}
