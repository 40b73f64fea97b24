#!/bin/sh
# Licences, banned crates, sources and known vulnerabilities of everything that is linked, by cargo-deny and deny.toml, and
# the vulnerabilities of the client's packages by npm. Where a database of advisories cannot be reached it says so and goes
# on: no build may depend on somebody else's server. With ADVISORIES=required it fails instead.
set -eu
. scripts/tool.sh
deny=$(tool cargo-deny 0.20.2)
"$deny" --log-level error check bans licenses sources

missing() {
    echo "advisories of $1: NOT CHECKED, the database cannot be reached" >&2
    [ "${ADVISORIES:-}" != required ] || exit 1
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if timeout 60 "$deny" --log-level error fetch db >"$log" 2>&1; then
    "$deny" --log-level error check --disable-fetch advisories
else
    missing 'crates'
fi
for folder in static tests/browser tests/mcp tests/oidc; do
    # An answer has a report even where something was found; without one nobody answered.
    (cd $folder && timeout 60 npm audit --json --omit=dev --fetch-retries=0 >"$log" 2>/dev/null) && status=0 || status=$?
    if ! grep -q '"auditReportVersion"' "$log"; then
        missing "$folder"
    elif [ "$status" != 0 ]; then
        (cd $folder && npm audit --omit=dev) && exit 1
        exit 1
    fi
done
