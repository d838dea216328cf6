#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes what parses with libFuzzer, each target for so many seconds: the codec and archives (wire); pages, scripts,
# app.json and command lines (text); keys and entries of the prompt (prompt); property lists, names and patterns of files (files); frames of
# peers (peers); records and lines for the viewer, and its filters (logs); policies and audit logs (auth); what debuggers and the engine say
# to each other (inspector); messages of isolated plugins (frames) and of pages (pages); frames of WebSockets and of programs of one app, bodies in chunks, requests (sockets); random programs in the engine, at the
# bridge (bridge); recordings, shown and replayed (recording); compressed bytes (compression); keys as files write them (crypto); what servers say to the web's classes (web).
# Builds them before, unless `built` says that they are.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-30}
work=.build/fuzz
# To optimise takes longer than a short run does.
level=-Onone
[ "$seconds" -lt 30 ] || level=-O
[ "${2:-}" = built ] || Tests/Fuzz/build.sh "$level"
# Without the backtracer, so that the fuzzer sees a crash and keeps what caused it.
export SWIFT_BACKTRACE=enable=no
run_target() {
  if timeout -k 10 $((seconds + 120)) "$work/$1" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -artifact_prefix="$work/" "$work/corpus/$1" "Tests/Fuzz/corpus/$1" > "$work/$1.log" 2>&1
  then echo "$1: $(tail -1 "$work/$1.log")"
  else tail -40 "$work/$1.log"; echo "the fuzz of $1 failed"; return 1; fi
}
# Two at a time.
waiting=
for target in ${TARGETS:-wire text prompt files peers logs auth inspector frames pages bridge recording web compression crypto sockets}; do
  run_target "$target" &
  if [ -n "$waiting" ]; then wait "$waiting"; fi
  waiting=$!
done
wait "$waiting"
