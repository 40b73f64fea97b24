#!/bin/sh
# Licences, banned crates and sources of everything that is linked, by cargo-deny and deny.toml. The tool is built once
# into target/, in the dev profile: that takes half the time of a release build, and it runs for a second.
set -eu
version=0.20.2
root=target/tools
if ! "$root/bin/cargo-deny" --version 2>/dev/null | grep -qx "cargo-deny $version"; then
    echo "== cargo-deny $version (built once, takes some minutes)"
    cargo install cargo-deny --version "$version" --locked --debug --quiet --root "$root"
fi
"$root/bin/cargo-deny" --log-level error check bans licenses sources
