#!/bin/sh
# Checks the licenses, sources and known vulnerabilities of all linked crates with cargo-deny (see deny.toml), and the
# vulnerabilities of the npm packages. If an advisory database is unreachable, the script reports this and continues,
# because a build must not depend on an external server. With ADVISORIES=required, it fails instead.
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
    # A response contains a report even if there are vulnerabilities. If there is no report, the registry did not
    # respond.
    (cd $folder && timeout 60 npm audit --json --omit=dev --fetch-retries=0 >"$log" 2>/dev/null) && status=0 || status=$?
    if ! grep -q '"auditReportVersion"' "$log"; then
        missing "$folder"
    elif [ "$status" != 0 ]; then
        (cd $folder && npm audit --omit=dev) && exit 1
        exit 1
    fi
done
