#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that must hold: style, tests, a short fuzz, a sanitizer pass. Ends at the first failure.
set -eu
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no

echo "== style"
swift format lint --strict --recursive Package.swift Sources plugins www Tests

echo "== build"
swift build --build-tests

echo "== tests"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ timeout -k 10 900 swift test --skip-build 2>&1 || echo "failed" > "$log.status"; } | tee "$log"
# What failed stands at the end, where it is found.
if [ -e "$log.status" ]; then
  rm -f "$log.status"
  echo "== what failed"
  grep -a -A 12 '✘ Test .* recorded an issue' "$log" | cut -c 1-600 | head -n 120 || true
  exit 1
fi

echo "== fuzz"
Tests/Fuzz/run.sh 10

echo "== sanitizers"
Tests/Sanitizers/address.sh
Tests/Sanitizers/thread.sh

# The optimised build is another compilation: it can fail where the one for tests does not.
echo "== release"
make -s run > /dev/null
