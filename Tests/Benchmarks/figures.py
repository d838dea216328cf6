# SPDX-License-Identifier: MIT
"""What is made of measured numbers: medians, ratios of pairs, their spread, and whether a goal is met."""
import math, re, statistics

WORSE = 1.05  # from here on a build is worse than another
SURE = 0.05  # a ratio is known when its median lies within so much of what was measured


def spread(values):
    """The middle half of some values, as its lower and upper end."""
    if len(values) < 2:
        return values[0], values[0]
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, upper


def interval(values, confidence=0.9):
    """Where the median of all rounds that might be measured lies, at least so often: between two of the values in
    their order, by the binomial distribution alone (David and Nagaraja, Order Statistics, 7.1). None of fewer than
    five values, which can't say it."""
    count, ordered, ends = len(values), sorted(values), None
    for index in range(count // 2):
        outside = sum(math.comb(count, n) for n in range(index + 1)) / 2 ** count
        if 1 - 2 * outside >= confidence:
            ends = ordered[index], ordered[count - 1 - index]
    return ends


def pairs(ours, others):
    """Values of the rounds in which both sides were measured; None stands for one that failed."""
    return [(one, other) for one, other in zip(ours, others) if one is not None and other is not None]


class Comparison:
    """Two sides measured in turn: medians of both, and the median and the spread of each round's ratio. The
    ratio of a round holds on a machine whose speed changes, as the two times are from the same moment."""

    def __init__(self, ours, others):
        both = [(one, other) for one, other in pairs(ours, others) if other != 0]
        if not both:
            raise ValueError("no round measured both sides")
        self.all_ours, self.all_others = zip(*both)
        self.ours, self.other = statistics.median(self.all_ours), statistics.median(self.all_others)
        self.ratios = [one / other for one, other in both]
        self.ratio = statistics.median(self.ratios)
        self.spread = spread(self.ratios)
        self.added = statistics.median(one - other for one, other in both)

    def is_sure(self):
        """Whether another run would find the ratio within a twentieth of this one."""
        ends = interval(self.ratios)
        return ends is not None and all(abs(end / self.ratio - 1) <= SURE for end in ends)

    def best(self, rises=False):
        """The ratio of both sides' best rounds: other work of the machine only ever makes a round worse."""
        best = max if rises else min
        return best(self.all_ours) / best(self.all_others)

    def verdict(self, rises=False):
        """`worse` when ours takes 5 % more, or does 5 % less, than the other; `unsure` when the best rounds
        don't show half of it, or a part of the middle half says otherwise."""
        factors = [self.ratio, self.best(rises), *self.spread]
        ratio, best, *ends = [1 / one for one in factors] if rises else factors
        if ratio < WORSE:
            return ""
        return "worse" if best >= (1 + WORSE) / 2 and min(ends) > 1 else "unsure"


class Goal:
    """What a row should reach: `ratio` of ours and what is beside it, ours `most` or `least`, or `added` to
    what is beside it. `higher` says that a ratio is to be reached, not kept below."""

    def __init__(self, kind, limit, higher=False):
        self.kind, self.limit = kind, limit
        self.rises = higher or kind == "least"

    def is_met(self, ours, comparison):
        """None when there is nothing to compare with."""
        if self.kind in ("most", "least"):
            value = ours
        elif comparison is None:
            return None
        else:
            value = comparison.ratio if self.kind == "ratio" else comparison.added
        return value >= self.limit if self.rises else value <= self.limit

    def text(self, unit):
        sign = "≥ " if self.rises else "≤ "
        if self.kind == "ratio":
            return f"{sign}{self.limit:g} ×"
        limit = f"{self.limit:,}" if self.limit == int(self.limit) else f"{self.limit:,.4g}"
        return f"{sign}{'+' if self.kind == 'added' else ''}{limit} {unit}".rstrip()


def ratio(limit, higher=False):
    return Goal("ratio", limit, higher)


def most(limit):
    return Goal("most", limit)


def least(limit):
    return Goal("least", limit)


def added(limit):
    return Goal("added", limit)


def number(value):
    """With as many digits as can be told from noise."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def read(text):
    """Figures of `KEY<tab>VALUE` lines; of several of a key, the median, and the most as `KEY, most`."""
    found = {}
    for key, value in re.findall(r"(?m)^(.+)\t(-?[0-9.]+)$", text):
        found.setdefault(key, []).append(float(value))
    figures = {key: statistics.median(values) for key, values in found.items()}
    figures.update({f"{key}, most": max(values) for key, values in found.items() if len(values) > 1})
    return figures


def read_columns(text, columns):
    """Figures of lines of numbers, each column by its name; of several lines, the median."""
    lines = [[float(word) for word in line.split()] for line in text.splitlines() if line.strip()]
    if not lines or any(len(line) < len(columns) for line in lines):
        raise ValueError(f"{len(columns)} figures were wanted, and {text[:200]!r} came")
    return {name: statistics.median(line[index] for line in lines) for index, name in enumerate(columns)}
