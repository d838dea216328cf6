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
    "fields": """a profile: 54 % in the engine (stringify, parse, the promise's job), which is all that the floor does; 40 % in
        Swift, flat over some 40 functions, of which looking up the types of Codable's containers is the largest (6 %). The
        option crosses as text; structs straight from the engine's objects were not tried: a plugin decodes as it likes.""",
    "fields-flight": "as one by one",
    "objects-kept": """the engine's stringify and parse are the half of it. The library makes 8-bit strings at 3 ms a MB, wide ones
        at 0.5. Not tried: numbers and short texts in one typed array.""",
    "write-durable": """a profile: each write wakes two threads, and 44 % of the samples are waits by looking around. Tried:
        io_uring, which hands linkat, renameat and fsync to threads of the kernel (a chain took 28 us where the calls took 17).""",
    "write-quick": "as the durable ones",
    "write-quick-flight": "as the durable ones",
    "stream": "one change was tried and taken back, since it took twice as long",
    "pasteboard-set": """what is deleted is overwritten in the same transaction: some ten pages of 1 KiB, 21 writes a set, where
        the floor writes two. A profile: 34 % in the kernel, 18 % in SQLite, 22 % in the engine, 15 % in Swift. Larger pages would
        write more of what did not change; not tried.""",
    "preference-get": """an immediate call of another plugin takes 1.5 us here; a profile: 44 % in the engine, 39 % in Swift, of which
        reading the option's text is the most""",
    "typescript-first": """in place: esbuild starts once, beside the engine, and nobody waits for its end; a path that names a file
        is not looked for by it (together 0.81 of before). What is left are ten messages between two processes, and its first
        transformation, 2 ms. Not tried: taking types off without it.""",
    "loaded-immediate": """a profile: the plugin's library 12 %, flat over 15 functions, the host's side 4 % more than for a linked
        one: a request and an answer are written to memory and read back, 16 bytes behind stores of 8""",
    "loaded-immediate-flight": "as one by one",
    "memory-stream": """pieces of 1 MiB that were written wait for the collector, which begins when some 40 MiB have come""",
    "peers-trip": """a profile: each way wakes two threads, 40 to 50 us each when both processors sleep, and the engine works 35
        us a message""",
    "digest": """what a script may change while a thread reads it is copied first, as the standard asks: a quarter of the digest's
        time, with large pages for the copy""",
    "fetch-stream": "each read of libsoup's is an answer with bytes of its own; one design only",
    "gzip": """what is compressed is copied once, as a script may change it meanwhile; a second copy is gone""",
    "gunzip": """256 pieces of 64 KiB, each with memory of its own and a turn of the stream's, where the floor fills one buffer
        again and again""",
    "url": "the parser is JavaScript; a call into a native one costs 300 ns of its own",
}


def told(name):
    """The reason on one line; that there is none yet is told, too."""
    return " ".join(REASONS.get(name, "not looked into").split())
