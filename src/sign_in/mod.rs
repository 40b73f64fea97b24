//! Sign-in at an OpenID provider: authorization code with PKCE, discovery, rotation of keys, and sign-out.

mod attempt;
mod claims;
mod error;
mod http_client;
mod provider;
mod proxy;
mod return_path;
mod settings;

pub use attempt::SignInAttempt;
pub use claims::ExternalPerson;
pub use error::OidcError;
pub use provider::{AuthorizationResponse, OidcProvider};
pub use proxy::{ProxySignIn, ProxySignInSettings};
pub use return_path::check_return_path;
pub use settings::{OidcRoles, OidcSettings, SessionRoleGroups};
