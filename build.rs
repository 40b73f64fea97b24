//! What a build takes in besides its code: the browser client's build output, and the targets of log lines.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let dist = Path::new("static/dist");
    // Where the folder is missing cargo would find the package changed at every build.
    if let Err(error) = fs::create_dir_all(dist) {
        println!("cargo:warning=cannot make {}: {error}", dist.display());
    }
    println!("cargo:rerun-if-changed=static/dist");
    println!("cargo:rerun-if-changed=build.rs");
    write_log_targets()
}

/// Writes the modules of the program and the crates that it links, for checks of log filters: one name per line. The
/// kernel has a crate of its own, and logs nothing.
fn write_log_targets() -> io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let module = |path: PathBuf| {
        let path = path
            .strip_prefix("src")
            .ok()
            .filter(|path| !path.starts_with("kernel"))?
            .to_str()?
            .strip_suffix(".rs")?
            .replace('/', "::");
        let path = path.strip_suffix("::mod").unwrap_or(&path);
        Some(format!("roundtable::{path}\n"))
    };
    let modules: String = sources(Path::new("src"))?.into_iter().filter_map(module).collect();
    let lock = fs::read_to_string("Cargo.lock")?;
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let crates: String =
        names.filter(|name| *name != "roundtable-kernel").map(|name| name.replace('-', "_") + "\n").collect();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("log_targets.txt"), modules + &crates)
}

/// All files below a folder, in an order that does not depend on the file system.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    let nested = entries.into_iter().map(|path| if path.is_dir() { sources(&path) } else { Ok(vec![path]) });
    Ok(nested.collect::<io::Result<Vec<_>>>()?.concat())
}
