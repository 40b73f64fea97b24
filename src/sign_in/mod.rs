//! Sign-in at an OpenID provider, or through the header of a reverse proxy.

mod attempt;
mod claims;
mod error;
mod http_client;
mod oidc;
mod proxy;
mod return_path;
mod settings;

pub use attempt::SignInAttempt;
pub use claims::ExternalPerson;
pub use error::OidcError;
pub use oidc::{AuthorizationResponse, OidcProvider};
pub use proxy::{ProxySignIn, ProxySignInSettings};
pub use return_path::check_return_path;
pub use settings::{OidcSettings, ServerRoleSettings, SessionRoleSettings};
