# SPDX-License-Identifier: MIT
"""Prints the rows beside their floors and peers, and writes RESULTS.md of a whole run."""
import datetime, os, platform, subprocess, sys
import figures, measuring, place, processes

HEAD = "| what | nBridge | beside it | ratio | middle half | goal | | others |\n" + "| --- " * 8 + "|"


def shown(value, unit):
    return f"{figures.number(value)} {unit}".rstrip()


def middle(measured, run, key, scale):
    """The median of a run's figure, with the most of it where that is told, or None."""
    values = [value for value in measured.values(run, key, scale) if value is not None]
    return figures.statistics.median(values) if values else None


def cell(measured, row, source):
    """A figure and who that is, or why there is none."""
    run, key, who = source
    value = middle(measured, run, key, row.scale)
    if value is None:
        return f"{who}: {measured.reason(run, key)}"
    return f"{shown(value, row.unit)} ({who})"


def line(measured, row):
    """A row of the table."""
    run, key = row.ours
    ours = middle(measured, run, key, row.scale)
    if ours is None:
        return f"| {row.title} | not measured: {measured.reason(run, key)} | | | | | missed | |"
    most = middle(measured, run, f"{key}, most", row.scale)
    cells = [row.title, shown(ours, row.unit) + (f", at most {figures.number(most)}" if most else "")]
    comparison = None
    if row.beside:
        values = measured.values(run, key, row.scale)
        comparison = measuring.compare(values, measured.values(row.beside[0], row.beside[1], row.scale))
    cells.append(cell(measured, row, row.beside) if row.beside else "")
    cells += ratio_cells(row, comparison)
    cells.append(" or ".join(goal.text(row.unit) for goal in row.goals))
    cells.append(verdict(row, ours, comparison))
    cells.append(", ".join(cell(measured, row, source) for source in row.others))
    return "| " + " | ".join(cells) + " |"


def ratio_cells(row, comparison):
    if comparison is None:
        return ["", ""]
    added = any(goal.kind == "added" for goal in row.goals)
    text = f"{comparison.added:+.2f} {row.unit}" if added else f"{comparison.ratio:.2f}"
    return [text, f"{comparison.spread[0]:.2f} to {comparison.spread[1]:.2f}"]


def verdict(row, ours, comparison):
    met = [goal.is_met(ours, comparison) for goal in row.goals]
    if not met or all(one is None for one in met):
        return ""
    return "met" if any(met) else "missed"


def processor():
    with open("/proc/cpuinfo") as file:
        names = (line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
        return next(names, platform.machine())


def measure(chosen):
    """Measures the rows' runs, those that are compared in turn."""
    here, measured = place.Place(), measuring.Measured()
    measuring.tell_load()
    for runs in measuring.groups(chosen):
        place.tell("measuring " + ", ".join(run.name for run in runs))
        measured.add(measuring.in_turn({run.name: (run, here) for run in runs}, measuring.count(runs)))
    return here, measured


def main(chosen, is_whole):
    here, measured = measure(chosen)
    print(HEAD)
    print("\n".join(line(measured, row) for row in chosen))
    return 0
