//! Network: addresses of clients, host names of the server, and settings of connections and requests.

mod allowed_hosts;
mod origin_syntax;
mod proxies;
mod settings;

pub use allowed_hosts::AllowedHosts;
pub(crate) use allowed_hosts::requested_host;
pub(crate) use origin_syntax::check_origin_syntax;
pub use proxies::{ClientAddress, ForwardedHeader, PeerAddress, Scheme, TrustedProxies};
pub use settings::HttpSettings;
