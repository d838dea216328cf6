#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Measures nBridge beside C programs and the runtimes that are installed, or beside another revision.

    bench.py [ROWS]                all rows, into RESULTS.md, or some: names, groups, globs, with commas
    bench.py help                  lists the rows
    bench.py --against REV [ROWS]  this checkout's build beside that of a revision
    bench.py --busy [ROWS]         beside busy processes: which ratios stay

ROUNDS in the environment is how often each is measured; without it that goes on until a ratio is known within a twentieth, or
for PATIENCE seconds a row (6): a machine that does other work, or shares its processors, needs more.
"""
import argparse, os, signal, sys
import against, busy, place, report, rows


def list_rows():
    for group in rows.GROUPS:
        print(f"{group}:")
        for row in rows.ROWS:
            if row.group == group:
                print(f"  {row.name:<24} {row.title}, {row.unit}".rstrip(", "))
    print("\nROWS takes groups, names and globs with commas: ROWS=start,'url*',memory-calls")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("rows", nargs="?", default="")
    parser.add_argument("--against", metavar="REV")
    parser.add_argument("--busy", action="store_true")
    options = parser.parse_args()
    if options.rows == "help":
        list_rows()
        return 0
    try:
        chosen = rows.choose(options.rows)
    except rows.Unknown as reason:
        print(f"bench: ROWS: {reason}", file=sys.stderr)
        return 2
    os.chdir(place.HERE)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that its files are removed
    if options.against is not None:
        return against.main(chosen, options.against)
    measure = busy.main if options.busy else report.main
    return measure(chosen, is_whole=not options.rows)


if __name__ == "__main__":
    sys.exit(main())
