//! A real Redis: one that all tests in a binary share, each with its own prefix, and separate servers that a test may
//! kill and freeze. They listen on a Unix socket, keep no data, and end with this process.

use std::{collections::HashMap, path::PathBuf, process::Command, sync::OnceLock};

use crate::Guard;

const GUARD: &str = r#"
folder=$1; shift
server=
while read -r word; do
    case $word in
    start) redis-server --port 0 --unixsocket "$folder/socket" --save '' --appendonly no --dir "$folder" "$@" & server=$! ;;
    kill) kill -KILL $server; wait $server 2>/dev/null; echo killed ;;
    freeze) kill -STOP $server; echo frozen ;;
    thaw) kill -CONT $server; echo thawed ;;
    esac
done
[ -z "$server" ] || kill -KILL $server
rm -rf "$folder"
"#;

/// A Redis server.
pub struct Server {
    folder: PathBuf,
    guard: Guard,
}

static SHARED: OnceLock<std::sync::Mutex<Server>> = OnceLock::new();

/// Returns the URL of the server that all tests share. Do nothing to it that another test could notice.
pub fn shared() -> String {
    SHARED.get_or_init(|| Server::start(&[]).into()).lock().expect("is whole").url()
}

impl Server {
    /// Starts a server and waits until it is ready.
    pub fn start(arguments: &[&str]) -> Self {
        let mut server = Self::stopped(arguments);
        server.launch();
        server
    }

    /// Returns a server that has not been started yet.
    pub fn stopped(arguments: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("rt-redis-").tempdir().expect("makes a folder").keep();
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "guard"]).arg(&folder).args(arguments);
        Self { guard: Guard::start(command), folder }
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> String {
        format!("unix://{}/socket", self.folder.display())
    }

    /// Starts the server, for the first time or again.
    pub fn launch(&mut self) {
        self.execute("start", "eady to accept connections at");
    }

    /// Waits until this text appears in the log, after the text of the previous wait.
    pub fn wait_for_log(&mut self, text: &str) {
        self.guard.wait_for(text).unwrap_or_else(|output| panic!("Redis does not print {text:?}:\n{output}"));
    }

    /// Kills the server without warning.
    pub fn kill(&mut self) {
        self.execute("kill", "killed");
    }

    /// Freezes the server: connections stay open, but requests get no response.
    pub fn freeze(&mut self) {
        self.execute("freeze", "frozen");
    }

    /// Resumes the frozen server.
    pub fn thaw(&mut self) {
        self.execute("thaw", "thawed");
    }

    fn execute(&mut self, command: &str, confirmation: &str) {
        if let Err(output) = self.guard.execute(command, confirmation) {
            panic!("Redis does not {command}; is redis-server installed (`make test-setup`)?\n{output}");
        }
    }
}

/// Returns a direct connection, which bypasses the bus.
pub fn raw(url: &str) -> redis::Connection {
    redis::Client::open(url).and_then(|client| client.get_connection()).expect("connects")
}

/// Returns the number of subscribers to regular and sharded channels with this name after the prefix.
pub fn listeners(raw: &mut redis::Connection, name: &str) -> usize {
    let mut count = |channels: &str, numbers: &str| {
        let names: Vec<String> = redis::cmd("PUBSUB").arg(channels).arg(format!("*:{name}")).query(raw)?;
        let counted: HashMap<String, usize> = redis::cmd("PUBSUB").arg(numbers).arg(names).query(raw)?;
        redis::RedisResult::Ok(counted.into_values().sum::<usize>())
    };
    let regular = count("CHANNELS", "NUMSUB").expect("counts the subscribers");
    regular + count("SHARDCHANNELS", "SHARDNUMSUB").expect("counts the subscribers")
}
