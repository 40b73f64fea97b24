#!/bin/sh
# Tests the tests: plants each bug of tests/mutations in a copy of the sources, where every test that it names must fail.
# Names given as arguments are tried alone. The copy and its build stay in target/mutations; nothing else is touched.
set -eu
cd "$(dirname "$0")/.."
patches=tests/mutations
work=$PWD/target/mutations
[ $# -gt 0 ] || set -- $(ls $patches | sed -n 's/\.patch$//p')

rm -rf "$work/tree"
mkdir -p "$work/tree"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xmf - -C "$work/tree"
cd "$work/tree"
# The copy lies inside of a repository, and is none.
export GIT_CEILING_DIRECTORIES="$work" CARGO_TARGET_DIR="$work/build" CARGO_PROFILE_DEV_DEBUG=none

named() { sed -n 's/^Fails: //p' "$patches/$1.patch"; }
build() { cargo test --locked --quiet --test it --no-run >"$work/log" 2>&1; }
run() { timeout 120 cargo test --locked --quiet --test it -- --exact "$@" >"$work/log" 2>&1; }
give_up() {
    cat "$work/log"
    echo "mutations: $1" >&2
    exit 2
}

echo '== without any bug'
: >"$work/log"
build || give_up 'the sources do not build'
tests=$(for name; do named "$name"; done | tr ' ' '\n' | sort -u)
run $tests || give_up 'a test fails without any bug'
grep -q "^running $(echo "$tests" | wc -l) test" "$work/log" || give_up 'a patch names a test that is not there'

survived=0
for name; do
    git apply "$patches/$name.patch" >"$work/log" 2>&1 || give_up "$name does not apply to the sources any more"
    build || give_up "$name does not build"
    for test in $(named "$name"); do
        if run "$test"; then
            verdict=SURVIVED survived=$((survived + 1))
        else
            verdict=caught
        fi
        printf '%-9s %-34s %s\n' "$verdict" "$name" "$test"
    done
    git apply -R "$patches/$name.patch"
done
[ $survived = 0 ] || { echo "$survived tests did not notice" >&2; exit 1; }
