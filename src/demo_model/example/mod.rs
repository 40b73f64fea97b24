//! A small code base with a bug, for the demo of an investigation.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Name of the code base in settings.
pub(crate) const NAME: &str = "example-shop";

/// Teams whose sessions can read the code base. It would only distract other teams.
pub(crate) const TEAMS: [&str; 2] = ["investigator-en", "investigator-zh"];

const FILES: [(&str, &str); 4] = [
    ("README.md", include_str!("README.md")),
    ("shop/codes.py", include_str!("shop/codes.py")),
    ("shop/sign_in.py", include_str!("shop/sign_in.py")),
    ("tests/test_codes.py", include_str!("tests/test_codes.py")),
];

/// Writes the code base to the data folder, and returns the code base's folder.
pub(crate) fn unpack(data: &Path) -> io::Result<PathBuf> {
    let folder = data.join(NAME);
    for (name, content) in FILES {
        let file = folder.join(name);
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, content)?;
    }
    Ok(folder)
}
