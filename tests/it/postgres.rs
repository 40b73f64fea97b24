//! A real PostgreSQL for this test binary: one cluster, started when the first test asks for it, one database a test.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// Makes the cluster, says when it answers, and takes it down when its standard input ends: that happens also when
/// the test process is killed, which no destructor would survive.
const GUARD: &str = r#"
give_up() { cat "$1/log"; rm -rf "$1"; exit 1; }
"$2/initdb" -D "$1/data" -U roundtable --auth=trust --no-sync -E UTF8 --locale=C >"$1/log" 2>&1 || give_up "$1"
"$2/pg_ctl" -D "$1/data" -w -t 60 -l "$1/log" \
    -o "-k $1 -h '' -c fsync=off -c max_connections=300" start >/dev/null 2>&1 || give_up "$1"
echo ready
cat >/dev/null
"$2/pg_ctl" -D "$1/data" -m immediate -w stop >/dev/null 2>&1
rm -rf "$1"
"#;

/// Holds the guard's standard input open for as long as this process lives.
struct Cluster {
    folder: PathBuf,
    _guard: Child,
}

static CLUSTER: OnceLock<Cluster> = OnceLock::new();
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// The URL of a database that nobody else has.
pub async fn fresh_database() -> String {
    let cluster = CLUSTER.get_or_init(start);
    let name = format!("fresh_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let url = |name: &str| format!("postgres://roundtable@localhost/{name}?host={}", cluster.folder.display());
    let mut connection = PgConnection::connect(&url("postgres")).await.expect("connects to the cluster");
    connection.execute(AssertSqlSafe(format!("create database {name}"))).await.expect("makes a database");
    url(&name)
}

fn start() -> Cluster {
    let programs = programs().expect("PostgreSQL is not installed; run `make test-setup`, which installs it");
    let folder = tempfile::Builder::new().prefix("rt-pg-").tempdir().expect("makes a folder").keep();
    let mut command = Command::new("sh");
    command.args(["-c", GUARD, "guard"]).arg(&folder).arg(&programs).current_dir("/");
    if std::fs::metadata("/proc/self").expect("reads /proc").uid() == 0 {
        // It refuses to run as root.
        let (user, group) = user("postgres").or_else(|| user("nobody")).expect("there is a user other than root");
        chown(&folder, Some(user), Some(group)).expect("gives the folder away");
        command.uid(user).gid(group);
    }
    // A group of its own: an interrupt from the keyboard must leave it the time to clean up.
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut guard = command.spawn().expect("starts sh");
    let mut output = BufReader::new(guard.stdout.take().expect("is piped"));
    let mut first = String::new();
    output.read_line(&mut first).expect("reads");
    if first != "ready\n" {
        output.read_to_string(&mut first).expect("reads");
        panic!("PostgreSQL does not start:\n{first}");
    }
    Cluster { folder, _guard: guard }
}

/// Where its programs are: on the path, or where Debian keeps them, the newest version.
fn programs() -> Option<PathBuf> {
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
    env::split_paths(&path).chain(debian).find(|folder| has(folder, "initdb") && has(folder, "pg_ctl"))
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
