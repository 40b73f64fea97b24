//! Which authorization server a server has.

use reqwest::Url;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata};

use super::credentials::Credentials;
use crate::agent::whole_body;

/// Bytes of a metadata document.
const MAX_METADATA_BYTES: usize = 64 * 1024;

/// What speaks to the authorization server of `url`.
pub(super) async fn manager(url: &str, credentials: Credentials) -> Result<AuthorizationManager, AuthError> {
    // The library builds clients of its own, which take the process's provider of cryptography; a second installation changes
    // nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut manager = AuthorizationManager::new(url).await?;
    manager.set_credential_store(credentials);
    Ok(manager)
}

/// Find it, from what the server said when it refused a request, and let `manager` use it.
pub(super) async fn discover(
    manager: &mut AuthorizationManager,
    url: &str,
    challenge: Option<&str>,
) -> Result<AuthorizationMetadata, AuthError> {
    let metadata = match manager.resolve_metadata_from_challenge(challenge).await {
        Ok(found) => found.metadata,
        Err(AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer }) => {
            let own = of_own_origin(url, &expected_issuer).await?;
            own.ok_or(AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer })?
        }
        Err(error) => return Err(error),
    };
    manager.set_metadata(metadata.clone());
    Ok(metadata)
}

/// Servers of the protocol's first version are their own authorization servers, and some call that by a path of theirs. That
/// is no other party, so it is taken where all of it is of the server's own origin.
async fn of_own_origin(url: &str, expected_issuer: &str) -> Result<Option<AuthorizationMetadata>, AuthError> {
    let (url, expected) = (Url::parse(url)?, Url::parse(expected_issuer)?);
    let own = |address: &str| Url::parse(address).is_ok_and(|address| address.origin() == url.origin());
    if expected.origin() != url.origin() {
        return Ok(None);
    }
    let document = url.join("/.well-known/oauth-authorization-server")?;
    let response = crate::agent::http_client(&document).build()?.get(document).send().await?.error_for_status()?;
    let body = whole_body(response, MAX_METADATA_BYTES).await?;
    let metadata = body.and_then(|body| serde_json::from_slice::<AuthorizationMetadata>(&body).ok());
    Ok(metadata.filter(|found| {
        let named = [Some(&found.authorization_endpoint), Some(&found.token_endpoint)];
        let optional = [found.issuer.as_ref(), found.registration_endpoint.as_ref()];
        named.into_iter().chain(optional).flatten().all(|address| own(address))
    }))
}
