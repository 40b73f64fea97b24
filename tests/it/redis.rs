//! A real Redis: one that all tests of this binary share, each under a prefix of its own, and servers of a test's own
//! that may be killed and frozen. They listen on a Unix socket, keep nothing, and end with this process.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        OnceLock,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

/// Does what its standard input says, and takes the server down when that ends: also when the test process is killed.
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
    guard: Child,
    orders: Option<ChildStdin>,
    output: Receiver<String>,
}

static SHARED: OnceLock<std::sync::Mutex<Server>> = OnceLock::new();

/// The URL of the server that all tests share; do nothing to it that another test could notice.
pub fn shared() -> String {
    SHARED.get_or_init(|| Server::start(&[]).into()).lock().expect("is whole").url()
}

impl Server {
    /// A server that answers.
    pub fn start(arguments: &[&str]) -> Self {
        let mut server = Self::not_yet(arguments);
        server.begin();
        server
    }

    /// The place of a server that is not there yet.
    pub fn not_yet(arguments: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("rt-redis-").tempdir().expect("makes a folder").keep();
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "guard"]).arg(&folder).args(arguments);
        // A group of its own: an interrupt from the keyboard must leave it the time to clean up.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut guard = command.spawn().expect("starts sh");
        let (line, output) = channel();
        let stdout = guard.stdout.take().expect("is piped");
        thread::spawn(move || {
            // To the end, whoever listens: a server that cannot write its log stands still.
            BufReader::new(stdout).lines().map_while(Result::ok).for_each(|said| drop(line.send(said)));
        });
        let orders = guard.stdin.take();
        Self { folder, guard, orders, output }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("unix://{}/socket", self.folder.display())
    }

    /// Start it, first or again.
    pub fn begin(&mut self) {
        self.order("start", "eady to accept connections at");
    }

    /// End it without a warning.
    pub fn kill(&mut self) {
        self.order("kill", "killed");
    }

    /// Let it stand still: connections stay, nothing is answered.
    pub fn freeze(&mut self) {
        self.order("freeze", "frozen");
    }

    /// Let it go on.
    pub fn thaw(&mut self) {
        self.order("thaw", "thawed");
    }

    fn order(&mut self, word: &str, done: &str) {
        writeln!(self.orders.as_mut().expect("is open"), "{word}").expect("writes");
        let mut said = vec![];
        while !said.last().is_some_and(|line: &String| line.contains(done)) {
            let line = self.output.recv_timeout(Duration::from_secs(30));
            said.push(line.unwrap_or_else(|_| {
                panic!("Redis does not {word}; is redis-server installed (`make test-setup`)?\n{}", said.join("\n"))
            }));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.guard.wait();
    }
}

/// A connection to look behind the bus with.
pub fn raw(url: &str) -> redis::Connection {
    redis::Client::open(url).and_then(|client| client.get_connection()).expect("connects")
}

/// How many follow a channel.
pub fn listeners(raw: &mut redis::Connection, channel: &str) -> usize {
    let counted: (String, usize) =
        redis::cmd("PUBSUB").arg("NUMSUB").arg(channel).query(raw).expect("tells how many listen");
    counted.1
}
