# SPDX-License-Identifier: MIT
"""Makes RESULTS.md of what run.sh measured: figures and ratios, nothing judged away."""
import os
import platform
import statistics
import subprocess
import sys

work = sys.argv[1]


def table(name):
    with open(f"{work}/{name}.tsv") as file:
        return {key: float(value) for key, value in (line.rsplit("\t", 1) for line in file if "\t" in line)}


def start(name):
    with open(f"{work}/start.{name}") as file:
        values = [int(line) / 1000 for line in file][3:]
    return statistics.median(values) if values else None


def cpu():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())


def text(value):
    return "absent" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


floor, ours, node = table("floor"), table("nbridge"), table("node")
rows = []


def row(name, mine, base, limit, unit="ns", peer=None, base_name="C floor"):
    ratio = mine / base if base else None
    met = "" if limit is None or ratio is None else ("met" if ratio <= limit else "missed")
    shown = "" if ratio is None else f"{ratio:.2f}"
    want = "" if limit is None else f"≤ {limit:g}"
    rows.append(f"| {name} | {text(mine)} {unit} | {text(base)} ({base_name}) | {shown} | {want} | {met} | {text(peer)} |")


for kind in ("sequential", "5000 in flight"):
    base = floor[f"promise call, {kind}"]
    row(f"immediate, {kind}", ours[f"immediate, {kind}"], base, 1.5, peer=node.get(f"immediate, {kind}"))
    row(f"async, does not suspend, {kind}", ours[f"async, {kind}"], base, 2.5)
    row(f"detached, {kind}", ours[f"detached, {kind}"], node.get(f"detached, {kind}"), 1, base_name="Node N-API async work")
    row(f"4 fields in and out, {kind}", ours[f"4 fields, {kind}"], floor[f"4 fields, {kind}"], 2,
        peer=node.get(f"4 fields, {kind}"))
row("string 1 KB there and back", ours["string 1 KB, sequential"], floor["string 1 KB, sequential"], None)
row("string 1 MB there and back", ours["string 1 MB, sequential"] / 1e3, floor["string 1 MB, sequential"] / 1e3, None, "µs")
base = floor["1 MB of objects (stringify + parse), sequential"] / 1e3
row("1 MB of objects there and back, kept as they came", ours["1 MB of objects, kept, sequential"] / 1e3, base, 1.5, "µs",
    base_name="stringify + parse")
row("1 MB of objects, decoded to structs and encoded",
    ours["1 MB of objects, decoded and encoded, sequential"] / 1e3, base, None, "µs", base_name="stringify + parse")
for way in ("native", "JavaScript"):
    mine = ours[f"64 MiB of bytes to {way}, sequential"] / 1e3
    rows.append(f"| 64 MiB of bytes to {way} | {text(mine)} µs | {text(floor[f'64 MiB of bytes to {way}, sequential'] / 1e3)}"
                f" (C floor) | | < 1,000 µs | {'met' if mine < 1000 else 'missed'} | |")
event = ours["watch, per event"]
rows.append(f"| watch, 1,000,000 events | {text(event)} ns an event | | {1e9 / event / 1e6:.2f} M/s | ≥ 1 M/s |"
            f" {'met' if event <= 1000 else 'missed'} | |")
for kind in ("immediate", "async", "detached"):
    row(f"{kind}, 1,000,000 in flight", ours[f"{kind}, 1000000 in flight"], ours[f"{kind}, 5000 in flight"], 2,
        base_name="5,000 in flight")
mine, base = start("nbridge"), start("floor")
ratio = mine / base
rows.append(f"| cold start, empty script (wall) | {mine:.1f} ms | {base:.1f} (C floor) | {ratio:.2f} | ≤ 1.4 |"
            f" {'met' if ratio <= 1.4 else 'missed'} | node {text(start('node'))} ms, gjs {text(start('gjs'))} ms |")
mine, base = (int(open(f"{work}/rss.{name}").read()) / 1024 for name in ("nbridge", "floor"))
rows.append(f"| resident memory, empty script | {mine:.1f} MiB | {base:.1f} (C floor) | {mine / base:.2f} | ≤ 1.5 |"
            f" {'met' if mine / base <= 1.5 else 'missed'} | |")
memory = [int(line) / 1024 for line in open(f"{work}/memory")]
shown = ", ".join(f"{size:.1f}" for size in memory)
rows.append(f"| resident memory after 0.1, 0.5, 1, 5, 10 million calls | {shown} MiB | |"
            f" {memory[-1] / max(memory[:-1]):.2f} | flat | {'met' if memory[-1] <= max(memory[:-1]) * 1.05 else 'missed'} | |")

def batches(name):
    figures = {}
    for line in open(f"{work}/{name}.tsv"):
        if "\t" in line:
            key, value = line.rsplit("\t", 1)
            figures.setdefault(key, []).append(float(value))
    return figures


linked, loaded = batches("linked"), batches("loaded")
for name, values in loaded.items():
    mine, base = statistics.median(values), statistics.median(linked[name])
    ratio = statistics.median(a / b for a, b in zip(values, linked[name]))
    rows.append(f"| loaded plugin: {name} | {text(mine)} ns | {text(base)} (linked) | {ratio:.2f} | ≤ 1.5 |"
                f" {'met' if ratio <= 1.5 else 'missed'} | |")

unrecorded, recorded = batches("unrecorded"), batches("recorded")
for name, values in recorded.items():
    mine, base = statistics.median(values), statistics.median(unrecorded[name])
    more = statistics.median(a - b for a, b in zip(values, unrecorded[name]))
    rows.append(f"| recorded: {name} | {text(mine)} ns | {text(base)} (not recorded) | +{more:.0f} ns | ≤ +1,000 ns |"
                f" {'met' if more <= 1000 else 'missed'} | |")


def added(name, beside):
    pairs = [[int(line) / 1000 for line in open(f"{work}/start.{one}")][3:] for one in (name, beside)]
    return statistics.median(a - b for a, b in zip(*pairs))


for name, beside, title, limit in (("plugin", "builtin", "a loaded plugin's call instead of a built-in one's", 2),
                                   ("many", "nbridge", "100 installed plugins that are not used", 3)):
    more = added(name, beside)
    rows.append(f"| cold start: {title} | {start(name):.1f} ms | {start(beside):.1f} | {more:+.1f} ms | ≤ +{limit} ms |"
                f" {'met' if more <= limit else 'missed'} | |")

base = start("plain")
for name, title, limit in (("ts.first", "first run", 3), ("ts.cached", "from the cache", 1.3)):
    mine = start(name)
    met = "met" if mine / base <= limit else "missed"
    rows.append(f"| two TypeScript files, {title} (wall) | {mine:.1f} ms | {base:.1f} (plain script) | {mine / base:.2f} | ≤ {limit} |"
                f" {met} | |")
def numbers(name):
    with open(f"{work}/{name}") as file:
        return statistics.median(float(line) for line in file)


for title, name in [("durable", "durable"), ("not durable", "quick")]:
    base = numbers(f"{name}.floor")
    for way, what in [("sequential", "one after the other"), ("flight", "all at once")]:
        mine = numbers(f"{name}.{way}")
        rows.append(f"| small atomic writes, {title}, {what} | {mine:.0f} /s | {base:.0f} (C, the same system calls) | {mine / base:.2f}"
                    f" | ≥ 0.8 {'met' if mine / base >= 0.8 else 'missed'} | |")
mine, base = numbers("files.list") / 1000, numbers("files.find") / 1000
rows.append(f"| list of 100,000 files, whole process | {mine:.0f} ms | {base:.0f} (find) | {mine / base:.2f} | ≤ 2 {'met' if mine <= 2 * base else 'missed'} | |")
mine, base = numbers("files.stream") / 1000, numbers("files.cp") / 1000
rows.append(f"| 1 GiB read and written through the script | {mine:.0f} ms | {base:.0f} (cp) | {base / mine:.2f} | ≥ 0.8 {'met' if base >= 0.8 * mine else 'missed'} | |")
mine = numbers("lines.mine") / 1000
try:
    base = numbers("lines.node") / 1000
    rows.append(f"| 1,000,000 lines of a file, whole process | {mine:.0f} ms | {base:.0f} (Node's readline) | {mine / base:.2f} | ≤ 1 {'met' if mine <= base else 'missed'} | |")
except statistics.StatisticsError:
    rows.append(f"| 1,000,000 lines of a file, whole process | {mine:.0f} ms | Node is absent | | | |")
mine = numbers("rss.stream") / 1024
rows.append(f"| the same: resident memory | {mine:.0f} MiB | | | ≤ 64 {'met' if mine <= 64 else 'missed'} | |")

mine = numbers("keystroke")
rows.append(f"| a keystroke's `set` on an open document | {mine:.2f} µs | | | ≤ 5 µs {'met' if mine <= 5 else 'missed'} | |")

def columns(name):
    """The lines of a file as lists of numbers."""
    with open(f"{work}/{name}") as file:
        return [[float(word) for word in line.split()] for line in file]


def middle(name, column):
    return statistics.median(line[column] for line in columns(name))


base = numbers("board.floor")
for what in ["set", "get"]:
    mine, mean = middle(f"board.{what}", 0), middle(f"board.{what}", 1)
    met = "met" if mine <= 100 else "missed"
    beside = f"{base:.0f} (C: the transaction alone)" if what == "set" else ""
    ratio = f"{mine / base:.2f}" if what == "set" else ""
    rows.append(f"| pasteboard: `{what}` of 1 KB | {mine:.0f} µs (mean {mean:.0f}) | {beside} | {ratio} | ≤ 100 µs {met} | |")
mine, base = numbers("board.large"), numbers("board.memcpy")
rows.append(f"| pasteboard: 64 MiB set, got and looked at | {mine:.0f} ms | {base:.0f} (C: memcpy twice) | {mine / base:.2f} | ≤ 2 {'met' if mine <= 2 * base else 'missed'} | |")
def peer_rows():
    floor, trip, flow = numbers("peer.floor"), numbers("peer.trip"), numbers("peer.flow")
    rows.append(f"| peers: 64 bytes there and back, between scripts | {trip:.0f} µs | {floor:.0f} (C: two processes, one socket) | {trip / floor:.2f} | ≤ 60 µs {'met' if trip <= 60 else 'missed'} | |")
    rows.append(f"| peers: messages of 64 bytes one way | {flow:,.0f} /s | | | ≥ 200,000 /s {'met' if flow >= 200000 else 'missed'} | |")
    resource = numbers("peer.resource")
    socat = numbers("peer.socat") / 1000 if os.path.getsize(f"{work}/peer.socat") else None
    beside = f"{socat:.2f} (socat, file to file)" if socat else "socat is absent"
    ratio = resource / socat if socat else 0
    rows.append(f"| peers: resource of 256 MiB into a file, hashed | {resource:.2f} GB/s | {beside} | {ratio:.2f} | ≥ 1.5 GB/s or 0.7 {'met' if resource >= 1.5 or ratio >= 0.7 else 'missed'} | |")
    crowd = numbers("peer.crowd")
    rows.append(f"| peers: 100 in ten processes, until all know all | {crowd:.2f} s | | | ≤ 3 s {'met' if crowd <= 3 else 'missed'} | |")
peer_rows()
get, put, nothing = (numbers(f"preference.{what}") for what in ("get", "set", "nothing"))
rows.append(f"| preference: `get` | {get:.2f} µs | {nothing:.2f} (`app.appInfo`) | {get / nothing:.2f} | ≤ 1.5 µs {'met' if get <= 1.5 else 'missed'} | |")
rows.append(f"| preference: `set` | {put:.1f} µs | {numbers('board.floor'):.1f} (C: a transaction of two rows) | {put / numbers('board.floor'):.2f} | ≤ 20 µs {'met' if put <= 20 else 'missed'} | |")
watchers = columns("board.watch")
late, most = max(line[1] for line in watchers), max(line[2] for line in watchers)
rows.append(f"| pasteboard: change to watcher, 10 watchers, p99 of the worst | {late:.0f} ms, at most {most:.0f} | | | ≤ 10 ms {'met' if late <= 10 else 'missed'} | |")
told, joined = min(line[3] + line[4] for line in watchers), sum(line[4] for line in watchers)
rows.append(f"| pasteboard: changes a second while each watcher hears all, in order | {numbers('board.rate'):.0f} /s | | {told:.0f} of 5,000 told, {joined:.0f} coalesced | 1,000 /s {'met' if told >= 5000 else 'missed'} | |")

def auth_rows():
    tries, floor = batches("auth"), numbers("auth.floor")
    mine = statistics.median(tries["evaluate"])
    rows.append(f"| auth: an evaluation by the stub, its audit line written | {mine:.1f} µs | {floor:.1f} (C: the same system calls) | {mine / floor:.1f} | ≤ 50 µs {'met' if mine <= 50 else 'missed'} | |")
    mine = statistics.median(tries["rate"])
    rows.append(f"| auth: evaluations a second, fifty at once | {mine:,.0f} /s | | | ≥ 10,000 /s {'met' if mine >= 10000 else 'missed'} | |")
    mine = statistics.median(tries["can"])
    rows.append(f"| auth: `canEvaluatePolicy` | {mine:.2f} µs | | | ≤ 5 µs {'met' if mine <= 5 else 'missed'} | |")

def log_rows():
    call, view = batches("log.call"), batches("log.view")
    mine = statistics.median(call["disabled"])
    rows.append(f"| log: a call whose level is off | {mine:.1f} ns | | | ≤ 50 ns {'met' if mine <= 50 else 'missed'} | |")
    mine = statistics.median(call["enabled"]) / 1000
    stack = statistics.median(call["stack"]) / 1000
    rows.append(f"| log: a record for a file, in the script's thread | {mine:.2f} µs | {stack:.2f} (the engine: the caller's frame) | {mine / stack:.2f} | ≤ 2 µs {'met' if mine <= 2 else 'missed'} | |")
    mine = numbers("log.file")
    rows.append(f"| log: records from a script into a file | {mine:,.0f} /s | | | ≥ 500,000 /s {'met' if mine >= 500000 else 'missed'} | |")
    mine = statistics.median(view["rate"])
    rows.append(f"| viewer: lines from ten sources, kept and confirmed | {mine:,.0f} /s | | | ≥ 200,000 /s {'met' if mine >= 200000 else 'missed'} | |")
    mine = statistics.median(view["rss"]) / 1024
    rows.append(f"| viewer: resident memory at 1,000,000 lines | {mine:.0f} MiB | | | ≤ 150 {'met' if mine <= 150 else 'missed'} | |")
    for what, title in [("level", "a level of which there is one in a hundred"), ("text", "a text that stands in one line of 97"), ("nowhere", "a text that stands nowhere: all are looked through")]:
        mine = statistics.median(view[what])
        rows.append(f"| viewer: filter over 1,000,000 lines to screen: {title} | {mine:.1f} ms, at most {max(view[what]):.1f} | | | ≤ 100 ms {'met' if mine <= 100 else 'missed'} | |")
    mine = statistics.median(view["key"])
    rows.append(f"| viewer: key to screen under 50,000 lines a second | {mine:.1f} ms, at most {max(view['key']):.1f} | | | ≤ 16 ms {'met' if mine <= 16 else 'missed'} | |")


log_rows()
auth_rows()
prompt = {"start": [], "key": []}
for line in open(f"{work}/prompt.tsv"):
    name, microseconds = line.split("\t")
    prompt[name].append(int(microseconds) / 1000)
mine, base = statistics.median(prompt["start"]), start("nbridge")
rows.append(f"| prompt: start to the first prompt | {mine:.1f} ms | {base:.1f} (run, empty script) | {mine / base:.2f} | ≤ 3 |"
            f" {'met' if mine / base <= 3 else 'missed'} | |")
mine = statistics.median(prompt["key"])
rows.append(f"| prompt: key to screen, entry of 200 lines | {mine:.1f} ms, at most {max(prompt['key']):.1f} | | | ≤ 16 ms |"
            f" {'met' if mine <= 16 else 'missed'} | |")
web, web_node = table("web.nbridge"), table("web.node")
for name, mine in web.items():
    wanted = 2 if name.startswith(("URL:", "Text")) else None
    row(name, mine, web_node.get(name), wanted, base_name="Node")

library = subprocess.run(["pkg-config", "--modversion", "javascriptcoregtk-4.1"], capture_output=True, text=True).stdout.strip()
print("# Results\n")
print("Written by `make bench`: one run, side by side. Medians of several batches; a ratio holds better than a time.\n")
print(f"Machine: {cpu()}, {platform.system()} {platform.release()}; JavaScriptCore {library}.")
print("Floor: a bare C program on the same library whose script calls an async function that calls native code.")
if not node:
    print("Node: absent on this machine.")
print("\n| what | nBridge | beside it | ratio | wanted | | Node N-API, or others |")
print("| --- | --- | --- | --- | --- | --- | --- |")
print("\n".join(rows))
print("\nSimulated sessions of N peers, what each peer does (`nbridge peers simulate --scale`):\n")
print("```text\n" + open(f"{work}/peer.scale").read().rstrip() + "\n```")
