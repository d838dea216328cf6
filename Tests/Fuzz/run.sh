#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes what parses with libFuzzer, each target for so many seconds: the codec and archives (wire); pages, scripts,
# app.json and command lines (text); keys and entries of the prompt (prompt); property lists, names and patterns of files (files); frames of
# peers (peers); records and lines for the viewer, and its filters (logs); policies and audit logs (auth). Sources are compiled together with their target, so that it reaches inner parts.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-30}
work=.build/fuzz
mkdir -p "$work/source" "$work/corpus/wire" "$work/corpus/text" "$work/corpus/prompt" "$work/corpus/files" "$work/corpus/peers" "$work/corpus/logs" "$work/corpus/auth"
compile="swiftc -O -swift-version 6 -package-name nbridge -sanitize=fuzzer -parse-as-library -I $work -I Sources/CGLib -I Sources/CNBridgePlugin/include -I Sources/CFoundationTypes/include $(pkg-config --cflags-only-I gio-unix-2.0)"
plugin=$(find Sources/NBridgePlugin -name '*.swift')
runtime=Sources/NBridge
clang -c -I Sources/CFoundationTypes/include Sources/CFoundationTypes/types.c -o "$work/types.o"
# shellcheck disable=SC2086
$compile $plugin "$work/types.o" Tests/Fuzz/WireFuzz.swift -o "$work/wire"
# The text target's sources import the SDK as a module.
# shellcheck disable=SC2086
$compile -emit-module -emit-library -static -module-name NBridgePlugin $plugin -o "$work/libNBridgePlugin.a" \
  -emit-module-path "$work/NBridgePlugin.swiftmodule"
sed '/import NBridge$/d' Sources/NBridgeCLI/OptionParser.swift > "$work/source/OptionParser.swift"
# shellcheck disable=SC2086
$compile "$work/source/OptionParser.swift" Tests/Fuzz/TextFuzz.swift \
  $runtime/Script/HTMLPage.swift $runtime/Script/ScriptSource.swift $runtime/Script/ScriptFile.swift \
  $runtime/Script/AwaitMarker.swift $runtime/Script/JSLexer.swift $runtime/Runtime/AppManifest.swift \
  $runtime/Runtime/TestSetup.swift $runtime/Runtime/RuntimeOptions.swift $runtime/Runtime/StandardOutput.swift $runtime/EventLoop/LoopClock.swift \
  $runtime/Modules/ImportScan.swift $runtime/Modules/EsbuildPacket.swift $runtime/Modules/DisplayPath.swift \
  $runtime/Script/SourceMap.swift $runtime/Session/NearestName.swift $runtime/Session/PermissionSet.swift $runtime/Session/SealedPaths.swift \
  "$work/types.o" -L "$work" -lNBridgePlugin $(pkg-config --libs glib-2.0) -o "$work/text"
sed '/import NBridge$/d' Sources/NBridgeCLI/Repl/EntryContext.swift > "$work/source/EntryContext.swift"
terminal=Sources/NBridgeCLI/Terminal
# shellcheck disable=SC2086
$compile "$work/source/EntryContext.swift" Tests/Fuzz/PromptFuzz.swift \
  $terminal/Key.swift $terminal/TextWidth.swift $terminal/EditBuffer.swift $terminal/LineEditor.swift \
  $terminal/Screen.swift $terminal/EntryLayout.swift $runtime/Repl/ScriptTokens.swift $runtime/Repl/LineRewriter.swift $runtime/Repl/LineRewriter+Declarations.swift \
  $runtime/Repl/ValueText.swift \
  $runtime/Script/JSLexer.swift $runtime/Script/AwaitMarker.swift "$work/types.o" -L "$work" -lNBridgePlugin -lswiftGlibc \
  $(pkg-config --libs glib-2.0) -o "$work/prompt"
files=plugins/Documents/Sources
# shellcheck disable=SC2086
$compile Tests/Fuzz/FilesFuzz.swift $files/PropertyList.swift $files/PropertyListGuard.swift $files/FilePath.swift \
  $files/FileFailure.swift $files/Glob.swift $files/CString.swift "$work/types.o" -L "$work" -lNBridgePlugin -lswiftGlibc \
  $(pkg-config --libs glib-2.0) -o "$work/files"
# shellcheck disable=SC2086
$compile Tests/Fuzz/PeersFuzz.swift plugins/Peers/Sources/Protocol/*.swift -o "$work/peers"
records=plugins/Logger/Sources
for source in LogFilter LogIntake StoredLine; do
  sed '/import LoggerPlugin$/d' Sources/NBridgeCLI/Logs/$source.swift > "$work/source/$source.swift"
done
# shellcheck disable=SC2086
$compile Tests/Fuzz/LogsFuzz.swift "$work/source/LogFilter.swift" "$work/source/LogIntake.swift" "$work/source/StoredLine.swift" \
  $records/Record/JSONCursor.swift $records/Record/RecordView.swift $records/Record/RecordFormat.swift $records/Record/VisibleText.swift \
  $records/Record/ByteSearch.swift $records/Record/Newline.swift $records/Viewer/ViewerWire.swift \
  "$work/types.o" -L "$work" -lNBridgePlugin -lswiftGlibc $(pkg-config --libs glib-2.0) -o "$work/logs"
auth=plugins/Auth/Sources
# shellcheck disable=SC2086
$compile Tests/Fuzz/AuthFuzz.swift $auth/Deciding/AuthOutcome.swift $auth/Deciding/AuthRules.swift $auth/Deciding/AuthPolicyFile.swift \
  $auth/Deciding/AuthDecider.swift $auth/AuthOptions.swift $auth/AuthCode.swift $auth/Keeping/AuditLine.swift $auth/Keeping/AuditCheck.swift \
  $auth/Keeping/LockoutState.swift $auth/Keeping/SHA256.swift "$work/types.o" -L "$work" -lNBridgePlugin -lswiftGlibc \
  $(pkg-config --libs glib-2.0) -o "$work/auth"
# Without the backtracer, so that the fuzzer sees a crash and keeps what caused it.
export SWIFT_BACKTRACE=enable=no
for target in ${TARGETS:-wire text prompt files peers logs auth}; do
  if timeout -k 10 $((seconds + 120)) "$work/$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
    -artifact_prefix="$work/" "$work/corpus/$target" "Tests/Fuzz/corpus/$target" > "$work/$target.log" 2>&1
  then tail -1 "$work/$target.log"
  else tail -40 "$work/$target.log"; echo "the fuzz of $target failed"; exit 1; fi
done
