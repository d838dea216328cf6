# SPDX-License-Identifier: MIT
"""Why a row misses its goal: what profiles showed, and what was tried. Only what was measured stands here."""

REASONS = {
    "start-empty": """most of what is above the floor are pages of the program that a start touches. In place: functions in the
        order of a traced start (`make order`: wall 0.998, memory 0.984), relative relocations, declarations that are made when
        somebody asks (0.95), libraries that are opened when they are first needed, scripts as texts.""",
    "start-processor": "as the start's wall time",
    "memory-start": "the same pages as the start's",
    "async": """an async handler runs as a task: a resident one, parked between calls, since to make one costs four times as
        much. Tried: couriers that read the session through the host (1.26 of today's) and that hold it (1.12).""",
    "fields": "the option crosses as text; structs straight from the engine's objects were not tried",
    "fields-flight": "as one by one",
    "objects-kept": """the engine's stringify and parse are the half of it. The library makes 8-bit strings at 3 ms a MB, wide ones
        at 0.5. Not tried: numbers and short texts in one typed array.""",
    "write-durable": """a profile: each write wakes two threads, and 44 % of the samples are waits by looking around. Tried:
        io_uring, which hands linkat, renameat and fsync to threads of the kernel (a chain took 28 us where the calls took 17).""",
    "write-quick": "as the durable ones",
    "write-quick-flight": "as the durable ones",
    "stream": "one change was tried and taken back, since it took twice as long",
    "pasteboard-set": "seen: the database's pages are of 1 KB; larger ones were not tried",
    "peers-trip": """a profile: each way wakes two threads, 40 to 50 us each when both processors sleep, and the engine works 35
        us a message""",
    "digest": """what a script may change while a thread reads it is copied first, as the standard asks: a quarter of the digest's
        time, with large pages for the copy""",
    "fetch-stream": "each read of libsoup's is an answer with bytes of its own; one design only",
    "gunzip": "one design only",
    "url": "the parser is JavaScript; a call into a native one costs 300 ns of its own",
}


def told(name):
    """The reason on one line; that there is none yet is told, too."""
    return " ".join(REASONS.get(name, "not looked into").split())
