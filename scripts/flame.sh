#!/bin/sh
# Draws a flame graph of the server's CPU time in a load scenario. Usage: sh scripts/flame.sh SCENARIO [OPTION…]
#
# Requires perf (Debian: linux-perf) and permission to sample processes (root, or kernel.perf_event_paranoid below 2).
# Writes the graphs to target/flame. They show complete stacks, because this build of the program has frame pointers.
# The tools that draw them (inferno) are installed in the same folder.
set -eu
cd "$(dirname "$0")/.."
command -v perf >/dev/null || { echo 'install perf first, for example the package linux-perf' >&2; exit 1; }
folder=target/flame
mkdir -p "$folder"
RUSTFLAGS='-C force-frame-pointers=yes' cargo build --release --locked --workspace --target-dir "$folder/build"
[ -x "$folder/tools/bin/inferno-flamegraph" ] || cargo install --locked --quiet inferno --root "$folder/tools"
rm -f "$folder"/*.perf
"$folder/build/release/loadtest" --profiles "$folder" "$@"
for file in "$folder"/*.perf; do
    [ -s "$file" ] || { echo 'no profile: the scenario started no server, or perf is not permitted' >&2; exit 1; }
    stacks="${file%.perf}.stacks" drawn="${file%.perf}.svg"
    perf script --input "$file" 2>/dev/null | "$folder/tools/bin/inferno-collapse-perf" >"$stacks" 2>/dev/null
    "$folder/tools/bin/inferno-flamegraph" --title "$*" "$stacks" >"$drawn"
    echo "$drawn"
done
