# SPDX-License-Identifier: MIT
"""Two builds, this one and another revision's, by the rows' own command, in turn."""
import sys
import figures, measuring, place, processes
from runs import RUNS

LEAST = 5  # rounds
HEAD = ("", "this", "other", "this/other", "middle half", "best rounds", "")


def lines_of(run, rows, measured):
    """A line for each row, and one of the command's processor time, which other work moves less."""
    for row in rows:
        yield line(measured, row.ours[0], row.ours[1], row.scale, row.title, row.unit, row.rises)
    if not callable(run.command) and measured.has(("this", run.name), "cpu"):
        yield line(measured, run.name, "cpu", 1, "processor time of the whole command", "ms", False)


def line(measured, run, key, scale, title, unit, rises):
    both = [measured.values((side, run), key, scale) for side in ("this", "other")]
    comparison = measuring.compare(*both)
    if comparison is None:
        side = next(side for side in ("this", "other") if not measured.has((side, run), key))
        reason = measured.reason((side, run), key)
        return (title, "", "", "", "", "", f"{side} can't run it: {reason}")
    lower, upper = comparison.spread
    return (title, f"{figures.number(comparison.ours)} {unit}", f"{figures.number(comparison.other)} {unit}",
            f"{comparison.ratio:.3f}", f"{lower:.3f} to {upper:.3f}", f"{comparison.best(rises):.3f}",
            comparison.verdict(rises))


def show(lines, colours):
    """A table; a row that is worse is red on a terminal."""
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    for line in lines:
        cells = [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:6], widths[1:]))]
        text = "  ".join([*cells, line[6]]).rstrip()
        print(f"\x1b[31m{text}\x1b[0m" if colours and line[6] == "worse" else text, flush=True)


def measure(name, rows, sides):
    """Measures a run by both builds and prints its rows."""
    run = RUNS[name]
    rounds = measuring.count([run], LEAST)
    measured = measuring.in_turn({(side, name): (run, where) for side, where in sides.items()}, rounds)
    print(f"\n{run.told()}: {rounds} pairs, load {measured.load()}")
    show([HEAD, *lines_of(run, rows, measured)], sys.stdout.isatty())


def main(rows, revision):
    """Builds, measures and prints. A row that can't be measured is named, with the reason."""
    sides = {"this": place.Place(), "other": place.other(revision)}
    print(f"This build beside that of {sides['other']['name']}, in turn: a ratio above 1 is more.")
    measuring.tell_load()
    for name in dict.fromkeys(row.ours[0] for row in rows):
        measure(name, [row for row in rows if row.ours[0] == name], sides)
    return 0
