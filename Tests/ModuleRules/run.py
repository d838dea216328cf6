#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges how nbridge keeps the language of modules (ECMA-262, 16.2): `run.py [--beside node] [--show] [--every N]
[WORD…]`. Words choose families or cases, and `--every` each Nth of a family and what known.txt lists. Exits with 1 when a case fails that known.txt doesn't list, or one that it lists
passes."""
import json, os, pathlib, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
import cases

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RULES = (HERE / "rules.mjs").read_text(encoding="utf-8")
AT_ONCE = 2
# Of cases that share a program: many when they are linked in one go, fewer when each is looked up by itself.
CHUNK, WRONG_CHUNK = 80, 30
# As many wrong modules as one report of nbridge tells; one of them may be wrong in two places.
TOLD_AT_ONCE = 7
SECONDS = 60


def program():
    named = os.environ.get("NBRIDGE_PROGRAM")
    built = [ROOT / ".build" / kind / "nbridge" for kind in ("debug", "release")]
    found = [path for path in built if path.exists()]
    if not named and not found:
        raise SystemExit("there is no nbridge: build it, or name one by NBRIDGE_PROGRAM")
    return str(pathlib.Path(named).resolve()) if named else str(found[0])


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def write(folder, numbered):
    """Each case in a folder of its own. `start.mjs` is what a case is run by: what is wrong in one must show before
    its first module has run."""
    put(folder / "rules.mjs", RULES)
    for number, case in numbered:
        own = folder / f"c{number}"
        for name, text in case.files.items():
            put(own / name, text)
        if case.outcome == "SyntaxError":
            put(own / "ran.mjs", "log('RAN');\nconsole.log('RAN');\n")
            put(own / "start.mjs", "import './ran.mjs';\nimport './main.mjs';\n")
        else:
            put(own / "start.mjs", "import './main.mjs';\n")
            told = f"console.log(JSON.stringify([{number}, 'passes', trail.join(' '), '']));\n"
            put(own / "alone.mjs", f"import '../rules.mjs';\nimport './main.mjs';\n{told}")


# How many turns of promise jobs a case's last ones get before the next case begins.
TOGETHER = """import './rules.mjs';
const names = ['Error', 'SyntaxError', 'TypeError', 'ReferenceError', 'RangeError', 'URIError', 'EvalError'];
const run = async (number, load) => {
  trail.length = 0;
  let outcome = 'passes', message = '';
  try { await load(); } catch (error) {
    outcome = names.find((name) => error?.constructor === globalThis[name]) ?? String(error);
    message = String(error?.message);
  }
  console.log(JSON.stringify([number, outcome, trail.join(' '), message]));
  for (let i = 0; i < 9; i++) await null;
};
"""


def together(chunk, name, folder):
    """One program for many cases. A name that is made at run time keeps a wrong one from the others."""
    lines = []
    for number, case in chunk:
        path = f"'./c{number}/start.mjs'" if case.outcome != "SyntaxError" else f"'./c{number}' + '/start.mjs'"
        lines.append(f"await run({number}, () => import({path}));\n")
    put(folder / name, TOGETHER + "".join(lines))
    return name


class Engine:
    def __init__(self, label, command, folder):
        self.label, self.command, self.folder = label, command, folder
        self.environment = dict(os.environ, NBRIDGE_HOME=str(folder / "home"), NO_COLOR="1", NODE_NO_WARNINGS="1")

    def start(self, file):
        try:
            return subprocess.run(
                self.command + [file], cwd=self.folder, env=self.environment, capture_output=True, encoding="utf-8",
                timeout=SECONDS, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(file, 1, "", f"nothing came in {SECONDS} s")

    def run(self, file):
        """The answers of one program, by number, and what it said besides."""
        done = self.start(file)
        errors = done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        wrong = re.search(r"^(?:Uncaught )?(\w*Error\b.*)$", errors, re.M)
        return {answer[0]: answer[1:] for answer in answers}, wrong[1] if wrong else errors.strip()[:200]

    def told(self, job):
        """Those of some wrong cases that the report about a program of all of them tells. What it leaves out is yet
        to be tried: links are looked at when every text is right, and ten problems are told."""
        name, items = job
        lines = [f"import './c{number}/start.mjs';\n" for number, _ in items]
        put(self.folder / name, "import './rules.mjs';\n" + "".join(lines))
        done = self.start(name)
        found, place = set(), None
        for line in done.stderr.splitlines():
            if match := re.match(r"c(\d+)/\S+:\d+:\d+$", line):
                place = int(match[1])
            elif line.startswith("SyntaxError: ") and place is not None:
                found.add(place)
        return found if done.stdout == "" else set()

    def judge(self, numbered):
        """Why each case failed, by number; None for one that passed."""
        groups, right = {}, set()
        wrong = [item for item in numbered if item[1].outcome == "SyntaxError"]
        isNew = self.label == "nbridge"
        while isNew:
            left = [item for item in wrong if item[0] not in right]
            starts = range(0, len(left), TOLD_AT_ONCE)
            jobs = [(f"told{len(left)}-{at}.mjs", left[at:at + TOLD_AT_ONCE]) for at in starts]
            with ThreadPoolExecutor(AT_ONCE) as pool:
                isNew = set().union(*pool.map(self.told, jobs))
            right |= isNew
        for item in numbered:
            if item[0] in right:
                continue
            groups.setdefault(kind(item[1]), []).append(item)
        jobs = [[item] for item in groups.get("alone", [])]
        for name, size in (("right", CHUNK), ("spoils", WRONG_CHUNK), ("wrong", WRONG_CHUNK)):
            items = groups.get(name, [])
            jobs += [items[at:at + size] for at in range(0, len(items), size)]
        jobs.sort(key=len, reverse=True)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(lambda job: self.job(*job), enumerate(jobs)))
        found = {number: why for result in results for number, why in result.items()}
        return found | {number: None for number in right}

    def job(self, index, items):
        if len(items) == 1 and not items[0][1].isTogether:
            number, case = items[0]
            answers, errors = self.run(f"c{number}/alone.mjs")
            return {number: verdict(case, answers.get(number), errors)}
        answers, errors = self.run(together(items, f"{self.label}{index}.mjs", self.folder))
        found = {number: verdict(case, answers.get(number), errors) for number, case in items}
        # One that ends its program, or never ends, takes nobody with it.
        lost = [(number, case) for number, case in items if number not in answers]
        for at, item in enumerate(lost if len(items) > 1 else []):
            answers, errors = self.run(together([item], f"{self.label}{index}-{at}.mjs", self.folder))
            found[item[0]] = verdict(item[1], answers.get(item[0]), errors)
        return found


def kind(case):
    """What program a case may be in. One that calls for a wrong module spoils the one go in which the others are
    read and linked."""
    if not case.isTogether:
        return "alone"
    if case.outcome == "SyntaxError":
        return "wrong"
    return "spoils" if any(word in case.files["main.mjs"] for word in ("rejects(", "catch(")) else "right"


def verdict(case, answer, errors):
    if answer is None:
        return f"did not come to its end: {errors}"
    outcome, trail, message = answer
    if outcome != case.outcome:
        return f"{outcome} {message}".strip() + f", not {case.outcome}"
    if trail != case.trail:
        return f"trail '{trail}', not '{case.trail}'"
    return None


def listed(name):
    """Cases by name, each with the reason above it."""
    found, reason = {}, ""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line.strip():
            found[line.strip()] = reason
    return found


def share(numbered, every, known):
    """Each Nth case of a family, and those that are known to fail."""
    seen, chosen = {}, []
    for item in numbered:
        place = seen[item[1].family] = seen.get(item[1].family, -1) + 1
        if place % every == 0 or item[1].name in known:
            chosen.append(item)
    return chosen


def table(numbered, results):
    families = {}
    for number, case in numbered:
        families.setdefault(case.family, []).append(number)
    families["all"] = [number for number, _ in numbered]
    print("| family | cases | " + " | ".join(results) + " |")
    print("| --- | --: |" + " --: |" * len(results))
    for name, numbers in families.items():
        counts = [str(sum(why[number] is None for number in numbers)) for why in results.values()]
        print(f"| {name} | {len(numbers)} | {' | '.join(counts)} |")


def main(words):
    isShown, isBeside = "--show" in words, "--beside" in words
    every = 1
    if "--every" in words:
        at = words.index("--every")
        every = int(words[at + 1])
        del words[at:at + 2]
    words = [word for word in words if word not in ("--show", "--beside", "node")]
    found = [case for path in sorted(HERE.glob("*.cases")) for case in cases.family(path)]
    names = [case.name for case in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SystemExit(f"two cases have the same name: {sorted(twice)[0]}")
    numbered = [(n, case) for n, case in enumerate(found) if not words or any(w in case.name for w in words)]
    known, node = listed("known.txt"), listed("node.txt")
    numbered = share(numbered, every, known)
    if strangers := (known.keys() | node.keys()) - set(names):
        raise SystemExit(f"a list names a case that is not there: {sorted(strangers)[0]}")
    with tempfile.TemporaryDirectory(prefix="module-rules-") as place:
        folder = pathlib.Path(place)
        write(folder, numbered)
        engines = [Engine("nbridge", [program(), "run"], folder)]
        if isBeside:
            engines.append(Engine("node", ["node"], folder))
        results = {engine.label: engine.judge(numbered) for engine in engines}
    table(numbered, results)
    ours, other = results["nbridge"], results.get("node", {})
    bad = 0
    for number, case in numbered:
        isNew = (ours[number] is None) == (case.name in known)
        bad += isNew
        if isNew or (isShown and ours[number]):
            beside = ", node passes" if number in other and other[number] is None else ""
            why = ours[number] or "passes, and known.txt lists it"
            print(f"{'!' if isNew else ' '} {case.name}\n    {why}{beside}")
        if other.get(number) and case.name not in node:
            print(f"? node alone, and node.txt does not say why: {case.name}\n    {other[number]}")
    print(f"{bad} cases are not as known.txt says" if bad else "all is as known.txt says")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
