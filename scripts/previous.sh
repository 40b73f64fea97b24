#!/bin/sh
# Builds the server as it was at the commit given, under target/previous, beside the one that is worked on.
set -eu
cd "$(dirname "$0")/.."
tree=$PWD/target/previous/tree
commit=$(git rev-parse --verify "$1^{commit}")
if [ "$(cat "$tree/.built" 2>/dev/null)" != "$commit" ]; then
    echo "== the server as of $commit"
    # What was built before stays: most of the next one's packages are in it.
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +
    git archive "$commit" | tar -xf - -C "$tree"
    make --directory "$tree" build
    echo "$commit" >"$tree/.built"
fi
