#!/bin/sh
# SPDX-License-Identifier: MIT
# What runs on several threads, under the thread sanitizer: loop, worker pool, bridge, the plugins' own threads. Built
# from a copy of the sources, in which every lock is one that the sanitizer knows (Mutex.swift beside this file).
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_BACKTRACE=enable=no
# The engine and GLib are not instrumented: what they do between themselves can't be judged. The engine's signal handler
# changes errno, which no suppression covers: so it is not the exit code that decides, but what kind of report there is.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 report_signal_unsafe=0 exitcode=0"
log=.build/thread/log
# The sanitizer holds signals back from threads that wait; the engine would wait for its own for ever.
export JSC_usePollingTraps=1
copy=.build/thread/source
# What was moved or taken away must not stay in the copy; the times of files are kept, so that little is built anew.
rm -rf "$copy"
mkdir -p "$copy"
tar -c --exclude=.build --exclude=.git . | tar -x -C "$copy"
grep -rl "import Synchronization" "$copy/Sources" "$copy/plugins" "$copy/Tests" | while read -r file; do
  case "$file" in
    "$copy"/Sources/*|"$copy"/Tests/*) folder=$(echo "$file" | cut -d/ -f1-5) ;;
    "$copy"/plugins/examples/*) continue ;;
    "$copy"/plugins/*) folder=$(echo "$file" | cut -d/ -f1-6) ;;
    *) echo "$file: of no target that is known" >&2; exit 1 ;;
  esac
  cp Tests/Sanitizers/Mutex.swift "$folder/Mutex.swift"
done
# The sanitizer makes a fork of each vfork: why a program did not start is told in memory that both would share.
unseen="programsThatAreNotThereAreNamed|oneThatIsNotThereIsTold"
swift build --package-path "$copy" --build-tests --sanitize=thread --scratch-path .build/thread/build
timeout -k 10 600 swift test --package-path "$copy" --skip-build --sanitize=thread --scratch-path .build/thread/build \
  --skip "$unseen" --filter "${1:-LoopTests|NBridgePluginTests|BridgeTests|WatchTests|InvocationTests|StressTests|PreferencePluginTests|PasteboardPluginTests|LivingDocumentTests}" > "$log" 2>&1 || { cat "$log"; exit 1; }
tail -1 "$log"
if grep -a "WARNING: ThreadSanitizer" "$log" | grep -qv "signal handler spoils errno"; then cat "$log"; exit 1; fi
