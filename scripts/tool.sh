# Sourced by scripts. `tool NAME VERSION` prints the path of a cargo tool, and builds the tool into target/tools if it
# is missing. The dev profile takes half the time of a release build, and the tools run only for a second.
tool() {
    root=target/tools/$1-$2
    if [ ! -x "$root/bin/$1" ]; then
        echo "== $1 $2 (built once, takes some minutes)" >&2
        cargo install "$1" --version "$2" --locked --debug --quiet --root "$root" >&2
    fi
    echo "$root/bin/$1"
}
