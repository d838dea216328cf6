# SPDX-License-Identifier: MIT
"""Measures rows beside busy processes, and holds their ratios against those of RESULTS.md: what two runs agree on is a
ratio that can be believed."""
import contextlib, os, re, subprocess, sys
import measuring, report

AGREES = 0.10
ALONE = 1.25  # so much of a processor a program with one thread takes, and an engine that compiles beside it
HEAD = "| what | quiet | busy | differs by | processors, ours | beside it |\n" + "| --- " * 6 + "|"


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


def tables():
    """The lines of RESULTS.md's tables, as their cells."""
    with open("RESULTS.md") as file:
        for line in file:
            if line.startswith("| "):
                yield [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def known():
    """The ratios of RESULTS.md by title, but of what took no time: nothing differs from that by a tenth."""
    found = {cells[0]: float(cells[3].split()[0]) for cells in tables()
             if len(cells) > 4 and re.match(r"\d+\.\d+", cells[3])}
    return {title: ratio for title, ratio in found.items() if ratio > 0}


def processors():
    """How many processors each side of a row keeps busy, by its name; None of what is not one command alone."""
    number = lambda text: float(text) if re.fullmatch(r"\d+\.\d", text) else None
    return {cells[0]: (number(cells[4]), number(cells[5])) for cells in tables()
            if len(cells) == 6 and cells[3].isdecimal()}


class Ratios:
    """A row's ratio in two runs, and how many processors its sides keep busy."""

    def __init__(self, title, quiet, busy, used):
        self.title, self.quiet, self.busy, self.used = title, quiet, busy, used

    def is_alone(self):
        """Whether both sides take one processor each, which other work leaves them."""
        return all(one is not None and one <= ALONE for one in self.used)

    def differ(self):
        return self.busy / self.quiet - 1

    def line(self):
        used = ["several" if one is None else f"{one:.1f}" for one in self.used]
        return " | ".join([f"| {self.title}", f"{self.quiet:.2f}", f"{self.busy:.2f}", told(self.differ()), *used]) + " |"


def told(difference):
    """A difference, in bold where it is more than a tenth."""
    return f"{difference:+.0%}" if abs(difference) <= AGREES else f"**{difference:+.0%}**"


def agree(ratios):
    """How many there are, and how many of them differ by no more than a tenth."""
    return f"{sum(abs(one.differ()) <= AGREES for one in ratios)} of {len(ratios)}"


def summary(ratios):
    alone = [one for one in ratios if one.is_alone()]
    rest = [one for one in ratios if not one.is_alone()]
    return (f"Of the rows whose sides take one processor each, {agree(alone)} have the same ratio within a tenth, and of the "
            f"others,\nwhose threads or processes have to share what is left, {agree(rest)}.\n")


def main(chosen, is_whole):
    before, used = known(), processors()
    with others():
        _, measured = report.measure([row for row in chosen if row.beside])
    found = [Ratios(row.title, before[row.title], comparison.ratio, used.get(row.name, (None, None))) for row in chosen
             if row.title in before and (comparison := measuring.compared(measured, row)) is not None]
    text = "\n".join([HEAD, *(one.line() for one in found)])
    print(f"{text}\n\n{summary(found)}load {measured.load()}")
    if is_whole:
        with open("BUSY.md", "w") as file:
            file.write("# Ratios beside other work\n\nWritten by `make bench-busy`: half of the processors do other work "
                       "meanwhile. The quiet ones are\nthose of [RESULTS.md](RESULTS.md). "
                       f"{summary(found)}Load {measured.load()}.\n\n{text}\n")
    return 0
