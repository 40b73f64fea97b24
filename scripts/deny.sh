#!/bin/sh
# Licences, banned crates and sources by cargo-deny where it is installed. The tests check licences and banned crates
# in any case (tests/it/dependencies.rs, by the same deny.toml); `make test` does not install cargo-deny itself yet.
set -eu
if cargo deny --version >/dev/null 2>&1; then
    cargo deny --log-level error check bans licenses sources
fi
