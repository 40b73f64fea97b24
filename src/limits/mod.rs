//! Limits on participants and connections: rates, concurrent requests, and concurrent connections.

mod admission;
mod concurrency;
mod rate_limit;
mod request_batches;
mod request_rate_limit;
mod sender;
mod shared_rate_limit;

pub use admission::RequestAdmission;
pub(crate) use admission::{RequestPermit, RequestSender};
pub(crate) use concurrency::ConnectionPermit;
pub use concurrency::{ConcurrencyLimit, ConcurrencyPermit};
pub(crate) use rate_limit::too_fast_problem;
pub use rate_limit::{RateLimit, RateLimitSettings, RateLimiters};
pub use request_rate_limit::Allowance;
use request_rate_limit::RequestRateLimiters;
pub use sender::RateLimitSender;
pub use shared_rate_limit::SharedRateLimiter;
