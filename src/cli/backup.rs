//! `roundtable backup`: a copy of the database, beside a running server.

use std::path::Path;

use crate::config::Config;
use crate::store;

pub(super) async fn backup(config: Config, to: &Path) -> anyhow::Result<()> {
    store::backup(&config.database(), &config.store, to).await?;
    super::say(&format!("{}\n", to.display()))
}
