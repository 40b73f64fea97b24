"""Process 1 of a sandbox: starts the program with its limits, ends all its processes, and hands over its files.

The job comes on standard input: a line of JSON, then the bytes of the files that the program is given. The program
writes to standard error. Standard output carries the report: one line of JSON, then the bytes of the files that it
lists.
"""

import ctypes
import json
import os
import resource
import signal
import stat
import sys

PROGRAM = "/tmp/main.py"
WORK = "/tmp/work"
GIVEN = "/tmp/files"
# Maximum bytes of a path that is handed over. Otherwise the paths of empty files could exceed every limit.
MAX_PATH_BYTES = 1024


def let_others_look(dumpable):
    """Sets whether processes of the same user can trace this one, read its memory and open its descriptors."""
    PR_SET_DUMPABLE = 4
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(dumpable), 0, 0, 0) != 0:
        raise OSError("cannot set PR_SET_DUMPABLE")


def become_program(job):
    for name, limit in job["limits"].items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (limit, limit))
    # Without this, the process cannot write in /proc/self. From here on, its memory contains nothing secret.
    let_others_look(True)
    # Run at lower priority than the server: otherwise a few busy programs would delay every interrupt.
    os.nice(10)
    # When memory runs out, the kernel must kill this process and not the server.
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.closerange(3, 256)
    os.setsid()
    os.execv(sys.executable, [sys.executable, "-I", "-B", "-u", PROGRAM])


def end_all(*_):
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass


def files(limits):
    """Returns the paths and sizes of files in the work folder, and the number of files beyond the limits."""
    found, more = [], 0
    for folder, folders, names in os.walk(WORK):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            size = os.lstat(path)
            if not stat.S_ISREG(size.st_mode) or not os.access(path, os.R_OK):
                continue
            long = len(os.fsencode(path)) > MAX_PATH_BYTES
            if long or len(found) == limits["files"] or size.st_size > limits["bytes"]:
                more += 1
                continue
            limits["bytes"] -= size.st_size
            found.append((path, size.st_size))
    return found, more


def main():
    let_others_look(False)
    # With Python's own handler, the program could end this process by sending it an interrupt.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    job = json.loads(sys.stdin.buffer.readline())
    os.mkdir(GIVEN)
    for given in job["files"]:
        with open(os.path.join(GIVEN, given["name"]), "wb") as file:
            file.write(sys.stdin.buffer.read(given["bytes"]))
        os.chmod(file.name, 0o444)
    os.chmod(GIVEN, 0o555)
    with open(PROGRAM, "w", encoding="utf-8", errors="surrogatepass") as program:
        program.write(job["code"])
    late = []
    signal.signal(signal.SIGALRM, lambda *_: (late.append(True), end_all()))
    program = os.fork()
    if program == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        become_program(job)
    signal.setitimer(signal.ITIMER_REAL, job["seconds"])
    ended = None
    while ended is None:
        process, status = os.wait()
        if process == program:
            ended = os.waitstatus_to_exitcode(status)
    signal.setitimer(signal.ITIMER_REAL, 0)
    end_all()
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass
    found, more = files(job["file_limits"])
    names = [os.fsencode(os.path.relpath(path, WORK)).decode("utf-8", "replace") for path, _ in found]
    listed = [{"name": name, "bytes": size} for name, (_, size) in zip(names, found)]
    account = {"ended": ended, "late": bool(late), "files": listed, "more": more}
    sys.stdout.buffer.write(json.dumps(account).encode() + b"\n")
    for path, _ in found:
        with open(path, "rb") as file:
            while piece := file.read(65536):
                sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


main()
