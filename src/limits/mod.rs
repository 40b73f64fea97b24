//! Limits of participants and connections: rates, concurrent requests, and requests of one kind.

mod admission;
mod concurrency;
mod rate_limit;
mod redis;
mod requests;
mod sender;

pub use admission::RequestAdmission;
pub(crate) use admission::{RequestPermit, RequestSender};
pub(crate) use concurrency::ConnectionPermit;
pub use concurrency::{ConcurrencyLimit, ConcurrencyPermit};
pub(crate) use rate_limit::too_fast_problem;
pub use rate_limit::{RateLimit, RateLimitSettings, RateLimiters};
pub use redis::SharedRateLimiter;
pub use requests::{Allowance, RequestRateLimiters};
pub use sender::RateLimitSender;
