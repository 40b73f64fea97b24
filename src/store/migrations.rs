//! Database migrations, with the same numbers on both databases, and the check of which program versions can use the
//! tables.
//!
//! During a rolling upgrade, two versions use the same database. A migration therefore adds only what earlier versions
//! can ignore. A migration in the next version removes what is no longer used, and raises `compatibility.oldest`.

use sqlx::{
    SqlSafeStr,
    migrate::{Migrate, MigrateError, Migration, MigrationType, Migrator},
};

use super::connection::{DatabaseConnection, SqlRow};

/// Number, name and statements of a migration.
type MigrationSource = (i64, &'static str, &'static str);

macro_rules! migrations {
    ($engine:literal: $($version:literal $name:literal),+) => {
        [$(($version, $name, include_str!(concat!("../../migrations/", $engine, "/", $name, ".sql")))),+]
    };
}

pub(super) const SQLITE: [MigrationSource; 31] = migrations!("sqlite": 1 "0001_sessions", 2 "0002_identities", 3 "0003_nodes", 4 "0004_revocations", 5 "0005_bus", 6 "0006_files", 7 "0007_takeover_after", 8 "0008_knowledge", 9 "0009_terms", 10 "0010_taken_uploads", 11 "0011_written", 12 "0012_audit", 13 "0013_devices", 14 "0014_redactions", 15 "0015_base_readers", 16 "0016_quotas", 17 "0017_erasing", 18 "0018_base_teams", 19 "0019_quota_reservations", 20 "0020_retention_order", 21 "0021_erased_frames", 22 "0022_teams", 23 "0023_executions", 24 "0024_team_bytes", 25 "0025_external_accounts", 26 "0026_model_use", 27 "0027_token_scopes", 28 "0028_model_accounts", 29 "0029_sign_ins", 30 "0030_execution_usage", 31 "0031_reservation_attempts");
pub(super) const POSTGRES: [MigrationSource; 31] = migrations!("postgres": 1 "0001_sessions", 2 "0002_identities", 3 "0003_nodes", 4 "0004_revocations", 5 "0005_bus", 6 "0006_files", 7 "0007_takeover_after", 8 "0008_knowledge", 9 "0009_terms", 10 "0010_taken_uploads", 11 "0011_written", 12 "0012_audit", 13 "0013_devices", 14 "0014_redactions", 15 "0015_base_readers", 16 "0016_quotas", 17 "0017_erasing", 18 "0018_base_teams", 19 "0019_quota_reservations", 20 "0020_retention_order", 21 "0021_erased_frames", 22 "0022_teams", 23 "0023_executions", 24 "0024_team_bytes", 25 "0025_external_accounts", 26 "0026_model_use", 27 "0027_token_scopes", 28 "0028_model_accounts", 29 "0029_sign_ins", 30 "0030_execution_usage", 31 "0031_reservation_attempts");

/// Migrates the tables. Leaves the tables of a newer version unchanged if that version declares that this one can use
/// them, so that an old node can restart in the middle of an upgrade.
pub(super) async fn apply<C: Migrate + DatabaseConnection>(
    migrations: &[MigrationSource],
    connection: &mut C,
) -> Result<(), MigrateError> {
    let newest = migrations.iter().map(|(version, ..)| *version).max().unwrap_or_default();
    let compatibility = connection.rows("select oldest from compatibility".into(), vec![]).await;
    // If `compatibility` cannot be read, the database is new or older than that table, and must not contain unknown
    // migrations.
    let compatibility = compatibility.ok().and_then(|rows| i64::try_from(rows.first()?.int(0).ok()?).ok());
    if let Some(oldest) = compatibility.filter(|oldest| *oldest > newest) {
        return Err(MigrateError::VersionMissing(oldest));
    }
    let mut migrator = migrator(migrations);
    migrator.set_ignore_missing(compatibility.is_some());
    migrator.run_direct(None, connection, false).await
}

fn migrator(migrations: &[MigrationSource]) -> Migrator {
    let migration = |&(version, name, sql): &MigrationSource| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    Migrator::with_migrations(migrations.iter().map(migration).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_databases_have_every_migration_under_the_same_number() {
        for (engine, compiled) in [("sqlite", SQLITE), ("postgres", POSTGRES)] {
            let folder = format!("{}/migrations/{engine}", env!("CARGO_MANIFEST_DIR"));
            let mut files: Vec<_> = std::fs::read_dir(folder)
                .expect("reads the folder")
                .map(|entry| entry.expect("reads").file_name().into_string().expect("UTF-8"))
                .collect();
            files.sort();
            assert_eq!(files, compiled.map(|(_, name, _)| format!("{name}.sql")), "{engine}");
            for (version, name, _) in compiled {
                assert_eq!(name.split('_').next().and_then(|digits| digits.parse().ok()), Some(version), "{name}");
            }
        }
    }

    #[test]
    fn a_migration_that_takes_away_says_whom_it_leaves_behind() {
        for (version, name, sql) in SQLITE.into_iter().chain(POSTGRES) {
            let sql = sql.to_lowercase();
            let takes = ["drop table", "drop column", "rename", "set not null"].iter().any(|text| sql.contains(text));
            let says = sql.contains("update compatibility set oldest") || version < 4;
            assert!(!takes || says, "{name} breaks earlier programs and must raise compatibility.oldest");
        }
    }
}
