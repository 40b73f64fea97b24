#!/bin/sh
# Lists the missing build tools of Roundtable and where to get them.
missing=0
need() {
    printf '%s\n' "$1" >&2
    missing=1
}

command -v cargo >/dev/null 2>&1 || need 'Rust is missing: install it from https://rustup.rs and open a new shell.'
command -v cc >/dev/null 2>&1 || need 'A C compiler is missing: apt-get install build-essential (SQLite and TLS need it).'
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    need 'Node.js is missing: install version 20.19 or later from https://nodejs.org.'
elif ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
    need "Node.js $(node --version) is too old: version 20.19 or later is needed, from https://nodejs.org."
fi
exit $missing
