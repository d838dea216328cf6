# SPDX-License-Identifier: MIT
"""What takes several processes at once: functions of a place that answer figures."""
import contextlib, os, shutil, subprocess, time
import figures, processes

SECONDS = 120  # how long one of them may take
MEGABYTES = 256


def begin(place, words, environment=None, **more):
    return subprocess.Popen(words, env=place.environment(environment), stdin=subprocess.DEVNULL, text=True,
                            **more)


@contextlib.contextmanager
def ended(children):
    """Children that don't outlive a scene that fails."""
    try:
        yield children
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
            child.wait()


def output(child):
    """What a child prints until it ends well."""
    try:
        out, error = child.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired as reason:
        raise processes.Failure(f"'{child.args[0]}' did not end in {SECONDS} s") from reason
    processes.check(child.args, child.returncode, (error or "") + (out or ""))
    return out


def until(holds, what):
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            raise processes.Failure(f"{what} did not come in {SECONDS} s")
        time.sleep(0.02)


def until_ready(path):
    """A script says on its stderr, which is a file here, that it is ready."""
    until(lambda: os.path.exists(path) and "ready" in open(path).read(),
          f"'ready' in {os.path.basename(path)}")


def isolated(place):
    """Resident memory of the process of an isolated plugin that was called once and waits, in MB."""
    script = place.path("waits.js")
    with open(script, "w") as file:
        file.write("await nbridge.bench.immediate(); console.log('ready'); setTimeout(() => {}, 60_000);")
    words = [place["nbridge"], "run", "--isolate", "all", "--plugin", place["plugin"], script]
    with ended([begin(place, words, stdout=subprocess.PIPE)]) as (child,):
        child.stdout.readline()
        time.sleep(1.5)  # after a second without work it gives back what it can
        found = [other for other in os.listdir("/proc") if other.isdigit() and is_child(other, child.pid)]
        if len(found) != 1:
            raise processes.Failure(f"the program has {len(found)} children, not one")
        with open(f"/proc/{found[0]}/status") as status:
            kilobytes = next(line.split()[1] for line in status if line.startswith("VmRSS"))
    return {"rss": int(kilobytes) * 1024 / 1e6}


def is_child(process, parent):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return int(stat.read().rsplit(")", 1)[1].split()[1]) == parent
    except OSError:
        return False


def memory(place):
    """Resident memory at each checkpoint of ten million calls, in MiB."""
    words = [place["host"], "measure.js", "memory.js"]
    with ended([begin(place, words, stdout=subprocess.PIPE)]) as (child,):
        sizes = []
        for _ in child.stdout:
            with open(f"/proc/{child.pid}/status") as status:
                kilobytes = next(line.split()[1] for line in status if line.startswith("VmRSS"))
            sizes.append(int(kilobytes) / 1024)
    if len(sizes) != 5:
        raise processes.Failure("memory.js did not come to its end")
    return {"at last": sizes[-1], "most before": max(sizes[:-1])}


def script(place, name, container, *arguments):
    """The words that run a script of this folder."""
    return [place["nbridge"], "run", "--container", place.path(container), name, *map(str, arguments)]


def watchers(place):
    """Ten watchers, each a process, of a pasteboard that one more changes a thousand times a second."""
    own = {"NBRIDGE_HOME": "{work}/boards"}
    words = [place["nbridge"], "run", "pasteboard.js"]
    with contextlib.ExitStack() as stack:
        watching = stack.enter_context(ended([]))
        for index in range(10):
            ready = place.path(f"ready.{index}")
            errors = stack.enter_context(open(ready, "w"))
            watching.append(begin(place, [*words, "watch", "5000"], own, stdout=subprocess.PIPE,
                                  stderr=errors))
        for index in range(10):
            until_ready(place.path(f"ready.{index}"))
        rate = float(output(begin(place, [*words, "write", "5000", "1"], own, stdout=subprocess.PIPE)))
        told = [[float(word) for word in output(child).split()] for child in watching]
    return {"late": max(line[1] for line in told), "late, most": max(line[2] for line in told), "rate": rate,
            "told": min(line[3] + line[4] for line in told), "coalesced": sum(line[4] for line in told)}


@contextlib.contextmanager
def sink(place, own):
    """A peer in a process of its own that answers."""
    ready = place.path("sink.ready")
    with open(ready, "w") as errors:
        words = script(place, "peers.js", "peers.sink", "sink", "bench")
        with ended([begin(place, words, own, stdout=subprocess.PIPE, stderr=errors)]) as (child,):
            until_ready(ready)
            yield child


def peers(place):
    """Messages and a resource between two scripts."""
    own = {"NBRIDGE_HOME": "{work}/peers.home"}
    os.makedirs(place.path("peers.app", "Documents"), exist_ok=True)
    zeros(place.path("peers.app", "Documents", "big"))

    def ask(*words):
        return output(begin(place, script(place, "peers.js", "peers.app", *words), own,
                            stdout=subprocess.PIPE))

    with sink(place, own) as child:
        found = {
            **figures.read_columns(ask("trip", "bench"), ["trip"]),
            **figures.read_columns(ask("flow", "bench", 400000), ["flow"]),
            **figures.read_columns(ask("resource", "bench"), ["resource"]),
        }
        ask("end", "bench")
        output(child)
    for name in ("peers.home", "peers.app", "peers.sink"):
        shutil.rmtree(place.path(name), ignore_errors=True)
    return found


def curl(place):
    """curl takes 1 GiB of the server that fetch is measured with."""
    start = time.monotonic()
    words = ["python3", "-B", "served.py", "curl", "-s", "-o", "/dev/null", "-w", "%{time_total}", "ORIGIN/1024"]
    told = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(stream=float(told) * 1000, wall=(time.monotonic() - start) * 1000)


def zeros(path):
    with open(path, "wb") as file:
        for _ in range(MEGABYTES):
            file.write(bytes(1 << 20))


def socat(place):
    """The same bytes from file to file, over a Unix socket."""
    if not shutil.which("socat"):
        raise processes.Absent("socat")
    socket, big, copy = place.path("socat"), place.path("socat.big"), place.path("socat.copy")
    zeros(big)
    with ended([begin(place, ["socat", "-u", "-b", "262144", f"UNIX-LISTEN:{socket}",
                              f"OPEN:{copy},creat,trunc"])]) as (receiver,):
        until(lambda: os.path.exists(socket), "socat's socket")
        start = time.perf_counter()
        output(begin(place, ["socat", "-u", "-b", "262144", f"OPEN:{big},rdonly", f"UNIX-CONNECT:{socket}"]))
        output(receiver)
        seconds = time.perf_counter() - start
    for path in (big, copy):
        os.remove(path)
    return {"resource": (MEGABYTES << 20) / seconds / 1e9}


def crowd(place):
    """A hundred peers in ten processes: seconds from the last one's begin until all know all."""
    own = {"NBRIDGE_HOME": "{work}/crowd.home"}
    with contextlib.ExitStack() as stack:
        children = stack.enter_context(ended([]))
        for index in range(10):
            ready = place.path(f"crowd.{index}")
            errors = stack.enter_context(open(ready, "w"))
            words = script(place, "peers.js", f"crowd.app{index}", "crowd", "crowd", 10, index)
            children.append(begin(place, words, own, stdout=subprocess.PIPE, stderr=errors))
            until_ready(ready)
        return {"formed": max(float(output(child)) for child in children)}


def viewer(place):
    """Ten sources, a million records, and keys that are pressed, on a terminal."""
    words = ["python3", "logs.py", place["nbridge"], place["logs_sender"], place.path("viewer.home"),
             "1000000"]
    found = figures.read(output(begin(place, words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)))
    shutil.rmtree(place.path("viewer.home"), ignore_errors=True)
    return found
