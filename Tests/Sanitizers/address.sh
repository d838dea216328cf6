#!/bin/sh
# SPDX-License-Identifier: MIT
# The parts that touch C, under the address sanitizer. JavaScriptCore keeps memory for good, so leaks are not asked for;
# its own signal handlers and stack use don't bear the sanitizer's fake stack.
set -eu
cd "$(dirname "$0")/../.."
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allow_user_segv_handler=1
swift build --build-tests --sanitize=address --scratch-path .build/asan
timeout -k 10 900 swift test --skip-build --sanitize=address --scratch-path .build/asan \
  --filter 'ContextTests|EngineLifeTests|NBridgePluginTests|BridgeTests|WatchTests|PreferencePluginTests|MemoryTests|SettlingTests|SlotTests|HandleTests|InvocationTests|StressTests|CryptoTests|AuthenticityTests|ByteCodecTests|SubtleVectorTests|SubtleKeyTests'
