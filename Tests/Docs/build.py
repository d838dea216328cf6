#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds a static site of the DocC catalogues in .build/docs/site. Warnings are errors.

Usage: build.py [MODULE…]; by default every module of Sources that has a catalogue, Sources/MODULE/MODULE.docc. Reads
the modules of the debug build, or those in the folder NBRIDGE_MODULES, so `swift build` comes before. A module that exports others (`@_exported import`) is
shown with what is theirs.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(".build", "docs")
LINK = re.compile(r"\]\(([^)\s:]+?\.md)(#[^)\s]*)?\)")


def run(*words):
    """Runs a program whose output is told only if it fails."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{' '.join(words[:2])} failed")
    return done.stdout


def catalogue(module):
    return os.path.join("Sources", module, module + ".docc")


def exported(module):
    """The modules whose declarations this one hands on."""
    found = set()
    for path in glob.glob(f"Sources/{module}/**/*.swift", recursive=True):
        with open(path, encoding="utf-8") as file:
            found.update(re.findall(r"@_exported (?:public )?import (\w+)", file.read()))
    return sorted(found)


def heading(page, anchor):
    """The anchor as DocC makes it of a heading: its words as they are written. Pages link as GitHub does, in lower case."""
    with open(page, encoding="utf-8") as file:
        for title in re.findall(r"(?m)^#+ +(.*)$", file.read()):
            words = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
            if words.lower() == anchor.lower():
                return words
    sys.exit(f"{page} has no heading '{anchor}'")


def linked(text, page, modules):
    """The page with its links to files turned into links of the site; what the site lacks is named by its path."""

    def replace(match):
        target = os.path.normpath(os.path.join(os.path.dirname(page), match[1]))
        place = "#" + heading(target, match[2][1:]) if match[2] else ""
        name = os.path.basename(target)[:-3]
        if os.path.dirname(target) == os.path.dirname(page):
            return f"](doc:{name}{place})"
        for module in modules:
            if os.path.dirname(target) == catalogue(module):
                end = "" if name == module else "/" + name.lower()
                return f"](/documentation/{module.lower()}{end}{place})"
        return f"](https://nbridge.invalid/{target})"

    text = LINK.sub(replace, text)
    return re.sub(r"\[([^\]]*)\]\(https://nbridge\.invalid/([^)]*)\)", r"\1 (`\2`)", text)


def symbols(module, folder):
    """Writes the module's public declarations, with their comments, into a folder."""
    target = json.loads(run("swift", "-print-target-info"))["target"]["triple"]
    flags = ["-I", os.environ.get("NBRIDGE_MODULES", ".build/debug/Modules")]
    for place in glob.glob("Sources/*/module.modulemap") + glob.glob("Sources/*/include/module.modulemap"):
        flags += ["-I", os.path.dirname(place)]
    libraries = ("javascriptcoregtk-4.1", "gio-unix-2.0", "icu-uc")
    for flag in run("pkg-config", "--cflags-only-I", *libraries).split():
        flags += ["-Xcc", flag]
    others = exported(module)
    if others:
        flags.append("-experimental-allowed-reexported-modules=" + ",".join(others))
    os.makedirs(folder)
    run("swift", "symbolgraph-extract", "-module-name", module, "-target", target, "-minimum-access-level", "public",
        "-skip-synthesized-members", "-output-dir", folder, *flags)


def archive(module, modules):
    """Makes the documentation of one module; answers where it is."""
    pages = os.path.join(WORK, "pages", module + ".docc")
    shutil.copytree(catalogue(module), pages)
    for name in sorted(os.listdir(pages)):
        if name.endswith(".md"):
            with open(os.path.join(pages, name), encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(pages, name), "w", encoding="utf-8") as file:
                file.write(linked(text, os.path.join(catalogue(module), name), modules))
    folder = os.path.join(WORK, "symbols", module)
    symbols(module, folder)
    made = os.path.join(WORK, module + ".doccarchive")
    run("docc", "convert", pages, "--additional-symbol-graph-dir", folder, "--fallback-display-name", module,
        "--fallback-bundle-identifier", module, "--output-path", made, "--transform-for-static-hosting",
        "--warnings-as-errors")
    return made


def main():
    os.chdir(ROOT)
    # The documentation compiler lies beside the compiler, which may be a link.
    os.environ["PATH"] += os.pathsep + os.path.dirname(os.path.realpath(shutil.which("swift") or "swift"))
    modules = sys.argv[1:] or sorted(
        os.path.basename(path)[:-5] for path in glob.glob("Sources/*/*.docc"))
    shutil.rmtree(WORK, ignore_errors=True)
    archives = [archive(module, modules) for module in modules]
    site = os.path.join(WORK, "site")
    run("docc", "merge", *archives, "--output-path", site, "--synthesized-landing-page-name", "nBridge")
    pages = glob.glob(f"{site}/documentation/**/index.html", recursive=True)
    print(f"{len(pages)} pages of {' and '.join(modules)} in {site}")


main()
