//! Makes sure that the folder of the browser client's build output is there, and that a new build of it is noticed.

fn main() {
    let dist = std::path::Path::new("static/dist");
    // Where the folder is missing cargo would find the package changed at every build.
    if let Err(error) = std::fs::create_dir_all(dist) {
        println!("cargo:warning=cannot make {}: {error}", dist.display());
    }
    println!("cargo:rerun-if-changed=static/dist");
    println!("cargo:rerun-if-changed=build.rs");
}
