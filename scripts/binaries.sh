#!/bin/sh
# Builds target/debug/roundtable and target/debug/chaos together with all tests. A build of the programs alone would
# compile most dependencies a second time, because the tests enable more of their features.
set -eu
cargo build --locked --quiet --workspace --all-targets
