//! An empty database of either sort, for one test.

use roundtable::store::{self, Engines, StoreSettings};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tempfile::TempDir;

use crate::postgres;

/// An empty database; it is gone after the test.
pub struct Fresh {
    /// What `store::open` takes.
    pub url: String,
    _folder: Option<TempDir>,
}

impl Fresh {
    /// A file.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("makes a folder");
        let url = format!("sqlite://{}/data/roundtable.db", folder.path().display());
        Self { url, _folder: Some(folder) }
    }

    /// A database in the cluster that all tests share.
    pub async fn postgres() -> Self {
        Self { url: postgres::fresh_database().await, _folder: None }
    }

    /// One more handle on it, as another process would have it.
    pub async fn open(&self) -> Engines {
        store::open(&self.url, &StoreSettings::default()).await.expect("opens")
    }

    /// Whether it is a SQLite file.
    pub fn is_sqlite(&self) -> bool {
        self.url.starts_with("sqlite:")
    }

    /// Do something to the database behind the store's back.
    pub async fn tamper(&self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        if self.is_sqlite() {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            connection.execute(sqlx::raw_sql(sql)).await.expect("is SQL");
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            connection.execute(sqlx::raw_sql(sql)).await.expect("is SQL");
        }
    }

    /// From now on the database itself refuses events that say this.
    pub async fn refuse_frames_with(&self, text: &str) {
        self.tamper(&if self.is_sqlite() {
            format!(
                "create trigger refusal before insert on events when new.frame like '%\"{text}\"%' \
                 begin select raise(abort, 'refused'); end"
            )
        } else {
            format!("alter table events add constraint refusal check (frame not like '%\"{text}\"%')")
        })
        .await;
    }
}

/// One test of each law on each engine.
macro_rules! laws {
    ($($law:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(crate::fresh::Fresh::sqlite().await).await;
            })+
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(crate::fresh::Fresh::postgres().await).await;
            })+
        }
    };
}
pub(crate) use laws;
