//! Discovery of a server's authorization server.

use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata};

use super::credentials::CredentialFile;
use crate::http_client::read_body;

/// Maximum number of bytes in a metadata document.
const MAX_METADATA_BYTES: usize = 64 * 1024;

/// Returns a client of the authorization server of `url`.
pub(super) async fn manager(url: &str, credentials: CredentialFile) -> Result<AuthorizationManager, AuthError> {
    // The library creates its own clients, which use the process-wide cryptography provider. Installing it a second
    // time changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut manager = AuthorizationManager::new(url).await?;
    manager.set_credential_store(credentials);
    Ok(manager)
}

/// Finds the authorization server, using the server's challenge if there was one, and makes `manager` use it.
pub(super) async fn discover(
    manager: &mut AuthorizationManager,
    url: &str,
    challenge: Option<&str>,
) -> Result<AuthorizationMetadata, AuthError> {
    let metadata = match manager.resolve_metadata_from_challenge(challenge).await {
        Ok(found) => found.metadata,
        Err(AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer }) => {
            let own = discover_same_origin(url, &expected_issuer).await?;
            own.ok_or(AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer })?
        }
        Err(error) => return Err(error),
    };
    manager.set_metadata(metadata.clone());
    Ok(metadata)
}

/// Returns the metadata of a server that is its own authorization server under a separate path, as some servers of the
/// protocol's first version are. Returns `None` unless every URL in it has the server's own origin, so that no other
/// party is involved.
async fn discover_same_origin(url: &str, expected_issuer: &str) -> Result<Option<AuthorizationMetadata>, AuthError> {
    let (url, expected) = (Url::parse(url)?, Url::parse(expected_issuer)?);
    let own = |address: &str| Url::parse(address).is_ok_and(|address| address.origin() == url.origin());
    if expected.origin() != url.origin() {
        return Ok(None);
    }
    let document = url.join("/.well-known/oauth-authorization-server")?;
    let response = crate::http_client::client(&document).build()?.get(document).send().await?.error_for_status()?;
    let body = read_body(response, MAX_METADATA_BYTES).await?;
    let metadata = body.and_then(|body| serde_json::from_slice::<AuthorizationMetadata>(&body).ok());
    Ok(metadata.filter(|found| {
        let named = [Some(&found.authorization_endpoint), Some(&found.token_endpoint)];
        let optional = [found.issuer.as_ref(), found.registration_endpoint.as_ref()];
        named.into_iter().chain(optional).flatten().all(|address| own(address))
    }))
}
