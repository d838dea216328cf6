# SPDX-License-Identifier: MIT
"""Measures rows when nothing else runs and beside busy processes, each group one after the other, and holds their
ratios against each other and those of RESULTS.md: what these agree on is a ratio that can be believed."""
import contextlib, os, re, statistics, subprocess, sys
import measuring, place

AGREES = 0.10
ALONE = 1.25  # so much of a processor is a program's with one thread, and an engine's that compiles beside it
HEAD = ("| what | RESULTS.md | quiet | differs by | busy | differs by | processors, ours | beside it |\n"
        + "| --- " * 8 + "|")


@contextlib.contextmanager
def others():
    """Keeps half of the processors busy."""
    loop = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(loop) for _ in range(max(1, (os.cpu_count() or 2) // 2))]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def known():
    """The ratios of RESULTS.md by title."""
    found = {}
    with open("RESULTS.md") as file:
        for line in file:
            cells = [cell.strip() for cell in line.split(" | ")]
            if line.startswith("| ") and len(cells) > 4 and re.match(r"\d+\.\d+", cells[3]):
                found[cells[0].removeprefix("| ")] = float(cells[3].split()[0])
    return found


def processors(measured, run):
    """How many a command keeps busy; None of what is not one command alone."""
    both = list(zip(measured.values(run, "cpu"), measured.values(run, "wall")))
    used = [cpu / wall for cpu, wall in both if cpu is not None and wall]
    return statistics.median(used) if used else None


class Ratios:
    """A row's ratio in three runs, and how many processors its sides keep busy."""

    def __init__(self, title, page, quiet, busy, used):
        self.title, self.page, self.quiet, self.busy, self.used = title, page, quiet, busy, used

    def is_alone(self):
        """Whether both sides take one processor each, which other work leaves them."""
        return all(one is not None and one <= ALONE for one in self.used)

    def again(self):
        return None if self.page is None else self.quiet / self.page - 1

    def beside(self):
        return self.busy / self.quiet - 1

    def line(self):
        page = "" if self.page is None else f"{self.page:.2f}"
        used = ["several" if one is None else f"{one:.1f}" for one in self.used]
        return " | ".join([f"| {self.title}", page, f"{self.quiet:.2f}", told(self.again()), f"{self.busy:.2f}",
                           told(self.beside()), *used]) + " |"


def told(difference):
    """A difference, in bold where it is more than a tenth."""
    if difference is None:
        return ""
    return f"{difference:+.0%}" if abs(difference) <= AGREES else f"**{difference:+.0%}**"


def agree(differences):
    """How many there are, and how many of them are within a tenth."""
    there = [one for one in differences if one is not None]
    return f"{sum(abs(one) <= AGREES for one in there)} of {len(there)}"


def summary(ratios):
    alone = [one for one in ratios if one.is_alone()]
    rest = [one for one in ratios if not one.is_alone()]
    return (f"Two quiet runs, one of them that of RESULTS.md, agree within a tenth in {agree(one.again() for one in ratios)} "
            f"rows. A quiet and a busy\none agree in {agree(one.beside() for one in alone)} rows whose sides take one "
            f"processor each, and in {agree(one.beside() for one in rest)} of the others,\nwhose threads or processes "
            "have to share what is left.\n")


def ratios(measured, busy, rows, page):
    """The rows of which both runs have a ratio."""
    for row in rows:
        one, other = measuring.compared(measured, row), measuring.compared(busy, row)
        if one is not None and other is not None:
            used = [processors(measured, row.ours[0]), processors(measured, row.beside[0])]
            yield Ratios(row.title, page.get(row.title), one.ratio, other.ratio, used)


def main(chosen, is_whole):
    here, page, found, quiet, busy = place.Place(), known(), [], measuring.Measured(), measuring.Measured()
    measuring.tell_load()
    for runs in measuring.groups([row for row in chosen if row.beside]):
        place.tell("measuring " + ", ".join(run.name for run in runs))
        quiet.add(measuring.measure(runs, chosen, here))
        with others():
            busy.add(measuring.measure(runs, chosen, here))
    found = list(ratios(quiet, busy, chosen, page))
    text = "\n".join([HEAD, *(one.line() for one in found)])
    print(f"{text}\n\n{summary(found)}load {quiet.load()}, and {busy.load()}")
    if is_whole:
        with open("BUSY.md", "w") as file:
            file.write("# Ratios in another run, and beside other work\n\nWritten by `make bench-busy`: each row by "
                       "itself, then while half of the processors do other work.\n"
                       f"{summary(found)}Load {quiet.load()}, and {busy.load()}.\n\n{text}\n")
    return 0
