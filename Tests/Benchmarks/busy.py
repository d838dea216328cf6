# SPDX-License-Identifier: MIT
"""Measures rows beside busy processes, and holds their ratios against those of RESULTS.md: what two runs agree on
is a ratio that can be believed."""
import contextlib, os, re, subprocess, sys
import report

AGREES = 0.10
HEAD = "| what | ratio, quiet | ratio, busy | they differ by | |\n" + "| --- " * 5 + "|"


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


def quiet():
    """The ratios of RESULTS.md by title."""
    found = {}
    with open("RESULTS.md") as file:
        for line in file:
            cells = [cell.strip() for cell in line.split(" | ")]
            if line.startswith("| ") and len(cells) > 4 and re.match(r"\d+\.\d+", cells[3]):
                found[cells[0].removeprefix("| ")] = float(cells[3].split()[0])
    return found


def line(title, before, now):
    differ = now / before - 1
    mark = "" if abs(differ) <= AGREES else "more than a tenth"
    return f"| {title} | {before:.2f} | {now:.2f} | {differ:+.0%} | {mark} |"


def main(chosen, is_whole):
    known = quiet()
    with others():
        _, measured = report.measure(chosen)
    both = [(row.title, known[row.title], comparison.ratio) for row in chosen
            if row.title in known and (comparison := report.compared(measured, row)) is not None]
    agree = sum(abs(now / before - 1) <= AGREES for _, before, now in both)
    text = "\n".join([HEAD, *(line(*one) for one in both)])
    print(f"{text}\n\n{agree} of {len(both)} ratios agree within a tenth; load {measured.load()}")
    if is_whole:
        with open("BUSY.md", "w") as file:
            file.write("# Ratios beside other work\n\nWritten by `make bench-busy`: half of the processors do other "
                       "work meanwhile. The quiet ones are\nthose of [RESULTS.md](RESULTS.md). "
                       f"{agree} of {len(both)} agree within a tenth; load {measured.load()}. What differs most is what\n"
                       "needs more than one processor, on one side or on both: threads, and processes that talk.\n\n"
                       f"{text}\n")
    return 0
