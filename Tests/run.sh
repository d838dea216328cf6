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
timeout -k 10 900 swift test --skip-build

echo "== fuzz"
Tests/Fuzz/run.sh 10

echo "== sanitizers"
Tests/Sanitizers/address.sh
Tests/Sanitizers/thread.sh

# The optimised build is another compilation: it can fail where the one for tests does not.
echo "== release"
make -s run > /dev/null
