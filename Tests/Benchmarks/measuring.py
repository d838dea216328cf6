# SPDX-License-Identifier: MIT
"""Rounds in which runs are measured in turn, A B, B A, A B: what slows the machine hits all of them."""
import os, time
import figures, place, processes
from runs import RUNS

PATIENCE = 6  # seconds for further rounds, for each row that is compared; `PATIENCE` in the environment is stronger


class Measured:
    """Figures of each round by run, what kept a run from being measured, and the machine's load meanwhile."""

    def __init__(self):
        self.rounds, self.reasons, self.loads = {}, {}, []

    def values(self, subject, key, scale=1):
        """A figure of each round; None where it was not measured."""
        return [one[key] * scale if one and key in one else None for one in self.rounds.get(subject, [])]

    def has(self, subject, key):
        return any(value is not None for value in self.values(subject, key))

    def reason(self, subject, key):
        """Why there is no such figure."""
        return self.reasons.get(subject, f"it gave no figure '{key}'")

    def load(self):
        return f"{min(self.loads):.1f} to {max(self.loads):.1f}"

    def add(self, other):
        self.rounds.update(other.rounds), self.reasons.update(other.reasons), self.loads.extend(other.loads)


def count(runs, least=1):
    """How many rounds; `ROUNDS` is stronger."""
    return setting("ROUNDS", "rounds") or max([least, *(run.rounds for run in runs)])


def attempt(measured, subject, action):
    """What an action answers, or None, with the reason kept."""
    try:
        return action()
    except processes.Absent as reason:
        measured.reasons[subject] = f"{reason} is absent"
    except (processes.Failure, ValueError, OSError) as reason:
        # In one line, as it stands in a table.
        measured.reasons[subject] = " ".join(str(reason).replace("|", "/").split())[:300]
    return None


def setting(name, what):
    """A whole number from 1 of the environment; None where it has none."""
    wanted = os.environ.get(name, "")
    if wanted and not (wanted.isdecimal() and int(wanted) > 0):
        raise SystemExit(f"bench: {name} is a number of {what} from 1, not '{wanted}'")
    return int(wanted) if wanted else None


def is_counted():
    """Whether `ROUNDS` says how many, which are no more then."""
    return bool(os.environ.get("ROUNDS"))


def take_round(measured, subjects, names, index):
    """One round of those that are named; of the others it has nothing."""
    measured.loads.append(processes.load())
    for name in list(subjects) if index % 2 == 0 else reversed(subjects):
        if name in measured.reasons:
            continue
        run, where = subjects[name]
        measured.rounds[name].append(attempt(measured, name, lambda: run.measure(where)) if name in names else None)


def in_turn(subjects, rounds, doubted=None, patience=0):
    """Measures `subjects`: names with a run and its place. The first of many rounds is not counted. Those that
    `doubted` names of what was measured have further ones, until it names none or so many seconds are over."""
    measured = Measured()
    for name, (run, where) in subjects.items():
        attempt(measured, name, lambda: run.get_ready(where))
    measured.rounds = {name: [] for name in subjects}
    for index in range(rounds + (rounds > 5)):
        take_round(measured, subjects, subjects, index)
    if rounds > 5:
        measured.rounds = {name: values[1:] for name, values in measured.rounds.items()}
    index, end = 0, time.monotonic() + patience
    while doubted and time.monotonic() < end and (names := doubted(measured)):
        take_round(measured, subjects, names, index)
        index += 1
    return measured


def doubts(rows):
    """Names the runs of rows whose ratio is not known well enough. A run that is measured once needs no more."""
    def doubted(measured):
        unsure = (row for row in rows if is_unsure(measured, row))
        return {name for row in unsure for name in (row.ours[0], row.beside[0])}
    return doubted


def compared(measured, row):
    """The two sides of a row; None when it has one, or no round measured both."""
    if not row.beside:
        return None
    return compare(*(measured.values(run, key, row.scale) for run, key, *_ in (row.ours, row.beside)))


def is_unsure(measured, row):
    comparison = compared(measured, row)
    return comparison is not None and RUNS[row.ours[0]].rounds > 1 and not comparison.is_sure()


def tell_load():
    """A machine that does other work is named: figures of it say little."""
    load = processes.load()
    if load > os.cpu_count() / 2:
        place.tell(f"the machine is busy (load {load:.1f}): wait, or take more rounds, as ROUNDS=15")


def groups(rows):
    """Names of runs that rows compare, in groups that are measured together."""
    found = []
    for row in rows:
        names = dict.fromkeys(source[0] for source in row.sources())
        joined = [group for group in found if names.keys() & group.keys()]
        for group in joined:
            found.remove(group)
            names = {**group, **names}
        found.append(names)
    return [[RUNS[name] for name in group] for group in found]


def measure(runs, chosen, here):
    """Measures runs that are compared by some of the rows, until their ratios are known, or for so long."""
    names = {run.name for run in runs}
    rows = [row for row in chosen if row.beside and row.ours[0] in names]
    subjects = {run.name: (run, here) for run in runs}
    if is_counted():
        return in_turn(subjects, count(runs))
    patience = setting("PATIENCE", "seconds") or PATIENCE
    return in_turn(subjects, count(runs), doubts(rows), patience * len(rows))


def compare(ours, others):
    """None when no round measured both."""
    try:
        return figures.Comparison(ours, others)
    except ValueError:
        return None
