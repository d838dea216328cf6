# SPDX-License-Identifier: MIT
"""What a program takes while nothing happens: its memory, and its processor time with that of what it started."""
import os, time


def resident(process):
    """MiB of a process (proc(5), statm)."""
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def family(process):
    """A process and all that it started, as long as it is there."""
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            children = file.read().split()
    except OSError:
        return []
    return [process, *(one for child in children for one in family(int(child)))]


def spent(processes):
    """Milliseconds of processor time (proc(5), stat)."""
    ticks = 0
    for process in processes:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def idle(process, seconds=5):
    """Milliseconds of processor time a second, of a process and what it started."""
    processes = family(process)
    before = spent(processes)
    time.sleep(seconds)
    return (spent(processes) - before) / seconds
