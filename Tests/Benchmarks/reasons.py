# SPDX-License-Identifier: MIT
"""Why a row misses its goal: what profiles showed, and what was tried. Only what was measured stands here."""

# Goals in times of their own are those of a fast machine; the same program misses some of them on another.
SLOW = "met on a faster machine ({0}, where the C floors took half of their time here)"

REASONS = {
    "watch": SLOW.format("454 ns"),
    "recorded-detached": SLOW.format("+300 ns"),
    "recorded-fields": SLOW.format("+620 ns"),
    "recorded-fields-flight": SLOW.format("+640 ns"),
    "isolated-fields-flight": SLOW.format("4,250 ns"),
    "list": SLOW.format("1.12"),
    "pasteboard-get": SLOW.format("28 us"),
    "pasteboard-large": SLOW.format("1.16"),
    "pasteboard-watch": SLOW.format("10.0 ms"),
    "pasteboard-rate": SLOW.format("1,000 /s") + ": ten watchers and a writer have two processors",
    "preference-set": SLOW.format("19.7 us"),
    "peers-flow": SLOW.format("371,242 /s"),
    "peers-crowd": SLOW.format("1.81 s"),
    "log-record": SLOW.format("1.66 us"),
    "log-file": SLOW.format("725,991 /s"),
    "viewer-nowhere": SLOW.format("75.8 ms"),
    "auth-evaluate": SLOW.format("36.9 us"),
    "auth-can": SLOW.format("3.31 us"),
    "loaded-fields-flight": "as one by one, which is met",
    "decode-short": "a draw: five pairs gave 0.74 to 1.08 of Node's time, and 0.95 in the middle on another machine",
    "lines": "met on another machine (0.83): Node took 807 ms there, and takes 530 here",
    "peers-resource": "met on another machine (0.73), where socat carried 1.24 GB/s, and 2.32 here",
    "window-alone": "met on another machine (0.36), where a script message takes 237 us, and 138 here",
    "loaded-async": "as the immediate ones: the same 0.3 to 0.5 us more for a request and an answer that cross by memory",
    "loaded-async-flight": "as one by one",
    "loaded-detached": SLOW.format("1.07"),
    "start-empty": """most of what is above the floor are pages of the program that a start touches. In place: functions in the
        order of a traced start (`make order`: wall 0.998, memory 0.984), relative relocations, declarations that are made when
        somebody asks (0.95), libraries that are opened when they are first needed, scripts as texts.""",
    "start-processor": "as the start's wall time",
    "memory-start": "the same pages as the start's",
    "async": """an async handler runs as a task: a resident one, parked between calls, since to make one costs four times as
        much. Tried: couriers that read the session through the host (1.26 of today's) and that hold it (1.12). Of the profile 13 % are
        locks: Swift looks up, at each of four hops, which executor the task prefers. Without that preference what a handler calls would
        run on other threads.""",
    "fields": """a profile: 54 % in the engine (stringify, parse, the promise's job), which is all that the floor does; 40 % in
        Swift, flat over some 40 functions, of which looking up the types of Codable's containers is the largest (6 %). Tried: a
        larger smallest heap of the engine's, for fewer collections (8 MiB: 1.08 of the time, since less stays in the processor's
        caches). Structs without a text between, measured as C programs on the same library: the engine's functions get and
        set four properties in 1.3 to 1.5 of the text's time; the script's own code hands them over by position, and makes the
        answer, in 0.55 to 0.65. That would take 0.2 off this row, by a second codec for flat options of plain values, beside that
        of texts, which all others need.""",
    "fields-flight": "as one by one",
    "objects-kept": """a profile: 60 % in the engine, 15 % the walk over the option that looks for what JSON can't carry, 13 % Swift,
        which checks the text, 11 % copies and fresh pages: without any of Swift's work the ratio would be 1.6. 8-bit strings are
        made by the library's own constructor, since its C function takes 3 ms a MB. Tried: smallest heaps of 4 to 32 MiB (0.99 to
        1.03 of the time). Numbers in one typed array and texts in one string, as a script writes and reads them, take 1.10 to 1.17
        of stringify and parse, before anybody else has looked at them.""",
    "write-durable": """a profile: each write wakes two threads, and 44 % of the samples are waits by looking around. Tried:
        io_uring, which hands linkat, renameat and fsync to threads of the kernel (a chain took 28 us where the calls took 17);
        small writes on the script's own thread when it has nothing else to do (1.0 to 1.17 times as many, which a disk that is
        slow for once would make all else in the program pay for).""",
    "write-quick": "as the durable ones",
    "write-quick-flight": "as the durable ones",
    "stream": """cp has the kernel copy once; a C program that reads and writes a MiB at a time takes 1.5 to 1.6 of it. Here the
        next piece is read while one is written. Tried: pieces of 128 KiB to 2 MiB (a MiB is the best; of 128 KiB it takes 2.7
        times as long, as each piece wakes two threads), and another change that was taken back (twice as long).""",
    "pasteboard-set": """what is deleted is overwritten in the same transaction: some ten pages of 1 KiB, 21 writes a set, where
        the floor writes two. A profile: 34 % in the kernel, 18 % in SQLite, 22 % in the engine, 15 % in Swift. Tried: pages of 2
        KiB (6.0 where those of 1 KiB gave 5.7); nothing overwritten at all (0.7 to 1.2 of the time).""",
    "preference-get": """an immediate call of another plugin takes 1.5 us here; a profile: 44 % in the engine, 39 % in Swift, of which
        reading the option's text is the most: 21 %, two thirds of it Codable's generic containers. In place: keys are hashed and
        compared as memory (0.99 of the time). Tried: an option without the default, which is half of what is read (0.87).""",
    "typescript-first": """in place: esbuild starts once, beside the engine, and nobody waits for its end; a path that names a file
        is not looked for by it (together 0.81 of before). What is left are ten messages between two processes, and its first
        transformation, 2 ms. Tried: esbuild without its collector (GOGC=off: 1.00) and on one processor (GOMAXPROCS=1: 1.05).
        Not tried: taking types off without it.""",
    "loaded-immediate": """a profile: the plugin's library 12 %, flat over 15 functions, the host's side 4 % more than for a linked
        one: a request and an answer are written to memory and read back, 16 bytes behind stores of 8. Tried: memory for
        both that is kept between calls (1.48 and 1.37 where it was 1.50 and 1.31). In place: a number is read where it was written, which
        a copy would have to wait for.""",
    "loaded-immediate-flight": "as one by one",
    "memory-stream": """pieces of 1 MiB that were written wait for the collector. In place: it looks at what is new every 8 MiB (15 MiB
        more without). Tried: 8 MiB of room kept for coming pieces instead of 20 (75.6 MiB where there were 72.9).""",
    "peers-trip": """a profile: each way wakes two threads, 40 to 50 us each when both processors sleep, and the engine works 35
        us a message. Tried: the thread that hears sockets looks for 80 us before it sleeps (0.83 of the time, for processor time
        that others miss). Where processors wake in 5 us each process works 60 to 90 us a message, flat over the call, the protocol and
        the engine; there a C program with as many threads takes 8 us more each way than the floor, which is all that a loop that
        hears the sockets by itself would save (0.92).""",
    "digest": """what a script may change while a thread reads it is copied, as the standard asks: a quarter of the digest's
        time, with large pages for the copy. Tried: the copy before the digest (1.34 to 1.42); in place: the digest begins with
        what is copied while the rest is (1.06).""",
    "fetch-stream": """a profile: 42 % is the engine's collector, which looks whenever some 8 MiB of pieces have come, 15 % the
        kernel's copy. Tried: a smallest heap of 8 MiB (0.86 of the time, 25 MiB more memory) and of 32 (1.08, 118 MiB more); the
        collector not beside the script, with one marker, or without generations (each within a tenth of before).""",
    "page-together": """half of the time is the message's own trip (the C echo's takes 3.4 us for each of the hundred), the rest V8's:
        promises and what collects them. A thousand calls of a turn take 4.7 us each. Tried: the places of calls not kept
        (Error.stackTraceLimit of 0 to 10: 6.1 to 7.5 us, as much as between two runs); a browser without a driver (7.9).""",
    "page-from": """met where the C echo carries 303 MiB/s (217): the program copies a message of libsoup's three times, the page's script
        once""",
    "window-together": """met where a script message takes 237 us one by one (2.6 us); with it 276, 3.5""",
    "window-to": """met on the same machine in a better hour (1,538 to 1,667): a copy into a stage and one into a file in memory, whose
        pages are new. Tried: stages of 64 and 256 KiB (0.92 to 0.94 of the rate of a MiB).""",
    "gzip": """what is compressed is copied once, as a script may change it meanwhile; a second copy is gone""",
    "gunzip": """seven eighths of the time are zlib's, which writes to fresh memory here, and in the floor to one buffer again and again. In
        place: pieces are made where the script has them, without a copy, and grow from 64 KiB to a MiB (0.90 of the time in a program that
        goes on for longer). Tried before: pieces of 256 KiB (1.28 where it was 1.33).""",
    "serve": """a profile with stacks: 47 % are libsoup, GLib and the kernel with no code of ours between, 13 % the engine's own, 10 %
        what the script is given and answers (texts, JSON), the rest Swift and memory, flat. A C program on libsoup alone gave 0.85 of
        Node's answers, one on libmicrohttpd 2.6 times as many: with that a request would still take 40 to 48 us here, more than twice
        what Node takes for all. Tried: no watch for clients that leave (1.0). In place: a Request's signal, address and headers are
        made when they are asked for, or once (1.2 to 1.3 as many answers as before); head and body go out together (1.04 to 1.12).
        Of eight writes a request to the loop's own descriptor, which GLib makes for each source of libsoup's that it blocks while
        it runs, none can be spared from outside.""",
    "url": """the parser is JavaScript. In place: plain addresses pass one expression and are kept as they came, dots of a plain path are
        resolved where they stand (half the time of the standard's machine, which takes the rest). A native one would be asked by a call
        of the engine's C interface, which takes 270 ns alone.""",
    "worker-start": """two thirds are the engine's: its making (2 ms), and some twenty modules of the web's globals, which it parses anew in
        each engine. In place: what knows URLs and what reports errors is loaded when it is asked for, what is kept of modules is checked
        by a faster hash (together 0.66 of the time). Node's takes twice as long.""",
    "worker-trip": """a profile: a fifth of the time was the thread that was posted to, which spun on the lock of who had woken it. In
        place: it is woken behind that lock (0.76 of the time). Of what is left a third is each side's short look for an answer before it
        sleeps.""",
    "window-idle": """both programs of ours stay at 0, and make no system call in 5 s; what is counted is the page's own process.""",
    "detached-flight": """met on another machine (0.65); a detached call goes to a thread of the pool and comes back by the loop;
        here each has an answer of its own type, and may be cancelled. One by one it takes a tenth of Node's.""",
    "async-flight": "as one by one",
    "objects-decoded": """a profile: 60 % in Swift, flat over Codable's generic containers, of which metadata look-ups are the largest (8 %).
        Foundation's JSONDecoder and JSONEncoder take 204 ms for the text of which all of this row takes 71: with them it would
        be three times as dear. Tried: smallest heaps of 16 and 32 MiB (0.95 and 0.97).""",
}


def told(name):
    """The reason on one line; that there is none yet is told, too."""
    return " ".join(REASONS.get(name, "not looked into").split())
