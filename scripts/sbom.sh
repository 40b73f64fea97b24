#!/bin/sh
# Writes software bills of materials of the server and the browser client to target/sbom, as CycloneDX 1.5 in JSON. They
# list the crates linked into the program and the packages bundled into the page, without test dependencies.
set -eu
. scripts/tool.sh
cyclonedx=$(tool cargo-cyclonedx 0.5.9)
mkdir -p target/sbom
# The tool writes a file next to each manifest of the workspace.
"$cyclonedx" cyclonedx --format json --spec-version 1.5 --no-build-deps --override-filename sbom-made --quiet
mv sbom-made.json target/sbom/server.json
rm -f src/kernel/sbom-made.json chaos/sbom-made.json loadtest/sbom-made.json tests/servers/sbom-made.json
(cd static && npm sbom --sbom-format cyclonedx --sbom-type application --omit dev --package-lock-only) >target/sbom/client.json
for made in server client; do
    echo "target/sbom/$made.json: $(grep -c '"purl"' target/sbom/$made.json) components"
done
