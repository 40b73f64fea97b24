//! Programs that try to escape from the sandbox, or to attack its supervisor.

use roundtable::tool::python::ProgramExit;
use serde_json::json;

use super::python::{output_of, python};
use super::{ToolSet, call_context};
use roundtable::kernel::truncate_middle;
use roundtable::tool::ToolSettings;

/// Returns every system call that must be blocked, with arguments that do no harm if the call is not blocked.
fn probes() -> Vec<(&'static str, i64, &'static str)> {
    vec![
        ("ptrace", libc::SYS_ptrace, "0, 0, 0, 0"),
        ("process_vm_readv", libc::SYS_process_vm_readv, "os.getpid(), 0, 0, 0, 0, 0"),
        ("process_vm_writev", libc::SYS_process_vm_writev, "os.getpid(), 0, 0, 0, 0, 0"),
        ("pidfd_getfd", libc::SYS_pidfd_getfd, "os.pidfd_open(1), 0, 0"),
        ("add_key", libc::SYS_add_key, "b'user', b'name', b'x', 1, -3"),
        ("request_key", libc::SYS_request_key, "b'user', b'name', 0, -3"),
        ("keyctl", libc::SYS_keyctl, "0, -3, 1"),
        ("bpf", libc::SYS_bpf, "0, 0, 0"),
        ("perf_event_open", libc::SYS_perf_event_open, "0, 0, -1, -1, 0"),
        ("io_uring_setup", libc::SYS_io_uring_setup, "1, bytes(120)"),
        ("userfaultfd", libc::SYS_userfaultfd, "1"),
        ("mount", libc::SYS_mount, "b'none', b'/tmp', b'tmpfs', 0, 0"),
        ("open_tree", libc::SYS_open_tree, "-100, b'/tmp', 1"),
        ("fsopen", libc::SYS_fsopen, "b'tmpfs', 0"),
        ("unshare", libc::SYS_unshare, "0x10000000"),
        ("setns", libc::SYS_setns, "os.open('/proc/self/ns/net', 0), 0"),
        ("clone", libc::SYS_clone, "0x10000000 | 17, 0, 0, 0, 0"),
        ("clone3", libc::SYS_clone3, "bytes(88), 88"),
        ("kexec_load", libc::SYS_kexec_load, "0, 0, 0, 0"),
        ("kcmp", libc::SYS_kcmp, "os.getpid(), os.getpid(), 0, 1, 2"),
        ("x32 ptrace", 0x4000_0000 | 521, "0, 0, 0, 0"),
    ]
}

#[tokio::test]
async fn dangerous_system_calls_are_blocked() {
    let mut code = "import ctypes, errno, os\nlibc = ctypes.CDLL(None, use_errno=True)\nlibc.syscall.restype = ctypes.c_long\n\
                    def call(name, number, *arguments):\n    ctypes.set_errno(0)\n    \
                    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))\n    \
                    if result == 0 and name == 'clone': os._exit(0)\n    \
                    if (result, ctypes.get_errno()) != (-1, errno.ENOSYS): print(name, result, errno.errorcode.get(ctypes.get_errno()))\n"
        .to_owned();
    for (name, number, arguments) in probes() {
        code.push_str(&format!("call({name:?}, {number}, {arguments})\n"));
    }
    assert_eq!(output_of(&format!("{code}print('done')\n")).await, "done\n");
}

#[tokio::test]
async fn only_plain_sockets_exist() {
    let code = "import errno, socket\n\
        for name, family, kind in (('netlink', 16, 3), ('vsock', 40, 1), ('packet', 17, 3), ('alg', 38, 5), ('unix', 1, 1), ('inet', 2, 1), ('inet6', 10, 2)):\n    \
        try:\n        socket.socket(family, kind).close()\n        print(name)\n    \
        except OSError as error:\n        if error.errno != errno.ENOSYS: print(name, error)\n";
    assert_eq!(output_of(code).await, "unix\ninet\ninet6\n");
}

#[tokio::test]
async fn threads_processes_and_libraries_work_under_the_filter() {
    let code = "import asyncio, concurrent.futures, multiprocessing, subprocess, sys, threading\n\
        def double(n): return 2 * n\n\
        with concurrent.futures.ThreadPoolExecutor(4) as pool: print(list(pool.map(double, range(3))))\n\
        print(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, text=True).stdout.strip())\n\
        process = multiprocessing.get_context('fork').Process(target=print, args=('child',))\n\
        process.start(); process.join()\n\
        async def main():\n    await asyncio.sleep(0)\n    return (await asyncio.create_subprocess_exec(sys.executable, '-c', '')).pid > 0\n\
        print(asyncio.run(main()))\n";
    assert_eq!(output_of(code).await, "[0, 2, 4]\n1\nchild\nTrue\n");
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn a_program_of_another_architecture_is_killed() {
    // Calls `getpid` through the system call interface of 32-bit programs.
    let code = "import ctypes, mmap\n\
        page = mmap.mmap(-1, 4096, prot=7)\npage.write(bytes.fromhex('b814000000cd80c3'))\n\
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))\n\
        print(ctypes.CFUNCTYPE(ctypes.c_int)(address)())\n";
    let ran = python(|_| {}).await.run(code).await.expect("runs");
    // A kernel without support for such programs reports a fault instead.
    assert!(matches!(ran.end, ProgramExit::Exit(-31 | -11)) && ran.output.is_empty(), "{ran:?}");
}

#[tokio::test]
async fn a_program_cannot_read_its_supervisor() {
    let code = "import os\n\
        for path in ('environ', 'mem', 'maps', 'fd', 'fd/0', 'fd/1', 'cwd', 'root', 'exe', 'syscall', 'stack'):\n    \
        try:\n        place = '/proc/1/' + path\n        os.listdir(place) if path == 'fd' else os.readlink(place) if path in ('cwd', 'root', 'exe') else open(place, 'rb').read(1)\n        print(path)\n    \
        except OSError:\n        pass\n\
        os.kill(1, 2)\nos.kill(1, 15)\nprint('over')\n";
    assert_eq!(output_of(code).await, "over\n");
}

#[tokio::test]
async fn files_beyond_the_limit_of_a_program_are_counted() {
    let code = "for n in range(40000): open(f'{n:05}' + 'x' * 200, 'w').close()";
    let python = python(|settings| settings.timeout_seconds = 60).await;
    let ran = python.run(code).await.expect("runs");
    assert_eq!((ran.end, ran.left.len(), ran.more), (ProgramExit::Exit(0), 50, 39_950));
}

#[tokio::test]
async fn the_exit_status_is_read_despite_much_output_and_leftovers() {
    let tools = ToolSet::of(&ToolSettings::default()).await;
    let code =
        "print('x' * 200_000)\nfor n in range(50): open(f'{n:02}' + '字' * 70, 'w').close()\nraise SystemExit(3)";
    let output = tools.call(&call_context(&[]), "python", json!({ "code": code })).await.expect("is answered");
    let read = truncate_middle(&output, 16 * 1024);
    assert!(read.ends_with("[ended with exit code 3]\n") && read.contains("[files it left: "), "{read}");
    assert!(read.len() < 17 * 1024);
}
