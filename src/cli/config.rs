//! `roundtable config`: prints the settings in force.

use crate::config::LoadedConfig;

pub(super) fn print(loaded: &LoadedConfig) -> anyhow::Result<()> {
    super::print_text(&loaded.show())
}
