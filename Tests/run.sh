#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that must hold: style, guides, tests under a sanitizer, a short fuzz, calls under stress, plugins under kills. Ends at the
# first failure.
set -eu
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
began=$(date +%s)
# Names what begins now, and how long it was until here.
stage() { echo "== $1 ($(( $(date +%s) - began )) s)"; }

stage style
swift format lint --strict --recursive Package.swift Sources plugins www Tests

log=$(mktemp)
# What runs beside this script ends with it: tests, and each build for a while, leave one processor to others.
clear() {
  for pid in "$log".*.pid; do
    [ ! -e "$pid" ] || kill -- "-$(cat "$pid")" 2> /dev/null || true
  done
  rm -f "$log" "$log".*
}
# Runs a command beside what comes, by a name.
beside() {
  name=$1
  shift
  setsid "$@" > "$log.$name" 2>&1 &
  echo "$!" > "$log.$name.pid"
}
# Waits for such a command; shows the last of what it said, all where it failed, which ends this.
join() {
  ended=0
  wait "$(cat "$log.$1.pid")" || ended=$?
  rm "$log.$1.pid"
  [ "$ended" = 0 ] || { cat "$log.$1"; exit "$ended"; }
  tail -n 3 "$log.$1"
}
trap clear EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
stage build
# Programs that tests start are the optimised one, which people have: it starts five times as fast. What it installs serves the tests
# that build plugins.
beside release sh -c 'make -s run window && Tests/FirstPlugin/run.sh "$PWD/.build/prefix"'
# One build for all tests, with the sanitizer of addresses: what it adds to their time is less than a second build takes. What tests
# call in their own process is this one, which checks more.
. Tests/Sanitizers/options.sh
built=.build/asan
status=0
swift build --build-tests --sanitize=address --scratch-path "$built" || status=$?
join release
[ "$status" = 0 ] || exit "$status"
export NBRIDGE_PROGRAM=$PWD/.build/release/nbridge
export NBRIDGE_TESTED_SDK=$PWD/.build/prefix/share/nbridge/sdk

stage docs
NBRIDGE_MODULES=$built/debug/Modules Tests/Docs/build.py

stage tests
beside fuzz nice -n 19 Tests/Fuzz/build.sh -Onone
# Runs some tests; what failed stands at the end, where it is found. Twelve at a time keep two processors busy: all 2,000 at once, as
# they would be begun, have hundreds of programs and descriptors open, and wait for each other's seconds.
run_tests() {
  rm -f "$log.status"
  { timeout -k 10 2400 swift test --skip-build --sanitize=address --scratch-path "$built" \
    --experimental-maximum-parallelization-width 12 "$@" 2>&1 || echo "$?" > "$log.status"; } | tee "$log"
  grep -aE 'SKIPPED: |➜ +(Test|Suite) .* skipped' "$log" >> "$log.skipped" || true
  [ -e "$log.status" ] || return 0
  echo "== what failed"
  [ "$(cat "$log.status")" != 124 ] || echo "the tests had not ended after 40 minutes: one hangs, or the machine is busy with others"
  grep -a -A 12 '✘ Test .* recorded an issue' "$log" | cut -c 1-600 | head -n 120 || true
  # What a sanitizer found, and where: short, and last, for who keeps only the end.
  grep -aE -A 14 'ERROR: [A-Za-z]+Sanitizer|runtime error:|Fatal error' "$log" | grep -aE '^==|rror|^ +#' | cut -c 1-160 | head -n 14 || true
  return 1
}
unsteady=
# Isolated plugins take seconds where a machine is as busy as here: their turn comes below.
export NBRIDGE_ISOLATED=0
if ! run_tests; then
  # Tests run beside each other, with many processes: one or two that met a moment nobody had thought of run again by
  # themselves, and are named. What fails twice has failed; so have a crash, a hang, and more than two.
  issues=$(grep -ac '✘ Test .* recorded an issue' "$log" || true)
  known=$(grep -acE '✘ Test [A-Za-z0-9_]+\(.*\) recorded an issue' "$log" || true)
  names=$(sed -nE 's/^.*✘ Test ([A-Za-z0-9_]+)\(.*\) recorded an issue.*$/\1/p' "$log" | sort -u)
  count=$(echo "$names" | grep -c . || true)
  [ "$(cat "$log.status")" = 1 ] && [ "$issues" = "$known" ] && [ "$count" -ge 1 ] && [ "$count" -le 2 ] || exit 1
  tail -n 3 "$log" | grep -aq '✘ Test run with' || exit 1
  unsteady=$(echo $names)
  echo "== AGAIN, because it failed among all others: $unsteady"
  run_tests --filter "/($(echo "$names" | paste -sd '|' -))\("
  tail -n 3 "$log" | grep -aqE "✔ Test run with ([$count-9]|[1-9][0-9]+) tests?" || exit 1
fi

stage isolation
unset NBRIDGE_ISOLATED
run_tests --filter '\.(WatchTests|GuidePluginTests|MemoryTests|InvocationTests|SlotTests|BridgeTests|IncomingTests|ReadinessWatchTests|StopOrderTests|CancelHookTests|HandleTests|CallbackTests|PreferencePluginTests)/'

# The thread sanitizer's build takes minutes more: `make soak`. Of a program's day a few hours are seen here, for what must not happen
# in them; what it holds after many is for `make soak`.
beside stress sh -c 'timeout -k 10 1200 "$1" Tests/Stress/stress.js "$2" && timeout -k 10 600 "$3" Tests/Soak/day.js "$4"' - \
  "$built/debug/nbridge-stress" "${NBRIDGE_STRESS:-100}" "$built/debug/nbridge-soak" "${NBRIDGE_HOURS:-3}"

stage kills
# The optimised program is killed; who kills it need not be.
timeout -k 10 1200 "$built/debug/nbridge-kills" .build/release/nbridge Tests/Kills/js "${NBRIDGE_KILLS:-40}"

stage stress
join stress

stage fuzz
join fuzz
Tests/Fuzz/run.sh 3 built

stage end
# A test whose user, mount or service this machine doesn't give it says so in a line of its own.
echo "== skipped: $(sort -u "$log.skipped" | grep -c . || true)"
sort -u "$log.skipped"
echo "== Firefox ran two tests of pages; make soak runs all of them in it"
[ -z "$unsteady" ] || echo "== UNSTEADY: passed only alone, and is to be looked into: $unsteady"
