//! Small code base with a bug, for the demo of an investigation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::tool::code::CodeBaseSettings;

/// Name of the code base in settings.
const NAME: &str = "example-shop";

/// Teams whose sessions can read the code base. It would only distract others.
const TEAMS: [&str; 2] = ["investigator-en", "investigator-zh"];

const FILES: [(&str, &str); 4] = [
    ("README.md", include_str!("example/README.md")),
    ("shop/codes.py", include_str!("example/shop/codes.py")),
    ("shop/sign_in.py", include_str!("example/shop/sign_in.py")),
    ("tests/test_codes.py", include_str!("example/tests/test_codes.py")),
];

/// Adds the code base to a server without code bases, and writes it to the data folder.
pub(crate) fn add_to(bases: &mut BTreeMap<String, CodeBaseSettings>, data: &Path) {
    if !bases.is_empty() {
        return;
    }
    match unpack(data) {
        Ok(folder) => {
            let mut base = CodeBaseSettings::from(folder);
            base.readers.teams = TEAMS.map(Into::into).into();
            bases.insert(NAME.into(), base);
        }
        // The demo works without it.
        Err(error) => tracing::warn!(%error, folder = %data.display(), "example code base not written"),
    }
}

fn unpack(data: &Path) -> io::Result<PathBuf> {
    let folder = data.join(NAME);
    for (name, content) in FILES {
        let file = folder.join(name);
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, content)?;
    }
    Ok(folder)
}
