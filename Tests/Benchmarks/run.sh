#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures nBridge beside a bare C program on the same engine, Node with an N-API add-on, and gjs, all in one run, and
# writes RESULTS.md. A peer that is not installed is named as absent.
set -euo pipefail
cd "$(dirname "$0")"
root=../..
work=.work
mkdir -p "$work"

echo "building" >&2
cc -O2 floor/floor.c -o "$work/floor" $(pkg-config --cflags --libs javascriptcoregtk-4.1) -Wno-unused-parameter
swift build --package-path "$root" -c release --static-swift-stdlib --product nbridge-benchmark >&2
host=$root/.build/release/nbridge-benchmark
program=$root/.build/release/nbridge
"$program" plugin build plugin >&2
library=plugin/.build/plugin/libBench.so
export NBRIDGE_PLUGINS=$PWD/$work/none

echo "measuring" >&2
"$work/floor" measure.js floor/run.js > "$work/floor.tsv"
NBRIDGE_HOME=$work/home "$host" measure.js nbridge.js > "$work/nbridge.tsv"
: > "$work/node.tsv"
if command -v node >/dev/null && [ -e /usr/include/node/node_api.h ]; then
  cc -O2 -shared -fPIC -I/usr/include/node node/addon.c -o "$work/addon.node"
  node node/run.js "$PWD/$work/addon.node" "$PWD/measure.js" > "$work/node.tsv"
fi

# The same plugin linked in and loaded, in turn.
: > "$work/linked.tsv"; : > "$work/loaded.tsv"
for _ in 1 2 3 4 5; do
  NBRIDGE_HOME=$work/home "$host" measure.js loaded.js >> "$work/linked.tsv"
  NBRIDGE_HOME=$work/home "$host" --library "$library" measure.js loaded.js >> "$work/loaded.tsv"
done

# The same calls recorded and not, in turn.
: > "$work/unrecorded.tsv"; : > "$work/recorded.tsv"
for _ in 1 2 3 4 5; do
  NBRIDGE_HOME=$work/home "$host" measure.js recorded.js >> "$work/unrecorded.tsv"
  NBRIDGE_HOME=$work/home "$host" --record "$work/run.rec" measure.js recorded.js >> "$work/recorded.tsv"
  rm -f "$work/run.rec"
done

"$program" run web.js > /dev/null 2> "$work/web.nbridge.tsv"
: > "$work/web.node.tsv"
if command -v node >/dev/null; then node web.js > /dev/null 2> "$work/web.node.tsv"; fi

# A program of two TypeScript files, put together anew and from the cache, beside the same as one plain script.
mkdir -p "$work/ts"
echo 'import { add } from "./add"; const sum: number = add(1, 2); console.log(sum);' > "$work/ts/main.ts"
echo 'export const add = (a: number, b: number): number => a + b;' > "$work/ts/add.ts"
echo 'const add = (a, b) => a + b; const sum = add(1, 2); console.log(sum);' > "$work/ts/plain.js"

# A script that calls one built-in action, beside one that calls a loaded plugin's; a hundred installed plugins.
echo 'await nbridge.app.appInfo();' > "$work/builtin.js"
echo 'await nbridge.bench.immediate();' > "$work/plugin.js"
for i in $(seq 100); do mkdir -p "$work/many/plug$i"; cp plugin/.build/plugin/plugin.json "$work/many/plug$i"; done

# Whole processes, in turn, so that a slow minute hits all of them.
: > "$work/empty.js"
milliseconds() { local start end; start=$(date +%s%N); "$@" >/dev/null 2>&1; end=$(date +%s%N); echo $(((end - start) / 1000)); }
for f in floor nbridge node gjs plain ts.first ts.cached builtin plugin many; do : > "$work/start.$f"; done
for _ in $(seq 33); do
  milliseconds "$work/floor" "$work/empty.js" >> "$work/start.floor"
  milliseconds "$program" run "$work/empty.js" >> "$work/start.nbridge"
  milliseconds "$program" run "$work/ts/plain.js" >> "$work/start.plain"
  milliseconds "$program" run "$work/builtin.js" >> "$work/start.builtin"
  milliseconds "$program" run --plugin plugin "$work/plugin.js" >> "$work/start.plugin"
  NBRIDGE_PLUGINS=$work/many milliseconds "$program" run "$work/empty.js" >> "$work/start.many"
  rm -rf "$work/ts/home"
  NBRIDGE_HOME=$work/ts/home milliseconds "$program" run "$work/ts/main.ts" >> "$work/start.ts.first"
  NBRIDGE_HOME=$work/ts/home milliseconds "$program" run "$work/ts/main.ts" >> "$work/start.ts.cached"
  if command -v node >/dev/null; then milliseconds node "$work/empty.js" >> "$work/start.node"; fi
  if command -v gjs >/dev/null; then milliseconds gjs "$work/empty.js" >> "$work/start.gjs"; fi
done
resident() { /usr/bin/env python3 -c '
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
resident "$work/floor" "$work/empty.js" > "$work/rss.floor"
resident "$program" run "$work/empty.js" > "$work/rss.nbridge"

# Files: the same system calls in C; cp of a large file; find in a large folder.
cc -O2 floor/files.c -o "$work/files"
app=$work/files.app
documents() { "$program" run --container "$app" documents.js "$@"; }
for f in floor sequential flight; do : > "$work/durable.$f"; : > "$work/quick.$f"; done
for _ in 1 2 3; do
  "$work/files" "$work/files.floor" 2000 1 >> "$work/durable.floor"
  documents sequential 2000 1 >> "$work/durable.sequential"
  documents flight 2000 1 >> "$work/durable.flight"
  "$work/files" "$work/files.floor" 10000 0 >> "$work/quick.floor"
  documents sequential 10000 0 >> "$work/quick.sequential"
  documents flight 10000 0 >> "$work/quick.flight"
done
: > "$work/keystroke"; for _ in 1 2 3; do documents keystroke 200000 >> "$work/keystroke"; done
mkdir -p "$app/Documents/many"
(cd "$app/Documents/many" && seq 100000 | xargs -n 5000 touch)
head -c 1073741824 /dev/zero > "$app/Documents/big"
for f in find list cp stream; do : > "$work/files.$f"; done
for _ in 1 2 3 4 5; do
  milliseconds find "$app/Documents/many" >> "$work/files.find"
  milliseconds documents list 100000 >> "$work/files.list"
done
for _ in 1 2 3; do
  rm -f "$app/Documents/copy"; milliseconds cp "$app/Documents/big" "$app/Documents/copy" >> "$work/files.cp"
  rm -f "$app/Documents/copy"; milliseconds documents stream >> "$work/files.stream"
done
resident "$program" run --container "$app" documents.js stream > "$work/rss.stream"

# A file's lines, beside Node's readline: whole processes, in turn.
seq -f '%07.0f a line of a log, as long as many are, of some sixty bytes' 1000000 > "$app/Documents/log"
for f in mine node; do : > "$work/lines.$f"; done
for _ in 1 2 3 4 5 6 7; do
  milliseconds documents lines log >> "$work/lines.mine"
  if command -v node >/dev/null; then milliseconds node node/lines.mjs "$app/Documents/log" >> "$work/lines.node"; fi
done
rm -rf "$app" "$work/files.floor"

# Pasteboards: SQLite and memcpy in C; ten watchers, each a process.
# shellcheck disable=SC2046
cc -O2 floor/pasteboard.c $(pkg-config --cflags --libs sqlite3) -o "$work/pasteboard"
pasteboard() { NBRIDGE_HOME=$work/pasteboards "$program" run pasteboard.js "$@"; }
for f in floor set get memcpy large watch rate; do : > "$work/board.$f"; done
for _ in 1 2 3; do
  "$work/pasteboard" commit "$work/board.db" 5000 >> "$work/board.floor"
  pasteboard set 5000 >> "$work/board.set"
  pasteboard get 5000 >> "$work/board.get"
  "$work/pasteboard" memcpy 2> /dev/null >> "$work/board.memcpy"
  pasteboard large 7 >> "$work/board.large"
done
watchers=
for i in 0 1 2 3 4 5 6 7 8 9; do
  pasteboard watch 5000 > "$work/board.watch.$i" 2> "$work/board.ready.$i" & watchers="$watchers $!"
done
for i in 0 1 2 3 4 5 6 7 8 9; do until grep -qs ready "$work/board.ready.$i"; do sleep 0.05; done; done
pasteboard write 5000 1 > "$work/board.rate"
# shellcheck disable=SC2086
wait $watchers
cat "$work"/board.watch.? > "$work/board.watch"
rm -rf "$work/pasteboards" "$work"/board.db*

# Preferences: beside the same transaction in C, and an immediate call that answers a small object.
preference() { "$program" run --container "$work/preferences" preference.js "$@"; }
for f in get set nothing; do : > "$work/preference.$f"; done
for _ in 1 2 3 4 5; do
  preference get 50000 >> "$work/preference.get"
  preference nothing 50000 >> "$work/preference.nothing"
  preference set 3000 >> "$work/preference.set"
done
rm -rf "$work/preferences"

# Peers: two processes and Unix sockets in C; socat from file to file; 100 peers in ten processes.
cc -O2 floor/peers.c -o "$work/peers"
mkdir -p "$work/peers.app/Documents"
peers() { NBRIDGE_HOME=$work/peers.home "$program" run --container "$work/peers.$1" peers.js "${@:2}"; }
head -c 268435456 /dev/zero > "$work/peers.app/Documents/big"
peers sink sink bench 2> "$work/peers.ready" & sink=$!
until grep -qs ready "$work/peers.ready"; do sleep 0.05; done
for f in floor trip flow resource socat; do : > "$work/peer.$f"; done
for _ in 1 2 3; do
  "$work/peers" >> "$work/peer.floor"
  peers app trip bench >> "$work/peer.trip"
  peers app flow bench 400000 >> "$work/peer.flow"
  peers app resource bench >> "$work/peer.resource"
  if command -v socat > /dev/null; then
    rm -f "$work/socat" "$work/copy"
    socat -u -b 262144 "UNIX-LISTEN:$work/socat" "OPEN:$work/copy,creat,trunc" & receiver=$!
    until [ -e "$work/socat" ]; do sleep 0.02; done
    begin=$(date +%s%N)
    socat -u -b 262144 "OPEN:$work/peers.app/Documents/big,rdonly" "UNIX-CONNECT:$work/socat"
    wait $receiver
    echo $((268435456 * 1000 / ($(date +%s%N) - begin))) >> "$work/peer.socat"
  fi
done
peers app end bench
wait $sink
crowd=
for i in 0 1 2 3 4 5 6 7 8 9; do
  peers "crowd$i" crowd crowd 10 "$i" > "$work/peer.crowd.$i" 2> "$work/peer.crowd.ready.$i" & crowd="$crowd $!"
  until grep -qs ready "$work/peer.crowd.ready.$i"; do sleep 0.02; done
done
# shellcheck disable=SC2086
wait $crowd
sort -n "$work"/peer.crowd.? | tail -1 > "$work/peer.crowd"
"$program" peers simulate --scale 10,30,100,300 > "$work/peer.scale"
rm -rf "$work"/peers.* "$work/copy" "$work/socat"

# The log: what a record costs a script; a file; the viewer with ten sources and a million records.
cc -O2 floor/logs.c -o "$work/logs"
logger() { NBRIDGE_HOME=$work/logger.home "$program" run --container "$work/logger.app" logger.js "$@"; }
: > "$work/log.call.tsv"; : > "$work/log.file"; : > "$work/log.view.tsv"
for _ in 1 2 3; do
  logger call >> "$work/log.call.tsv"
  logger file 500000 >> "$work/log.file"
  rm -rf "$work/logger.app"
done
python3 logs.py "$PWD/$program" "$work/logs" "$work/logger.home" 1000000 >> "$work/log.view.tsv"
rm -rf "$work"/logger.*

# Authentication by the stub, beside what the kernel takes for it.
cc -O2 floor/auth.c -o "$work/auth"
: > "$work/auth.tsv"; : > "$work/auth.floor"
for _ in 1 2 3; do
  "$work/auth" "$work" >> "$work/auth.floor"
  NBRIDGE_HOME=$work/auth.home "$program" run --auth pass auth.js >> "$work/auth.tsv" 2> /dev/null
done
rm -rf "$work/auth.home"

# The prompt, on a pseudo-terminal.
python3 prompt.py "$PWD/$program" > "$work/prompt.tsv"

# Ten million calls: resident memory at the first checkpoint and at the last.
mkfifo "$work/pipe" 2>/dev/null || true
NBRIDGE_HOME=$work/home "$host" measure.js memory.js > "$work/pipe" &
process=$!
: > "$work/memory"
while read -r _; do awk '/VmRSS/ { print $2 }' "/proc/$process/status" >> "$work/memory"; done < "$work/pipe"
wait "$process"

python3 report.py "$work" > RESULTS.md
cat RESULTS.md
