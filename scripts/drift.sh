#!/bin/sh
# What is generated must be what its sources say now: the JSON Schema from the Rust types, the TypeScript from the schema.
set -eu
sh scripts/binary.sh
if ! ./target/debug/roundtable schema | diff -u docs/protocol.schema.json - >&2; then
    echo 'docs/protocol.schema.json is out of date: run  cargo run schema > docs/protocol.schema.json' >&2
    exit 1
fi
cd static
if ! npm run --silent types:check; then
    echo 'the generated TypeScript is out of date: run  npm run types  in static/' >&2
    exit 1
fi
