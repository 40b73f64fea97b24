//! Authorization at MCP servers over HTTP: discovery, registration, tokens and their renewal, by the MCP authorization
//! specification.
//!
//! A token is kept in a file of its own per server, goes to the address that it was given for and to no other, and appears in
//! no log, event, error or listing.

mod authorization;
mod authorized_client;
mod client_assertion;
mod credentials;
mod discovery;
mod grant;
mod settings;
mod tokens;

use rmcp::transport::auth::AuthError;

pub use authorization::Authorization;
pub use settings::{OAuthGrant, OAuthSettings};

pub(super) use authorized_client::AuthorizedClient;
pub(super) use tokens::Tokens;

/// What went wrong, for the operator. The library's own words can hold what a server answered.
pub(super) fn words(error: &AuthError) -> String {
    let words = match error {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => "it has to be authorized again",
        AuthError::TokenExchangeFailed(_) => "the authorization server gave no token",
        AuthError::TokenRefreshFailed(_) => "the authorization server did not renew the token",
        AuthError::CredentialStoreError(why) => return format!("its credentials cannot be read or written: {why}"),
        AuthError::DiscoveryRequestFailed { .. } | AuthError::HttpError(_) => "the authorization server is not reached",
        AuthError::ProtectedResourceMetadataInvalid { .. } => "its metadata is not for this address",
        AuthError::AuthorizationServersUnavailable { .. } | AuthError::NoAuthorizationSupport => {
            "none of its authorization servers has usable metadata"
        }
        AuthError::PkceUnsupported => "the authorization server does not support PKCE with S256",
        AuthError::RegistrationFailed(_) => {
            "the authorization server registers no clients; set oauth.client_id or oauth.client_metadata_url"
        }
        AuthError::AuthorizationServerMismatch { .. } | AuthError::AuthorizationServerMissingIssuer { .. } => {
            "the answer is not from the authorization server that was asked"
        }
        AuthError::AuthorizationFailed(_) => "the answer has no code, or is not for this authorization",
        AuthError::MetadataError(_) | AuthError::UrlError(_) => "the metadata of the authorization server is wrong",
        AuthError::ClientCredentialsError(_) => "the authorization server did not accept the client's credentials",
        _ => "the authorization failed",
    };
    words.into()
}
