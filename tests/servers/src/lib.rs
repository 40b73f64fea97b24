//! Shared by the tests and the fault suite: a real PostgreSQL and a real Redis, which listen only on Unix sockets (a
//! Redis cluster on a loopback address), keep no data, and end with the process that started them, even if it is
//! killed; and a seeded random generator.

mod guard;
pub mod postgres;
pub mod random;
pub mod redis;
pub mod redis_cluster;

use guard::Guard;
