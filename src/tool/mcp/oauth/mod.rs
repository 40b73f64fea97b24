//! Authorization at MCP servers over HTTP: discovery, registration, tokens and their renewal, as defined by the MCP
//! authorization specification.
//!
//! The token of each server is stored in a separate file. It is sent only to the URL that it was issued for, and never
//! appears in a log, event, error or listing.

mod authorization;
mod authorized_client;
mod client_assertion;
mod credentials;
mod discovery;
mod grant;
mod settings;
mod tokens;

use rmcp::transport::auth::AuthError;

pub use authorization::McpAuthorization;
pub use settings::{OAuthGrant, OAuthSettings};

pub(super) use authorized_client::AuthorizedClient;
pub(super) use tokens::TokenSource;

/// Returns the reason for the operator. The library's own messages are omitted, because they can contain responses of
/// servers.
pub(super) fn error_text(error: &AuthError) -> String {
    let message = match error {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => "it must be authorized again",
        AuthError::TokenExchangeFailed(_) => "the authorization server issued no token",
        AuthError::TokenRefreshFailed(_) => "the authorization server did not renew the token",
        AuthError::CredentialStoreError(why) => return format!("its credentials cannot be read or written: {why}"),
        AuthError::DiscoveryRequestFailed { .. } | AuthError::HttpError(_) => {
            "the MCP server or its authorization server cannot be reached; check url, and that both are running"
        }
        AuthError::ProtectedResourceMetadataInvalid { .. } => "its metadata is for another URL",
        AuthError::AuthorizationServersUnavailable { .. } | AuthError::NoAuthorizationSupport => {
            "none of its authorization servers has usable metadata"
        }
        AuthError::PkceUnsupported => "the authorization server does not support PKCE with S256",
        AuthError::RegistrationFailed(_) => {
            "url is not that of an MCP server that asks for authorization, or its authorization server registers no \
             clients; check url, or set oauth.client_id or oauth.client_metadata_url"
        }
        AuthError::AuthorizationServerMismatch { .. } | AuthError::AuthorizationServerMissingIssuer { .. } => {
            "the response is from another authorization server"
        }
        AuthError::AuthorizationFailed(_) => "the response has no code, or belongs to another authorization",
        AuthError::MetadataError(_) | AuthError::UrlError(_) => "the metadata of the authorization server is not valid",
        AuthError::ClientCredentialsError(_) => "the authorization server rejected the client's credentials",
        _ => "the authorization failed",
    };
    message.into()
}
