//! Everything that can only be seen from outside: one binary, so that linking is paid once.

mod kernel;
