# SPDX-License-Identifier: MIT
"""How a command is run and what it took: wall time, time of processors, memory."""
import os, signal, tempfile, threading, time

LIMIT = 600  # seconds until a command is killed


class Failure(Exception):
    """A command that can't be measured, and why."""


class Absent(Exception):
    """Something that isn't installed here."""


class Ended:
    """A process that ended well. Times in milliseconds, memory in MiB."""

    def __init__(self, out, error, wall, usage):
        self.out, self.error, self.wall = out, error, wall
        self.cpu = (usage.ru_utime + usage.ru_stime) * 1000
        self.rss = usage.ru_maxrss / 1024


def run(words, environment=None, drops_output=False):
    """Runs a command to its end. Its output goes to a file, or nowhere: a pipe's reader would be timed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0) if drops_output
                   else (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
                   (os.POSIX_SPAWN_DUP2, error.fileno(), 2)]
        begin = time.perf_counter()
        try:
            process = os.posix_spawnp(words[0], words, environment or os.environ, file_actions=actions)
        except OSError as reason:
            raise Failure(f"{words[0]}: {reason.strerror}") from reason
        timer = threading.Timer(LIMIT, os.kill, (process, signal.SIGKILL))
        timer.start()
        try:
            _, status, usage = os.wait4(process, 0)
        finally:
            timer.cancel()
        wall = (time.perf_counter() - begin) * 1000
        out.seek(0), error.seek(0)
        ended = Ended(out.read().decode(errors="replace"), error.read().decode(errors="replace"), wall, usage)
    check(words, os.waitstatus_to_exitcode(status), ended.error + ended.out)
    return ended


def check(words, status, said):
    """A command that fails is told with the line that names an error, or with its last one."""
    if status == 0:
        return
    lines = [line for line in said.splitlines() if line.strip()]
    how = f"was ended by signal {-status}" if status < 0 else f"ended with {status}"
    first = next((line for line in lines if "rror" in line), lines[-1] if lines else "and said nothing")
    raise Failure(f"'{' '.join(os.path.basename(word) for word in words[:4])}' {how}: {first[:200]}")


def load():
    """The processes that wanted to run in the last minute."""
    return os.getloadavg()[0]
