#!/bin/sh
# Builds the server of the given commit in target/previous, without changing the working tree.
set -eu
cd "$(dirname "$0")/.."
tree=$PWD/target/previous/tree
commit=$(git rev-parse --verify "$1^{commit}")
if [ "$(cat "$tree/.built" 2>/dev/null)" != "$commit" ]; then
    echo "== the server as of $commit"
    # Keep the earlier build: most packages do not change.
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +
    git archive "$commit" | tar -xf - -C "$tree"
    make --directory "$tree" build
    echo "$commit" >"$tree/.built"
fi
