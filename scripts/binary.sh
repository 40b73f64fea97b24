#!/bin/sh
# Brings target/debug/roundtable up to date the way `cargo test` does: a build of the program alone would compile most of
# its dependencies a second time, because the tests ask for more of their features.
set -eu
cargo test --locked --quiet --workspace --no-run
