//! Computes a digest of the kernel's sources. It lets a node recognize snapshots that another version of the kernel
//! made.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=.");
    let mut hasher = DefaultHasher::new();
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    for source in sources(Path::new("."))?.into_iter().filter(is_source) {
        (source.to_str(), fs::read(&source)?).hash(&mut hasher);
    }
    println!("cargo:rustc-env=KERNEL_DIGEST={:016x}", hasher.finish());
    Ok(())
}

/// Returns all files below a folder, in an order that does not depend on the file system.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    let nested = entries.into_iter().map(|path| if path.is_dir() { sources(&path) } else { Ok(vec![path]) });
    Ok(nested.collect::<io::Result<Vec<_>>>()?.concat())
}
