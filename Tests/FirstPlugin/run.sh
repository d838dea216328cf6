#!/bin/sh
# SPDX-License-Identifier: MIT
# An author's first hour: installs the SDK with the tests' harness, in the folder that is named, makes a plugin, and runs its first
# test. Prints how long that took, and fails where the runtime was built for it.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_BACKTRACE=enable=no
program=${NBRIDGE_PROGRAM:-$PWD/.build/release/nbridge}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=${1:-$place/prefix}
make -s install-sdk install-testing PREFIX="$prefix" > "$place/install.log" 2>&1 || { cat "$place/install.log"; exit 1; }
export NBRIDGE_SDK="$prefix/share/nbridge/sdk" NBRIDGE_PLUGINS="$place/plugins" XDG_CACHE_HOME="$place/cache"
cd "$place"
"$program" plugin new Weather > new.log
cd Weather
# What is measured is the test: a library to try the promises on is built before it.
"$program" plugin build > ../build.log 2>&1 || { cat ../build.log; exit 1; }
began=$(date +%s)
"$program" plugin test --starts 100 > ../test.log 2>&1 || { cat ../test.log; exit 1; }
took=$(( $(date +%s) - began ))
echo "first plugin test: $took s, $(du -sm .build/debug/ | cut -f1) MB"
grep -q "all hold" ../test.log || { cat ../test.log; exit 1; }
if grep -E "Compiling (NBridge|JSEngine) |Compiling NBridge(Builtins|Host|Script) " ../test.log; then
  echo "the runtime was built for a plugin's first test"
  exit 1
fi
