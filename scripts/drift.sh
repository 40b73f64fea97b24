#!/bin/sh
# Checks that generated files are up to date with their sources: the JSON Schema and the OpenAPI document are generated
# from the Rust types, and the TypeScript from both. Also checks that the patches of `make mutants` still apply.
set -eu
for bug in tests/mutations/*.patch; do
    if ! git apply --check "$bug"; then
        echo "$bug no longer applies: plant the bug again and replace the patch with the output of git diff" >&2
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
