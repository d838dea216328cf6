# SPDX-License-Identifier: MIT
"""Rounds in which runs are measured in turn, A B, B A, A B: what slows the machine hits all of them."""
import os
import figures, place, processes
from runs import RUNS


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
    wanted = os.environ.get("ROUNDS", "")
    if wanted and not (wanted.isdecimal() and int(wanted) > 0):
        raise SystemExit(f"bench: ROUNDS is a number of rounds from 1, not '{wanted}'")
    return int(wanted) if wanted else max([least, *(run.rounds for run in runs)])


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


def in_turn(subjects, rounds):
    """Measures `subjects`: names with a run and its place. The first of many rounds is not counted."""
    measured = Measured()
    for name, (run, where) in subjects.items():
        attempt(measured, name, lambda: run.get_ready(where))
    measured.rounds = {name: [] for name in subjects}
    for index in range(rounds + (rounds > 5)):
        measured.loads.append(processes.load())
        for name in list(subjects) if index % 2 == 0 else reversed(subjects):
            if name not in measured.reasons:
                run, where = subjects[name]
                measured.rounds[name].append(attempt(measured, name, lambda: run.measure(where)))
    if rounds > 5:
        measured.rounds = {name: values[1:] for name, values in measured.rounds.items()}
    return measured


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


def compare(ours, others):
    """None when no round measured both."""
    try:
        return figures.Comparison(ours, others)
    except ValueError:
        return None
