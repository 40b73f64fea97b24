//! A real PostgreSQL: one cluster that all tests in a binary share, started on first use, with one database per test;
//! and separate clusters that a test may break.

use std::{
    env,
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::Command,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::Guard;

const GUARD: &str = r#"
give_up() { cat "$1/log"; rm -rf "$1"; exit 1; }
"$2/initdb" -D "$1/data" -U roundtable --auth=trust --no-sync -E UTF8 --locale=C >"$1/log" 2>&1 || give_up "$1"
start() {
    "$2/pg_ctl" -D "$1/data" -w -t 60 -l "$1/log" \
        -o "-k $1 -h '' -c fsync=$3 -c max_connections=300" start >/dev/null 2>&1
}
# Signals the first process, then its children: once the first one is stopped, it starts no more of them.
signal() {
    first=$(head -n 1 "$2/data/postmaster.pid") && kill -"$1" "$first" || return
    kill -"$1" $(grep -l "^PPid:.$first\$" /proc/[0-9]*/status 2>/dev/null | cut -d / -f 3) 2>/dev/null
}
start "$@" || give_up "$1"
echo ready
while read -r word; do
    # A frozen process cannot end, so it is resumed first.
    case $word in restart | stop) signal CONT "$1" ;; esac
    case $word in
    restart) "$2/pg_ctl" -D "$1/data" -m immediate -w -t 60 -l "$1/log" restart >/dev/null 2>&1 && echo restarted ;;
    stop) "$2/pg_ctl" -D "$1/data" -m immediate -w -t 60 stop >/dev/null 2>&1 && echo stopped ;;
    start) start "$@" && echo started ;;
    freeze) signal STOP "$1"; echo frozen ;;
    thaw) signal CONT "$1"; echo thawed ;;
    esac
done
signal CONT "$1"
"$2/pg_ctl" -D "$1/data" -m immediate -w stop >/dev/null 2>&1
rm -rf "$1"
"#;

/// A PostgreSQL server.
pub struct Cluster {
    folder: PathBuf,
    guard: Guard,
    databases: AtomicU32,
}

static SHARED: OnceLock<Cluster> = OnceLock::new();

/// Creates a database in the shared cluster, and returns its URL.
pub async fn fresh_database() -> String {
    SHARED.get_or_init(Cluster::start).fresh_database().await
}

impl Cluster {
    /// Starts a server that does not wait for its disk.
    pub fn start() -> Self {
        Self::with("off")
    }

    /// Starts a server that waits for its disk, as in production.
    pub fn durable() -> Self {
        Self::with("on")
    }

    fn with(fsync: &str) -> Self {
        let programs = programs().expect("PostgreSQL is not installed; run `make test-setup`, which installs it");
        let folder = tempfile::Builder::new().prefix("rt-pg-").tempdir().expect("makes a folder").keep();
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "guard"]).arg(&folder).arg(&programs).arg(fsync).current_dir("/");
        if std::fs::metadata("/proc/self").expect("reads /proc").uid() == 0 {
            // PostgreSQL refuses to run as root.
            let (user, group) = user("postgres").or_else(|| user("nobody")).expect("there is a user other than root");
            chown(&folder, Some(user), Some(group)).expect("gives the folder away");
            command.uid(user).gid(group);
        }
        let mut guard = Guard::start(command);
        guard.wait_for("ready").unwrap_or_else(|output| panic!("PostgreSQL does not start:\n{output}"));
        Self { folder, guard, databases: AtomicU32::new(0) }
    }

    /// Creates a database, and returns its URL.
    pub async fn fresh_database(&self) -> String {
        let name = format!("fresh_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut connection = PgConnection::connect(&self.url("postgres")).await.expect("connects to the cluster");
        connection.execute(AssertSqlSafe(format!("create database {name}"))).await.expect("makes a database");
        self.url(&name)
    }

    /// Returns the URL of a database.
    pub fn url(&self, name: &str) -> String {
        format!("postgres://roundtable@localhost/{name}?host={}", self.folder.display())
    }

    /// Returns the path of the socket that the server listens on.
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    /// Stops the server as a power failure would, and starts it again.
    pub fn restart(&mut self) {
        self.guard
            .execute("restart", "restarted")
            .unwrap_or_else(|output| panic!("PostgreSQL does not restart:\n{output}"));
    }

    /// Stops the server as a power failure would.
    pub fn stop(&mut self) {
        self.guard.execute("stop", "stopped").unwrap_or_else(|output| panic!("PostgreSQL does not stop:\n{output}"));
    }

    /// Starts the server again.
    pub fn launch(&mut self) {
        self.guard.execute("start", "started").unwrap_or_else(|output| panic!("PostgreSQL does not start:\n{output}"));
    }

    /// Freezes the server with all its processes: connections stay open, but requests get no response.
    pub fn freeze(&mut self) {
        self.guard.execute("freeze", "frozen").unwrap_or_else(|output| panic!("PostgreSQL does not freeze:\n{output}"));
    }

    /// Resumes the frozen server.
    pub fn thaw(&mut self) {
        self.guard.execute("thaw", "thawed").unwrap_or_else(|output| panic!("PostgreSQL does not thaw:\n{output}"));
    }
}

/// Returns the folder of the server's programs.
fn programs() -> Option<PathBuf> {
    folders().into_iter().find(|folder| has(folder, "initdb") && has(folder, "pg_ctl"))
}

/// Returns the path of one of the server's programs.
pub fn program(name: &str) -> PathBuf {
    let folder = folders().into_iter().find(|folder| has(folder, name)).expect("is installed");
    folder.join(name)
}

/// Returns possible folders of the server's programs: those on the path, then Debian's folders, the newest version
/// first.
fn folders() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    env::split_paths(&path).chain(debian).collect()
}

fn has(folder: &Path, program: &str) -> bool {
    folder.join(program).is_file()
}

fn user(name: &str) -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.first() == Some(&name)).then(|| Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?)))?
    })
}
