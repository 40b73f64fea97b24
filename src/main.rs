//! The `roundtable` program; see `roundtable --help`.

/// The allocator. Connections come and go on all threads, and the system's allocator spent a sixth of the server's time
/// on them; `docs/performance.md` has the figures.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    roundtable::cli::main()
}
