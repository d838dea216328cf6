# SPDX-License-Identifier: MIT
"""Prints the rows beside their floors and peers, and writes RESULTS.md of a whole run."""
import datetime, platform, statistics, subprocess
import drawing, figures, measuring, place, reasons
from runs import RUNS

HEAD = "| what | nBridge | beside it | ratio | middle half | goal | | others |\n" + "| --- " * 8 + "|"
HOW_HEAD = "| row | measured by | beside it | rounds | processors, ours | beside it |\n" + "| --- " * 6 + "|"


def shown(value, unit):
    return f"{figures.number(value)} {unit}".rstrip()


def middle(measured, run, key, scale):
    """The median of a run's figure, or None."""
    values = [value for value in measured.values(run, key, scale) if value is not None]
    return statistics.median(values) if values else None


def cell(measured, row, source):
    """A figure and who that is, or why there is none."""
    run, key, who = source
    value = middle(measured, run, key, row.scale)
    if value is not None:
        return f"{shown(value, row.unit)} ({who})"
    reason = measured.reason(run, key)
    return reason if reason.startswith(who) else f"{who}: {reason}"


def line(measured, row):
    """A row of the table."""
    run, key = row.ours
    ours = middle(measured, run, key, row.scale)
    if ours is None:
        return f"| {row.title} | not measured: {measured.reason(run, key)} | | | | | missed | |"
    most = middle(measured, run, f"{key}, most", row.scale)
    comparison = measuring.compared(measured, row)
    return "| " + " | ".join([
        row.title, shown(ours, row.unit) + (f", at most {figures.number(most)}" if most else ""),
        cell(measured, row, row.beside) if row.beside else "",
        *ratio_cells(row, comparison, measuring.is_unsure(measured, row)),
        " or ".join(goal.text(row.unit) for goal in row.goals), verdict(row, ours, comparison),
        ", ".join(cell(measured, row, source) for source in row.others)]) + " |"


def ratio_cells(row, comparison, is_unsure):
    if comparison is None:
        return ["", ""]
    added = any(goal.kind == "added" for goal in row.goals)
    more = ("+" if comparison.added > 0 else "") + shown(comparison.added, row.unit)
    ratio = f"{comparison.ratio:.2f}" + (" ~" if is_unsure else "") + (f" ({more})" if added else "")
    return [ratio, f"{comparison.spread[0]:.2f} to {comparison.spread[1]:.2f}"]


def verdict(row, ours, comparison):
    """Whether one of the goals is met; nothing when none can be told."""
    met = [goal.is_met(ours, comparison) for goal in row.goals]
    if all(one is None for one in met):
        return ""
    return "met" if any(met) else "missed"


def is_missed(measured, row):
    ours = middle(measured, *row.ours, row.scale)
    return ours is None or verdict(row, ours, measuring.compared(measured, row)) == "missed"


def missed(measured, chosen):
    """What misses its goal, and why."""
    lines = [f"- **{row.title}** (`{row.name}`): {reasons.told(row.name)}"
             for row in chosen if is_missed(measured, row)]
    return ["\n## What misses its goal, and why\n", *lines] if lines else []


def by(name):
    """What a run does: its command, or what the function says of itself."""
    told = RUNS[name].told()
    return told if callable(RUNS[name].command) else f"`{told}`"


def taken(measured, run):
    """How many rounds there were of it."""
    return sum(one is not None for one in measured.rounds.get(run, []))


def processors(measured, run):
    """How many a command keeps busy; nothing of what is not one command alone."""
    both = zip(measured.values(run, "cpu"), measured.values(run, "wall"))
    used = [cpu / wall for cpu, wall in both if cpu is not None and wall]
    return f"{statistics.median(used):.1f}" if used else ""


def how(measured, row):
    """By which commands a row is measured, how often, and how many processors they take."""
    run, key = row.ours
    beside = "" if not row.beside else "the same run" if row.beside[0] == run else by(row.beside[0])
    other = processors(measured, row.beside[0]) if row.beside else ""
    return f"| {row.name} | {by(run)}: {key} | {beside} | {taken(measured, run)} | {processors(measured, run)} | {other} |"


def sure(measured, chosen):
    """How many ratios another run would find where this one did."""
    compared = [row for row in chosen if measuring.compared(measured, row) is not None]
    known = sum(not measuring.is_unsure(measured, row) for row in compared)
    return f"Of {len(compared)} ratios {known} are known so well; ~ marks the others, whose rounds differ too much here."


def processor():
    with open("/proc/cpuinfo") as file:
        names = (line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
        return next(names, platform.machine())


def absent(measured):
    """What isn't installed here."""
    end = " is absent"
    names = sorted({reason.removesuffix(end) for reason in measured.reasons.values() if reason.endswith(end)})
    return f"Absent on this machine: {', '.join(names)}.\n" if names else ""


def page(measured, chosen, here):
    """RESULTS.md."""
    engine = subprocess.run(["pkg-config", "--modversion", "javascriptcoregtk-4.1"], capture_output=True,
                            text=True)
    texts = [f"\n{run.shown}:\n\n```text\n{here[f'shown by {name}'].rstrip()}\n```\n"
             for name, run in RUNS.items() if f"shown by {name}" in here]
    return "\n".join([
        "# Results\n",
        f"Written by `make bench` on {datetime.date.today()}, in one run. What a row compares is measured in",
        "turn, A B, B A, A B: figures are medians of the rounds; a ratio is the median of each round's,",
        "beside the middle half of them. There are as many rounds as it takes to know the ratio's median",
        "within a twentieth, nine times of ten, for some seconds a row.",
        sure(measured, chosen),
        "A ratio holds better than a time: [BUSY.md](BUSY.md) tells which stay beside other work,",
        "[SCALE.md](SCALE.md) how cost grows.\n",
        f"Machine: {processor()}, {platform.system()} {platform.release()};",
        f"JavaScriptCore {engine.stdout.strip()}; load {measured.load()} meanwhile.",
        "Floor: a bare C program on the same library whose script calls an async function that calls native",
        "code.",
        absent(measured), "![Five of the figures](results.svg)\n",
        HEAD, *(line(measured, row) for row in chosen), *texts, *missed(measured, chosen),
        "\n## How each row is measured\n", HOW_HEAD, *(how(measured, row) for row in chosen), ""])


def measure(chosen):
    """Measures the rows' runs, those that are compared in turn."""
    here, measured = place.Place(), measuring.Measured()
    measuring.tell_load()
    for runs in measuring.groups(chosen):
        place.tell("measuring " + ", ".join(run.name for run in runs))
        measured.add(measuring.measure(runs, chosen, here))
    return here, measured


def main(chosen, is_whole):
    """Prints the rows; fails when one of them could not be measured."""
    here, measured = measure(chosen)
    print("\n".join([HEAD, *(line(measured, row) for row in chosen)]) + f"\n\nload {measured.load()}")
    if is_whole:
        with open("RESULTS.md", "w") as file:
            file.write(page(measured, chosen, here))
        with open("results.svg", "w") as file:
            file.write(drawing.draw(measured))
    return 0 if all(measured.has(*row.ours) for row in chosen) else 1
