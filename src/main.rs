//! The program `roundtable`; see `roundtable --help`.

fn main() -> std::process::ExitCode {
    roundtable::cli::main()
}
