//! What the tests and the fault suite share: a real PostgreSQL and a real Redis, which listen on Unix sockets only (a
//! Redis cluster on a loopback address), keep nothing, and end with the process that started them, also when it is
//! killed; and chance that a seed repeats.

mod guard;
pub mod postgres;
pub mod random;
pub mod redis;
pub mod redis_cluster;

use guard::Guard;
