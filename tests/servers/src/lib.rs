//! Code that the tests and the fault suite share: a real PostgreSQL, a real Redis, and a seeded random number
//! generator. The servers listen only on Unix sockets (a Redis cluster on a loopback address), keep no data, and end
//! with the process that started them, even if it is killed.

mod guard;
pub mod postgres;
pub mod random;
pub mod redis;
pub mod redis_cluster;

use guard::Guard;
