#!/bin/sh
# What is generated must be what its sources say now: the JSON Schema and the OpenAPI document from the Rust types, the
# TypeScript from both.
# The bugs that `make mutants` plants must still apply to them.
set -eu
for bug in tests/mutations/*.patch; do
    if ! git apply --check "$bug"; then
        echo "$bug no longer applies: plant it anew and replace what git diff says" >&2
        exit 1
    fi
done
sh scripts/binaries.sh
if ! ./target/debug/roundtable schema | diff -u docs/protocol.schema.json - >&2; then
    echo 'docs/protocol.schema.json is out of date: run  cargo run schema > docs/protocol.schema.json' >&2
    exit 1
fi
if ! ./target/debug/roundtable schema --openapi | diff -u docs/openapi.json - >&2; then
    echo 'docs/openapi.json is out of date: run  cargo run schema --openapi > docs/openapi.json' >&2
    exit 1
fi
cd static
if ! npm run --silent types:check; then
    echo 'the generated TypeScript is out of date: run  npm run types  in static/' >&2
    exit 1
fi
