//! `roundtable config`.

use crate::config::Loaded;

pub(super) fn print(loaded: &Loaded) -> anyhow::Result<()> {
    super::say(&loaded.show())
}
