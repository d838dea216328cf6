#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes what parses with libFuzzer, for so many seconds. The codec's sources are compiled together with the target, so
# that it reaches their inner parts.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-30}
work=.build/fuzz
mkdir -p "$work/corpus"
# shellcheck disable=SC2046
swiftc -O -swift-version 6 -package-name nbridge -sanitize=fuzzer -parse-as-library \
  $(find Sources/NBridgePlugin -name '*.swift') Tests/Fuzz/WireFuzz.swift -o "$work/wire"
timeout -k 10 $((seconds + 120)) "$work/wire" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
  -artifact_prefix="$work/" "$work/corpus" Tests/Fuzz/corpus 2>&1 | tail -3
