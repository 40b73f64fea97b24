#!/bin/sh
# Tests the tests: plants each bug from tests/mutations in a copy of the sources. Every test that the patch names must
# fail there. Without arguments, all bugs are tried in rounds. Bugs named as arguments are tried one at a time or, with
# --together, in one round. The copy and its build stay in target/mutations; no other files change.
#
# A test has caught a bug if the copy with the bug compiles, and the test runs alone and fails with a panic in tests/ or
# in a unit test file. If the patch has a line `Says: …`, the panic message must contain this text. The result is
# inconclusive if a test hangs, or if only the server panics.
#
# All bugs of a round are in one copy, which is built once; one build for each bug would take three hours. The bugs of a
# round are in different files, and no two of them name tests of one module, so that a test rarely catches a bug other
# than its own. A bug that was not caught in its round is tried alone.
#
# With --together, two bugs of the round can name the same test. Such a test is skipped, because its failure does not
# show which of the bugs it caught.
set -eu
cd "$(dirname "$0")/.."
patches=tests/mutations
work=$PWD/target/mutations
# Maximum number of bugs in a round. With more, the verdict on one of them would depend too much on the others.
MAX_ROUND=11
mode=alone
if [ "${1:-}" = --together ]; then
    mode=together
    shift
fi
[ $# -gt 0 ] || { mode=rounds; set -- $(ls $patches | sed -n 's/\.patch$//p'); }

rm -rf "$work/tree"
mkdir -p "$work/tree"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xmf - -C "$work/tree"

# Hard-link the compiled dependencies of the tests, because compiling them again would take minutes. The crates of this
# workspace are built from the copy.
if [ ! -d "$work/build" ] && [ -d target/debug/deps ]; then
    mkdir -p "$work/build/debug"
    cp -al target/debug/deps target/debug/build "$work/build/debug/"
    # Copied, not linked, because cargo rewrites these files in place.
    cp -a target/debug/.fingerprint "$work/build/debug/"
    for own in roundtable roundtable_kernel it chaos loadtest servers; do
        # Use find, because there are too many files for the arguments of one command.
        find "$work/build/debug/deps" "$work/build/debug/.fingerprint" -maxdepth 1 \
            \( -name "$own-*" -o -name "lib$own-*" \) -exec rm -rf {} +
    done
fi

cd "$work/tree"
# The copy is inside a repository, but is not one itself.
export GIT_CEILING_DIRECTORIES="$work" CARGO_TARGET_DIR="$work/build" CARGO_PROFILE_DEV_DEBUG=none RUST_BACKTRACE=0
# In CI, clippy checks all compiled code. The planted bugs are exempt.
unset RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
# The copy is built once for each round, with changes in only a few files.
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

# Prints the messages and locations of the panics in tests/ or in a unit test file.
words() { grep -A 3 'panicked at \(tests/\|src/[a-z_/]*_tests\.rs\)' "$work/log" || true; }

# Prints the verdict on one test with one bug: caught, SURVIVED, HANGS or UNCLEAR.
judge() {
    # Some bugs show up in only one plan out of forty. The simulation ends at the first failed plan, so this takes
    # little time.
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
    grep -q "^running $# test" "$work/log" || give_up 'a patch names a test that does not exist'
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
remove() { git apply -R "$patches/$1.patch"; }

# Prints one line per round, with the names of its bugs.
rounds() {
    case $mode in
    alone) printf '%s\n' "$@" ;;
    together) echo "$@" ;;
    rounds)
        for name; do
            echo "$name" $(sed -n 's|^+++ b/||p' "$patches/$name.patch") \
                $(named "$name" | tr ' ' '\n' | sed 's/::[^:]*$//' | sort -u)
        done | awk -v max="$MAX_ROUND" '{
            for (round = 1; ; round++) {
                fits = count[round] < max
                for (i = 2; i <= NF; i++) if ((round, $i) in used) fits = 0
                if (fits) break
            }
            for (i = 2; i <= NF; i++) used[round, $i] = 1
            count[round]++
            names[round] = names[round] " " $1
            if (round > last) last = round
        } END { for (round = 1; round <= last; round++) print names[round] }'
        ;;
    esac
}

# Prints the verdict on each of these tests for a planted bug. Fails if one of them did not catch the bug.
judge_tests() {
    name=$1 noticed=0
    shift
    for test; do
        verdict=$(judge "$name" "$test")
        [ "$verdict" = caught ] || noticed=1
        printf '%-9s %-34s %s\n' "$verdict" "$name" "$test"
        case $verdict in
        caught) words | sed -n '2s/^/          /p' | cut -c 1-160 ;;
        UNCLEAR | HANGS) tail -n 30 "$work/log" ;;
        esac
    done
    return $noticed
}

# Tries these bugs in one copy. Writes the names of those that were not caught to a file.
try_round() {
    for name; do plant "$name"; done
    if build "$@"; then
        shared=$(for name; do named "$name"; done | tr ' ' '\n' | sort | uniq -d)
        for name; do
            own=$(named "$name" | tr ' ' '\n' | grep -vxF "${shared:-none}") || give_up "$name names no test of its own"
            judge_tests "$name" $own || echo "$name" >>"$work/unnoticed"
        done
    elif [ $# -gt 1 ]; then
        echo 'does not build with all bugs of the round'
        printf '%s\n' "$@" >>"$work/unnoticed"
    else
        give_up "$1 does not build"
    fi
    for name in $(printf '%s\n' "$@" | tac); do remove "$name"; done
}

: >"$work/unnoticed"
rounds "$@" >"$work/rounds"
# The lists are read from descriptor 3, so that cargo does not read the names from its standard input.
while read -r round <&3; do
    [ "$mode" != rounds ] || echo "== round of$(echo " $round")"
    try_round $round
done 3<"$work/rounds"

if [ "$mode" = rounds ] && [ -s "$work/unnoticed" ]; then
    mv "$work/unnoticed" "$work/alone"
    : >"$work/unnoticed"
    echo '== alone, because not caught in a round'
    while read -r name <&3; do try_round "$name"; done 3<"$work/alone"
fi
wrong=$(wc -l <"$work/unnoticed")
[ "$wrong" = 0 ] || { echo "$wrong bugs were not caught, or not with a panic of their own tests" >&2; exit 1; }
