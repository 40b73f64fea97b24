#!/bin/sh
# Tests the tests: plants each bug of tests/mutations in a copy of the sources, where every test that it names must fail.
# Names given as arguments are tried alone. The copy and its build stay in target/mutations; nothing else is touched.
#
# A test notices a bug when the copy with the bug compiles, this test alone runs and fails, and the failure is one of its
# own words: a panic at a line of tests/, or of a file of unit tests. Where a patch has a line `Says: …`, these words must
# be in that panic. A test that hangs, or a panic of the server alone, is no verdict.
#
# With --together, all bugs are in one copy, which is built once. Only tests that one of the bugs names are run: a test
# that two of them name could not tell which of them it noticed.
set -eu
cd "$(dirname "$0")/.."
patches=tests/mutations
work=$PWD/target/mutations
together=
if [ "${1:-}" = --together ]; then
    together=yes
    shift
fi
[ $# -gt 0 ] || set -- $(ls $patches | sed -n 's/\.patch$//p')

rm -rf "$work/tree"
mkdir -p "$work/tree"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xmf - -C "$work/tree"

# Dependencies are the same as those of the tests: linked, not compiled again, which would take minutes. Everything of
# this workspace is built from the copy.
if [ ! -d "$work/build" ] && [ -d target/debug/deps ]; then
    mkdir -p "$work/build/debug"
    cp -al target/debug/deps target/debug/build "$work/build/debug/"
    # Copied: cargo rewrites these files in place.
    cp -a target/debug/.fingerprint "$work/build/debug/"
    for own in roundtable roundtable_kernel it chaos loadtest servers; do
        # Too many files for the arguments of one command.
        find "$work/build/debug/deps" "$work/build/debug/.fingerprint" -maxdepth 1 \
            \( -name "$own-*" -o -name "lib$own-*" \) -exec rm -rf {} +
    done
fi

cd "$work/tree"
# The copy lies inside of a repository, and is none.
export GIT_CEILING_DIRECTORIES="$work" CARGO_TARGET_DIR="$work/build" CARGO_PROFILE_DEV_DEBUG=none RUST_BACKTRACE=0
# Bugs need not be well written: where clippy checks all that is compiled, it does not check them.
unset RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
# The copy is built once for each bug, with a change in one file.
export CARGO_INCREMENTAL=1

named() { sed -n 's/^Fails: //p' "$patches/$1.patch"; }
said() { sed -n 's/^Says: //p' "$patches/$1.patch"; }
# A test whose name begins with `roundtable::` or `roundtable_kernel::` is a unit test.
targets() { for name; do named "$name"; done | tr ' ' '\n' | sed 's/^roundtable::.*/--lib/; t; s/^roundtable_kernel::.*/--lib -p roundtable-kernel/; t; s/.*/--test it/' | sort -u; }
build() { cargo test --locked --quiet $(targets "$@") --no-run >"$work/log" 2>&1; }
run() {
    case $1 in
    roundtable_kernel::*)
        timeout 300 cargo test --locked --quiet -p roundtable-kernel --lib -- --exact "${1#roundtable_kernel::}" >"$work/log" 2>&1 ;;
    roundtable::*) timeout 300 cargo test --locked --quiet --lib -- --exact "${1#roundtable::}" >"$work/log" 2>&1 ;;
    *) timeout 300 cargo test --locked --quiet --test it -- --exact "$@" >"$work/log" 2>&1 ;;
    esac
}
give_up() {
    cat "$work/log"
    echo "mutations: $1" >&2
    exit 2
}

# The words of the panics at lines of tests/ or of a file of unit tests, each with the line that it is at.
words() { grep -A 3 'panicked at \(tests/\|src/[a-z_/]*_tests\.rs\)' "$work/log" || true; }

# What became of one test with one bug: caught, survived, or why it tells nothing.
judge() {
    # Some bugs show in one plan of forty. The simulation ends at the first plan that shows one, so this costs little.
    SIM_SEEDS=400 run "$2" && { echo SURVIVED; return; }
    [ $? != 124 ] || { echo HANGS; return; }
    grep -q '^test result: FAILED\. 0 passed; 1 failed;' "$work/log" || { echo UNCLEAR; return; }
    [ -n "$(words)" ] || { echo UNCLEAR; return; }
    said "$1" | while read -r phrase; do
        words | grep -qF "$phrase" || { echo UNCLEAR; break; }
    done | grep . || echo caught
}

ran() {
    run "$@" || give_up 'a test fails without any bug'
    grep -q "^running $# test" "$work/log" || give_up 'a patch names a test that is not there'
}
check_tests() {
    echo '== without any bug'
    build "$@" || give_up 'the sources do not build'
    tests=$(for name; do named "$name"; done | tr ' ' '\n' | sort -u)
    whole=$(echo "$tests" | grep -v '^roundtable\(_kernel\)\?::') && ran $whole
    for unit in $(echo "$tests" | grep '^roundtable\(_kernel\)\?::'); do ran "$unit"; done
}
: >"$work/log"
check_tests "$@"

plant() { git apply "$patches/$1.patch" >"$work/log" 2>&1 || give_up "$1 does not apply to the sources any more"; }
if [ "$together" ]; then
    for name; do plant "$name"; done
    build "$@" || give_up 'the sources do not build with all bugs'
    shared=$(for name; do named "$name"; done | tr ' ' '\n' | sort | uniq -d)
fi

wrong=0
for name; do
    tests=$(named "$name")
    if [ "$together" ]; then
        tests=$(echo "$tests" | tr ' ' '\n' | grep -vxF "${shared:-none}") || give_up "$name names no test of its own"
    else
        plant "$name"
        build "$name" || give_up "$name does not build"
    fi
    for test in $tests; do
        verdict=$(judge "$name" "$test")
        [ "$verdict" = caught ] || wrong=$((wrong + 1))
        printf '%-9s %-34s %s\n' "$verdict" "$name" "$test"
        case $verdict in
        caught) words | sed -n '2s/^/          /p' | cut -c 1-160 ;;
        UNCLEAR | HANGS) tail -n 30 "$work/log" ;;
        esac
    done
    [ "$together" ] || git apply -R "$patches/$name.patch"
done
[ $wrong = 0 ] || { echo "$wrong tests did not notice, or not in their own words" >&2; exit 1; }
