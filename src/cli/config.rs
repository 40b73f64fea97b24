//! `roundtable config`: prints the settings in force.

use crate::config::Loaded;

pub(super) fn print(loaded: &Loaded) -> anyhow::Result<()> {
    super::say(&loaded.show())
}
