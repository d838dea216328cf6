# SPDX-License-Identifier: MIT
"""A drawing of five figures beside Node's, readable on light and dark pages."""
import statistics
from html import escape
from figures import number

# Title, unit, scale; a run and one of its figures, ours and Node's.
FIGURES = [
    ("Start and end of an empty script", "ms", 1, ("start", "wall"), ("start.node", "wall")),
    ("A call on a thread of its own", "µs", 1e-3, ("calls.detached", "detached, sequential"),
     ("node.detached", "detached, sequential")),
    ("A million lines of a file", "ms", 1, ("lines", "wall"), ("lines.node", "wall")),
    ("console.log of a small object", "µs", 1e-3, ("web", "console.log, a small object"),
     ("web.node", "console.log, a small object")),
    ("Parsing a URL", "ns", 1, ("web", "URL: parse, ten kinds"), ("web.node", "URL: parse, ten kinds")),
]
WIDTH, LEFT, LONGEST, HEIGHT = 640, 230, 295, 44
STYLE = """text { font: 13px system-ui, sans-serif; fill: #1f2328 } .figure { font-size: 12px }
.nbridge { fill: #d9480f } .node { fill: #8c959f }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .nbridge { fill: #ff922b } .node { fill: #6e7681 }
}"""


def bar(kind, name, value, most, unit, top):
    """One bar with its figure behind it."""
    long = max(1, round(LONGEST * value / most))
    return (f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{long}" height="14" rx="2"/>'
            f'<text class="figure" x="{LEFT + long + 6}" y="{top + 12}">{number(value)} {unit} {name}</text>')


def bars(measured, index, figure):
    """A title and its two bars; one that was not measured is left out."""
    title, unit, scale, *sources = figure
    top = 12 + index * HEIGHT
    found = []
    for who, (run, key) in zip((("nbridge", "nBridge"), ("node", "Node")), sources):
        values = [value for value in measured.values(run, key, scale) if value is not None]
        found += [(*who, statistics.median(values))] if values else []
    most = max([value for *_, value in found], default=1)
    lines = [f'<text x="{LEFT - 12}" y="{top + 19}" text-anchor="end">{escape(title)}</text>']
    for place, (kind, name, value) in enumerate(found):
        lines.append(bar(kind, name, value, most, unit, top + 16 * place))
    return "\n".join(lines)


def draw(measured):
    """The drawing. Shorter is better in all of it."""
    high = 12 + HEIGHT * len(FIGURES) + 20
    parts = [bars(measured, index, figure) for index, figure in enumerate(FIGURES)]
    note = "shorter is better; medians of one run of make bench"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" '
        f'height="{high}">',
        f"<title>nBridge beside Node: shorter is better</title>\n<style>{STYLE}</style>", *parts,
        f'<text class="figure" x="{LEFT}" y="{high - 8}">{note}</text>\n</svg>\n'])
