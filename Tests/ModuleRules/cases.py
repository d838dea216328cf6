# SPDX-License-Identifier: MIT
"""Reads the cases of a family; README.md says how they are written."""
import itertools, pathlib, re
from dataclasses import dataclass, field

HEAD = re.compile(r"== (passes|SyntaxError|throws \w+) (§\S+) (.+?)(?: \| (.+))?$")
MARK = re.compile(r"«(\w+)»")


@dataclass
class Case:
    family: str
    outcome: str  # "passes", "SyntaxError" or the name of what is thrown
    title: str
    files: dict = field(default_factory=dict)
    trail: str = ""
    isTogether: bool = False  # whether it may share a program with others

    @property
    def name(self):
        return f"{self.family}: {self.title}"


def family(path):
    """The cases of a file, each row of its tables filled in."""
    path = pathlib.Path(path)
    tables, found, rows, case, current = {}, [], None, None, None
    isTogether = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if head := HEAD.match(line):
            outcome, section, words, names = head.groups()
            case = (Case(path.stem, outcome.removeprefix("throws "), f"{section} {words}"), (names or "").split())
            case[0].isTogether = isTogether or not outcome == "passes"
            found.append(case)
            rows, current = None, "main.mjs"
        elif line.startswith("=="):
            raise SystemExit(f"{path.name}:{number}: {line} is no head of a case")
        elif line.startswith("table "):
            rows, case = tables.setdefault(line[6:].strip(), []), None
        elif line == "together":
            isTogether = True
        elif case is None:
            if rows is not None and line.startswith("  "):
                rows.append(line[2:])
        elif line.startswith("-- "):
            current = line[3:].strip()
            case[0].files.setdefault(current, "")
        elif line.startswith(">>"):
            case[0].trail = line[2:].strip()
        elif line.strip() and not line.startswith("#:"):
            case[0].files[current] = case[0].files.get(current, "") + line + "\n"
    return [each for case, names in found for each in filled(case, names, tables)]


def filled(case, names, tables):
    if not names:
        return [case]
    every = []
    for rows in itertools.product(*(tables[name] for name in names)):
        values = dict(zip(names, rows))
        title = f"{case.title} [{' / '.join(MARK.sub(lambda m: values.get(m[1], m[0]), row) for row in rows)}]"
        files = {name: replaced(text, values) for name, text in case.files.items()}
        every.append(Case(case.family, case.outcome, title, files, case.trail, case.isTogether))
    return every


def replaced(text, values):
    """Rows may name other tables; `⏎` in one is a line end, `‹2028›` a character."""
    while MARK.search(text):
        text = MARK.sub(lambda match: values[match[1]].replace("⏎", "\n"), text)
    return re.sub(r"‹([0-9A-F]{4})›", lambda match: chr(int(match[1], 16)), text)
