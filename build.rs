//! What a build takes in besides its code: the browser client's build output and a digest of the kernel.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
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
    println!("cargo:rerun-if-changed=src/kernel");
    let mut hasher = DefaultHasher::new();
    for source in sources(Path::new("src/kernel"))? {
        (source.to_str(), fs::read(&source)?).hash(&mut hasher);
    }
    println!("cargo:rustc-env=KERNEL_DIGEST={:016x}", hasher.finish());
    Ok(())
}

/// All files below a folder, in an order that does not depend on the file system.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    let nested = entries.into_iter().map(|path| if path.is_dir() { sources(&path) } else { Ok(vec![path]) });
    Ok(nested.collect::<io::Result<Vec<_>>>()?.concat())
}
