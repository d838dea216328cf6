#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints tables that compare nbridge with Node and Deno, where those are installed: `compare.py commands runner errors
prompt`, or some of them. `NBRIDGE_PROGRAM` names another nbridge. Exits with 1 when nbridge is wrong somewhere."""
import sys
import commands, errors, prompt, runner

TABLES = {"commands": commands, "runner": runner, "errors": errors, "prompt": prompt}


def main():
    names = sys.argv[1:] or list(TABLES)
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        print(f"there is no table '{unknown[0]}'; there are {', '.join(TABLES)}", file=sys.stderr)
        return 2
    isRight = True
    for name in names:
        isRight = TABLES[name].table() and isRight
        print()
    return 0 if isRight else 1


if __name__ == "__main__":
    sys.exit(main())
