//! A real PostgreSQL and a real Redis for tests. They listen on Unix sockets only, keep nothing, and end with the process
//! that started them, also when it is killed.

mod guard;
pub mod postgres;
pub mod redis;

use guard::Guard;
