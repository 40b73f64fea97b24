#!/bin/sh
# Installs the packages that the tests need in addition to the build tools. Without root, it lists the missing ones.
set -eu

has_postgres() {
    command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1
}
has_chromium() {
    command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1
}
# Without a Chinese font, the screenshots show empty boxes.
has_fonts() {
    command -v fc-list >/dev/null 2>&1 && [ -n "$(fc-list :lang=zh family)" ]
}

# Servers for the tests of MCP and sign-in, pinned by lock files.
install_packages() {
    installed=$1/node_modules/.package-lock.json
    if [ ! -e "$installed" ] || [ "$1/package-lock.json" -nt "$installed" ]; then
        echo "== $2: packages"
        (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
        touch "$installed"
    fi
}
install_packages tests/mcp 'reference server of MCP'
install_packages tests/oidc 'OpenID provider'

# Schemathesis sends generated requests to every operation. Its requirements file pins it.
has_schemathesis() {
    [ -x tests/openapi/.venv/bin/schemathesis ] && [ ! tests/openapi/requirements.txt -nt tests/openapi/.venv/installed ]
}

packages=
has_postgres || packages="$packages postgresql"
command -v redis-server >/dev/null 2>&1 || packages="$packages redis-server"
# For the commands in docs/teams.md.
command -v jq >/dev/null 2>&1 || packages="$packages jq"
command -v curl >/dev/null 2>&1 || packages="$packages curl"
command -v bwrap >/dev/null 2>&1 || packages="$packages bubblewrap"
# The sandbox can only see this path, not the Python of a version manager.
[ -x /usr/bin/python3 ] || packages="$packages python3"
has_chromium || packages="$packages chromium-headless-shell"
has_fonts || packages="$packages fontconfig fonts-noto-cjk fonts-noto-color-emoji"
has_schemathesis || python3 -c 'import ensurepip' 2>/dev/null || packages="$packages python3-venv"

install_schemathesis() {
    has_schemathesis && return
    echo '== Schemathesis: packages'
    python3 -m venv tests/openapi/.venv
    tests/openapi/.venv/bin/pip install --quiet --require-hashes --requirement tests/openapi/requirements.txt
    touch tests/openapi/.venv/installed
}

if [ -z "$packages" ]; then
    install_schemathesis
    exit 0
fi

if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then as_root=; elif sudo -n true 2>/dev/null; then as_root='sudo'; else as_root=no; fi
    if [ "$as_root" != no ]; then
        echo "== installing$packages"
        # RUNLEVEL=1 prevents the packages from starting their services. The tests start their own, on free ports.
        $as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get update -qq
        # shellcheck disable=SC2086
        $as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $packages >/dev/null
        install_schemathesis
        exit 0
    fi
fi
echo "The tests need these packages, which cannot be installed without root:$packages" >&2
echo "Install them, as in: sudo apt-get install$packages" >&2
exit 1
