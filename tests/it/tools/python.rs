//! Programs in the sandbox: everything that they can and cannot do.

use std::{fs, net::TcpListener, path::Path, time::Duration};

use roundtable::quotas::{QuotaSettings, Quotas};
use roundtable::tool::PythonMeter;
use roundtable::tool::{
    SideEffect, ToolSettings,
    python::{ProgramExit, ProgramFile, ProgramResult, PythonSettings, PythonTool},
};
use serde_json::json;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::{ToolSet, call_context};

pub(super) async fn python(change: impl FnOnce(&mut PythonSettings)) -> PythonTool {
    let mut settings = PythonSettings { timeout_seconds: 20, ..PythonSettings::default() };
    change(&mut settings);
    PythonTool::start(&settings).await.expect("works here: `make test-setup` installs what it needs")
}

#[tokio::test]
async fn a_session_without_time_left_runs_no_program() {
    let fresh = crate::fresh_database::FreshDatabase::sqlite().await;
    let engines = fresh.open().await;
    let settings = QuotaSettings { max_session_python_hour_seconds: 1, ..QuotaSettings::default() };
    let quotas = Quotas::new(engines.quotas.clone(), settings);
    let mut tools = ToolSettings::default();
    tools.python.timeout_seconds = 10;
    let tools = ToolSet::of(&tools).await;
    let at = call_context(&[]);
    let at = roundtable::tool::CallContext { python: PythonMeter::new(quotas, at.session, None), ..at };
    let program = json!({ "code": "import time\ntime.sleep(1.2)\nprint('done')" });
    assert!(tools.call(&at, "python", program.clone()).await.expect("has time").contains("done"));
    let refused = tools.call(&at, "python", program).await.expect_err("the hour is used up");
    assert_eq!(refused.code, "quota_exceeded");
    assert!(refused.message.contains("quotas.max_session_python_hour_seconds"), "{}", refused.message);
}

async fn run_program(code: &str) -> ProgramResult {
    python(|_| {}).await.run(code).await.expect("runs")
}

/// Returns the output of a program.
pub(super) async fn output_of(code: &str) -> String {
    let ran = run_program(code).await;
    assert_eq!(ran.end, ProgramExit::Exit(0), "{}", ran.output);
    ran.output
}

/// Returns the number of processes on this machine with this word in their command line.
fn count_processes(word: &str) -> usize {
    let all = fs::read_dir("/proc").expect("is there").filter_map(Result::ok);
    let lines = all.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(word)).count()
}

/// Returns a word that is unique on this machine, and a Python script that starts this many processes with it.
fn marked_process_script(count: usize) -> (String, String) {
    let word = Uuid::now_v7().to_string();
    let start = format!(
        "import subprocess, sys\nfor _ in range({count}):\n    subprocess.Popen([sys.executable, '-c', \
         'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1); time.sleep(1000)', '{word}'], \
         start_new_session=True)\n"
    );
    (word, start)
}

#[tokio::test]
async fn a_program_prints_and_writes_files() {
    let ran = run_program(
        "import os\nprint('结果', 6 * 7)\nopen('a.csv', 'w').write('1,2')\nos.mkdir('d')\n\
                   open('d/b', 'wb').write(b'\\0\\n{')\nos.symlink('/etc/passwd', 'link')\nos.mkfifo('pipe')\n",
    )
    .await;
    assert_eq!((ran.output.as_str(), &ran.end), ("结果 42\n", &ProgramExit::Exit(0)));
    let left: Vec<(&str, &[u8])> = ran.left.iter().map(|file| (file.name.as_str(), file.content.as_slice())).collect();
    assert_eq!(left, [("a.csv", &b"1,2"[..]), ("d/b", b"\0\n{")]);
}

#[tokio::test]
async fn a_program_reads_its_input_files_and_changes_only_copies() {
    let given = [("报告 1.csv", &b"1,2\n"[..]), ("raw", b"\0\n{\xff")];
    let given = given.map(|(name, content)| ProgramFile { name: name.into(), content: content.into() });
    let code = "import os\nprint(sorted(os.listdir('/tmp/files')), open('/tmp/files/报告 1.csv').read().strip())\n\
                print(open('/tmp/files/raw', 'rb').read())\nopen('/tmp/files/new', 'w')";
    let ran = python(|_| {}).await.run_with(code, &given, &|_| {}).await.expect("runs");
    assert!(ran.output.starts_with("['raw', '报告 1.csv'] 1,2\nb'\\x00\\n{\\xff'\n"), "{}", ran.output);
    assert!(ran.output.contains("PermissionError"), "{}", ran.output);
    assert!(ran.left.is_empty());
}

#[tokio::test]
async fn program_output_is_shown_while_it_runs() {
    let shown = parking_lot::Mutex::new(vec![]);
    let show = |output: &[u8]| shown.lock().push(String::from_utf8_lossy(output).into_owned());
    let code = "import time\nprint('one')\ntime.sleep(2)\nprint('two')";
    let ran = python(|_| {}).await.run_with(code, &[], &show).await.expect("runs");
    assert_eq!(ran.output, "one\ntwo\n");
    assert!(shown.lock().iter().any(|shown| shown == "one\n"), "{shown:?}");
}

#[tokio::test]
async fn an_agent_reads_a_description_of_the_outcome() {
    let tools = ToolSet::of(&ToolSettings::default()).await;
    let call = async |code: &str| {
        tools.call(&call_context(&[]), "python", json!({ "code": code })).await.expect("is answered")
    };
    assert_eq!(call("print(1)\nopen('x', 'w').write('12')").await, "1\n[files it left: x (2 bytes)]\n");
    assert_eq!(call("x = 1").await, "[it printed nothing]\n");
    let failed = call("import sys\nprint('before', flush=True)\n1 / 0").await;
    assert!(failed.starts_with("before\nTraceback") && failed.contains("main.py\", line 3"), "{failed}");
    assert!(failed.ends_with("ZeroDivisionError: division by zero\n[ended with exit code 1]\n"), "{failed}");
    let large = tools.call(&call_context(&[]), "python", json!({ "code": "#".repeat(300 * 1024) })).await;
    assert_eq!(large.expect_err("is too large").code, "too_large");
    assert_eq!(tools.named("python").spec().effect, SideEffect::Session);
}

#[tokio::test]
async fn there_is_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let port = listener.local_addr().expect("has one").port();
    let code = format!(
        "import socket\nprint([line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line])\n\
         for host, port in (('127.0.0.1', {port}), ('192.0.2.1', 80), ('8.8.8.8', 53)):\n    \
         try:\n        socket.create_connection((host, port), 2)\n        print('connected')\n    \
         except OSError as error:\n        print('no')\n\
         try:\n    socket.getaddrinfo('example.org', 80)\n    print('resolved')\nexcept OSError:\n    print('no')\n"
    );
    assert_eq!(output_of(&code).await, "['lo']\nno\nno\nno\nno\n");
}

#[tokio::test]
async fn nothing_of_this_machine_can_be_read() {
    let data = tempfile::tempdir().expect("makes a folder");
    fs::write(data.path().join("roundtable.db"), "SECRET").expect("writes");
    let repository = env!("CARGO_MANIFEST_DIR");
    let code = format!(
        "import os, glob\n\
         for path in ('/etc/shadow', '/etc/passwd', '/root', '/home', '/var', '/run', '/sys', '/proc/1/root/root', \
         {data:?}, '{repository}', '/proc/1/root/etc/passwd', '/tmp/../etc/hostname', '/dev/vda', '/dev/mem'):\n    \
         if os.path.exists(path): print('sees', path)\n\
         print(sorted(set(os.listdir('/')) - {{'bin', 'sbin', 'lib', 'lib32', 'lib64'}}))\n\
         print('CARGO' in str(os.environ))\n\
         print(len([p for p in os.listdir('/proc') if p.isdigit()]), os.getuid(), os.uname().nodename)\n",
        data = data.path().display().to_string()
    );
    assert_eq!(output_of(&code).await, "['dev', 'etc', 'proc', 'tmp', 'usr']\nFalse\n2 65534 sandbox\n");
}

#[tokio::test]
async fn nothing_but_its_own_folders_can_be_written() {
    let code = "import os, ctypes\n\
        for folder in ('/', '/usr', '/usr/bin', '/etc', '/dev', '/proc', '/proc/sys/kernel', '/tmp', '/tmp/work', '/dev/shm'):\n    \
        try:\n        open(folder + '/x', 'w').close()\n        print(folder)\n    except OSError:\n        pass\n\
        libc = ctypes.CDLL(None, use_errno=True)\n\
        print(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None), libc.unshare(0x10000000), libc.setuid(0), libc.chroot(b'/tmp'))\n\
        print(open('/proc/self/status').read().split('CapEff:')[1].split()[0])\n";
    assert_eq!(output_of(code).await, "/tmp\n/tmp/work\n/dev/shm\n-1 -1 -1 -1\n0000000000000000\n");
}

#[tokio::test]
async fn files_and_memory_are_limited() {
    let small = python(|settings| (settings.max_disk_bytes, settings.max_memory_bytes) = (8 << 20, 128 << 20)).await;
    let code = "import os\nfor path in ('/tmp/work/a', '/tmp/b', '/dev/shm/c'):\n    \
        try:\n        with open(path, 'wb') as file:\n            for _ in range(1024): file.write(bytes(1 << 20))\n        print('wrote')\n    \
        except OSError as error:\n        print(os.path.getsize(path) <= 16 << 20, end=' ')\n\
        try:\n    bytearray(1 << 30)\n    print('had it')\nexcept MemoryError:\n    print('no memory')\n";
    let ran = small.run(code).await.expect("runs");
    assert_eq!(ran.output, "True True True no memory\n");
    let many = "for n in range(1000): open(f'f{n:04}', 'w').write('x')\nopen('large', 'wb').write(bytes(4 << 20))";
    let bounded = python(|settings| (settings.max_files, settings.max_files_bytes) = (10, 1024)).await;
    let ran = bounded.run(many).await.expect("runs");
    assert_eq!((ran.left.len(), ran.more, ran.left[9].name.as_str()), (10, 991, "f0009"));
}

#[tokio::test]
async fn a_fork_bomb_is_limited_and_ends_with_the_call() {
    let (word, start) = marked_process_script(1000);
    let code = format!(
        "{}\ntry:\n{}except OSError as error:\n    print('no more')\n",
        "import os",
        start.lines().map(|line| format!("    {line}\n")).collect::<String>()
    );
    let ran = run_program(&code).await;
    assert!(ran.output.contains("no more"), "{}", ran.output);
    assert_eq!(count_processes(&word), 0);
    let bomb = python(|settings| settings.timeout_seconds = 2).await;
    let code = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n";
    let ran = bomb.run(code).await.expect("runs");
    assert_eq!(ran.end, ProgramExit::Late);
    assert_eq!(bomb.run("print(1)").await.expect("runs").output, "1\n");
}

#[tokio::test]
async fn endless_loops_and_endless_output_are_stopped() {
    let python = python(|settings| (settings.timeout_seconds, settings.max_output_bytes) = (2, 100_000)).await;
    let began = Instant::now();
    let code = "import signal\nfor number in range(1, 32):\n    \
        try:\n        signal.signal(number, signal.SIG_IGN)\n    except OSError:\n        pass\n\
        open('kept', 'w').write('x')\nprint('begun')\nwhile True: pass\n";
    let ran = python.run(code).await.expect("runs");
    assert_eq!((ran.end, ran.output.as_str(), ran.left.len()), (ProgramExit::Late, "begun\n", 1));
    let ran = python.run("while True: print('x' * 1000)").await.expect("runs");
    assert_eq!((ran.end, ran.output.len()), (ProgramExit::Endless, 100_000));
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn child_processes_end_with_the_program() {
    let (word, start) = marked_process_script(3);
    let code = format!("{start}import os\nos.kill(1, 9)\nos.kill(1, 15)\nprint('over')");
    let ran = run_program(&code).await;
    assert!(ran.output.contains("over\n"), "{}", ran.output);
    assert_eq!(ran.end, ProgramExit::Exit(0));
    assert_eq!(count_processes(&word), 0);
}

#[tokio::test]
async fn an_abandoned_call_is_killed_with_its_processes() {
    let (word, start) = marked_process_script(3);
    let python = python(|settings| settings.timeout_seconds = 600).await;
    let endless = format!("{start}while True: pass\n");
    let running = python.run(&endless);
    let all_there = async {
        while count_processes(&word) < 3 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        ran = running => panic!("it goes on for ten minutes: {ran:?}"),
        () = all_there => {}
    }
    let all_gone = async {
        while count_processes(&word) > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(30), all_gone).await.expect("the kernel ends them");
    assert_eq!(python.run("print(1)").await.expect("its turn is free again").output, "1\n");
}

#[tokio::test]
async fn a_program_that_attacks_its_supervisor_gains_nothing() {
    let python = python(|settings| (settings.timeout_seconds, settings.max_files_bytes) = (2, 1024)).await;
    for forged in [
        "b'{\"ended\":0,\"late\":false,\"files\":[{\"name\":\"../../x\",\"bytes\":3}],\"more\":0}\\nabc'",
        "b'{\"ended\":0,\"late\":false,\"files\":[{\"name\":\"x\",\"bytes\":18446744073709551615}],\"more\":0}\\n'",
        "b'\\xff\\n'",
        "bytes(1 << 26)",
    ] {
        let code = format!("open('/proc/1/fd/1', 'wb', 0).write({forged})\nprint('done')");
        let ran = python.run(&code).await.expect("runs");
        assert!(matches!(ran.end, ProgramExit::Lost | ProgramExit::Exit(_) | ProgramExit::Late), "{:?}", ran.end);
        assert!(ran.left.iter().all(|file| file.content.len() <= 1024), "{forged}");
    }
    let ran = python.run("import os\nos.close(1)\nos.close(2)\nwhile True: pass").await.expect("runs");
    assert_eq!(ran.end, ProgramExit::Late);
}

#[tokio::test]
async fn an_unavailable_sandbox_disables_the_tool_with_a_reason() {
    let reason = async |change: fn(&mut PythonSettings)| {
        let mut settings = PythonSettings::default();
        change(&mut settings);
        PythonTool::start(&settings).await.err().expect("does not work")
    };
    let no_bwrap = reason(|settings| settings.bwrap = "/nowhere/bwrap".into()).await;
    assert!(no_bwrap.contains("install bubblewrap") && no_bwrap.ends_with("tools.python.bwrap"), "{no_bwrap}");
    let no_python = reason(|settings| settings.interpreter = "/usr/bin/python0".into()).await;
    assert!(no_python.ends_with("tools.python.interpreter"), "{no_python}");
    let broken = reason(|settings| settings.bwrap = "/bin/false".into()).await;
    assert!(broken.starts_with("a trial run in bubblewrap did not work"), "{broken}");
    let plain = reason(|settings| settings.bwrap = "/bin/echo".into()).await;
    assert!(plain.starts_with("a trial run"), "{plain}");
    let mut settings = ToolSettings::default();
    settings.python.enabled = false;
    assert_eq!(ToolSet::of(&settings).await.names(), ["report"]);
    settings.python.enabled = true;
    settings.python.bwrap = "/bin/false".into();
    assert_eq!(ToolSet::of(&settings).await.names(), ["report"]);
    assert!(!Path::new("/nowhere").exists());
}
