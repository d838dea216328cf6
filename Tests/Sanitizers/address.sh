#!/bin/sh
# SPDX-License-Identifier: MIT
# The parts that touch C, under the address sanitizer.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_BACKTRACE=enable=no
. Tests/Sanitizers/options.sh
swift build --build-tests --sanitize=address --scratch-path .build/asan
timeout -k 10 900 swift test --skip-build --sanitize=address --scratch-path .build/asan \
  --filter 'ContextTests|EngineLifeTests|NBridgePluginTests|BridgeTests|WatchTests|PreferencePluginTests|MemoryTests|SettlingTests|SlotTests|HandleTests|InvocationTests|StressTests|CryptoTests|AuthenticityTests|ByteCodecTests|SubtleVectorTests|SubtleKeyTests'
