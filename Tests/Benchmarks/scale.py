#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Measures how cost grows with size, and fits the exponent: 1 is a cost for each, 2 one for each pair.

    scale.py [NAMES]   all scales, into SCALE.md, or some, with commas

The exponent is that of the three largest sizes, where what a process costs by itself says little; one above
1.1 is marked.
"""
import math, os, shutil, statistics, sys
import figures, fixtures, place, processes

MOST = 1.1


def exponent(points):
    """The slope of the line through the logarithms of the last three sizes and their costs."""
    logs = [(math.log(size), math.log(cost)) for size, cost in points[-3:]]
    middle_x, middle_y = (statistics.mean(values) for values in zip(*logs))
    return (sum((x - middle_x) * (y - middle_y) for x, y in logs)
            / sum((x - middle_x) ** 2 for x, _ in logs))


def in_host(kind):
    """One process measures all sizes."""
    def measure(where, _):
        fixtures.write(where, "only.js", f"globalThis.only = {kind!r};\n")
        ended = processes.run([where["host"], where.path("only.js"), f"{place.HERE}/scale.js"],
                              where.environment())
        return [tuple(map(float, line.split("\t"))) for line in ended.out.splitlines() if "\t" in line]
    return measure


def each(measure):
    """A process for each size, or several."""
    def all_sizes(where, sizes):
        return [(size, measure(where, size)) for size in sizes]
    return all_sizes


def script(kind, prepare=None):
    def measure(where, size):
        if prepare:
            where.once(f"{kind} {size}", lambda where: prepare(where, size))
        container = where.path("app" if prepare else "scale.app")
        if not prepare:
            shutil.rmtree(container, ignore_errors=True)
        words = [where["nbridge"], "run", "--container", container, f"{place.HERE}/scalefiles.js", kind]
        return float(processes.run([*words, str(size)], where.environment()).out)
    return each(measure)


def many_files(where, size):
    folder = fixtures.document(where, f"many{size}")
    os.mkdir(folder)
    for index in range(size):
        os.close(os.open(f"{folder}/{index + 1}", os.O_CREAT | os.O_WRONLY, 0o600))


def start(where, path, environment):
    """What a start takes more than that of an empty script, in pairs."""
    own, empty = [], []
    for _ in range(5):
        for times, name in ((own, path), (empty, where.path("empty.js"))):
            ended = processes.run([where["nbridge"], "run", name], where.environment(environment), True)
            times.append(ended.wall)
    return max(statistics.median(own) - statistics.median(empty), 0.01)


def tree(where, size):
    """So many modules, each of which imports two others. Answers the first."""
    folder = f"modules{size}"
    for index in range(0 if os.path.exists(where.path(folder)) else size):
        children = [child for child in (2 * index + 1, 2 * index + 2) if child < size]
        text = "".join(f'import "./m{child}.js";\n' for child in children)
        fixtures.write(where, f"{folder}/m{index}.js", f"{text}export const v = {index};\n")
    return where.path(folder, "m0.js")


def first_run(where, size):
    main, times = tree(where, size), []
    for _ in range(3):
        shutil.rmtree(where.path("modules.home"), ignore_errors=True)
        environment = where.environment({"NBRIDGE_HOME": "{work}/modules.home"})
        times.append(processes.run([where["nbridge"], "run", main], environment, True).wall)
    return statistics.median(times)


def later_run(where, size):
    main, home = tree(where, size), {"NBRIDGE_HOME": "{work}/modules.home"}
    processes.run([where["nbridge"], "run", main], where.environment(home), True)
    return start(where, main, home)


def plugins(where, size):
    """A script that asks for a plugin which isn't there, among so many."""
    folder = where.path(f"plugins{size}")
    if not os.path.exists(folder):
        built = os.path.join(where["plugin"], ".build", "plugin")
        for index in range(size):
            os.makedirs(f"{folder}/plug{index}")
            shutil.copy(f"{built}/plugin.json", f"{folder}/plug{index}")
    fixtures.write(where, "absent.js", "if (globalThis.nbridge.nothing) throw 1;\n")
    return start(where, where.path("absent.js"), {"NBRIDGE_PLUGINS": folder})


def sessions(where, size):
    """Clients of one program, fifty calls each."""
    ended = processes.run([where["host"], "--sessions", str(size)], where.environment())
    return float(ended.out)


def decades(least, most):
    return [10 ** power for power in range(round(math.log10(least)), round(math.log10(most)) + 1)]


SCALES = {
    "immediate": ("immediate calls in flight", "µs", in_host("immediate"), None),
    "async": ("async calls in flight", "µs", in_host("async"), None),
    "detached": ("detached calls in flight", "µs", in_host("detached"), None),
    "text": ("bytes of a text as option and answer", "ns", in_host("text"), None),
    "objects": ("bytes of small objects as option and answer", "ns", in_host("objects"), None),
    "watches": ("watches open at once", "µs", in_host("watches"), None),
    "timers": ("timers that fire", "µs", in_host("timers"), None),
    "closings": ("objects used, and closed behind their calls", "µs", in_host("closings"), None),
    "deadlines": ("detached calls in flight, each with a deadline", "µs", in_host("deadlines"), None),
    "sessions": ("sessions of a host, 50 detached calls each", "µs", each(sessions), decades(1, 1000)),
    "plugins": ("plugins installed: a start", "µs", each(plugins), decades(1, 1000)),
    "modules": ("modules of a script: first run", "µs", each(first_run), [1, 10, 100, 1000, 10_000, 50_000]),
    "kept": ("modules of a script: later runs", "µs", each(later_run), [1, 10, 100, 1000, 10_000]),
    "list": ("files of a folder, listed", "µs", script("list", many_files), decades(10, 1_000_000)),
    "keys": ("preferences set and got", "µs", script("keys"), decades(10, 1_000_000)),
    "records": ("log records into a file", "µs", script("records"), decades(1000, 1_000_000)),
    "items": ("items of localStorage set", "µs", script("items"), decades(10, 100_000)),
    "parameters": ("parameters added to a URL", "µs", script("parameters"), decades(10, 1_000_000)),
    "channels": ("broadcast channels opened and closed", "µs", script("channels"), decades(10, 100_000)),
    "fetches": ("fetches of one host at once, and their server", "µs", script("fetches"), decades(10, 10_000)),
}
FACTORS = {"µs": 1e3, "ns": 1e6}


def table(name, points):
    """Lines of one scale: the cost of each at each size."""
    title, unit, *_ = SCALES[name]
    found = exponent(points)
    mark = f"  more than {MOST}" if found > MOST else ""
    lines = [f"{title}: exponent {found:.2f}{mark}"]
    for size, cost in points:
        one = figures.number(cost * FACTORS[unit] / size)
        lines.append(f"  {size:>12,.0f}  {figures.number(cost):>10} ms  {one:>10} {unit} each")
    if name in WHY:
        lines.append(f"  {WHY[name]}")
    text = "\n".join(lines)
    print(text, flush=True)
    return text


# Of those that grow faster than they should, and what is not run.
WHY = {
    "closings": "Threads that close meet at one lock, and of 100,000 at once the kernel's part is half as much again: new pages.",
    "text": "Up to a MiB lies in the processor's caches; from 8 MiB on it is the memory's speed, the same for all.",
    "records": "On paper: 10^8 a day are 1,160 a second, a hundred times the last row in processor's time.",
}


def write(texts):
    with open("SCALE.md", "w") as out:
        out.write("# How cost grows\n\nWritten by `make scale`: the cost of each at each size; the exponent is "
                  "that of the three\nlargest. 1 is a cost for each, 2 one for each pair.\n\n```text\n"
                  + "\n".join(texts) + "\n```\n")


def main():
    names = " ".join(sys.argv[1:]).replace(",", " ").split() or list(SCALES)
    unknown = [name for name in names if name not in SCALES]
    if unknown:
        print(f"scale: there is no scale '{unknown[0]}', only {', '.join(SCALES)}", file=sys.stderr)
        return 2
    os.chdir(place.HERE)
    where = place.Place()
    texts = []
    for name in names:
        _, _, measure, sizes = SCALES[name]
        texts.append(table(name, measure(where, sizes)))
    if names == list(SCALES):
        write(texts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
