#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds what run.sh runs, optimised unless another level is named. Sources are compiled together with their target, so that it reaches inner
# parts; for those that need the engine the runtime is a module of its own.
set -eu
cd "$(dirname "$0")/../.."
level=${1:--O}
work=.build/fuzz
mkdir -p "$work/source" "$work/corpus/wire" "$work/corpus/text" "$work/corpus/prompt" "$work/corpus/files" "$work/corpus/peers" "$work/corpus/logs" "$work/corpus/auth" "$work/corpus/inspector" "$work/corpus/frames" "$work/corpus/pages" "$work/corpus/sockets" \
  "$work/corpus/bridge" "$work/corpus/recording" "$work/corpus/compression" "$work/corpus/crypto" "$work/corpus/web"
compile="swiftc $level -swift-version 6 -package-name nbridge -sanitize=fuzzer -parse-as-library -I $work -I Sources/CNBridgeGLib -I Sources/CNBridgeLinux -I Sources/CNBridgePlugin/include -I Sources/CNBridgeFoundationTypes/include -I Sources/CNBridgeZlib -I Sources/CNBridgeChecksum -I Sources/CNBridgeSQLite $(pkg-config --cflags-only-I gio-unix-2.0)"
plugin=$(find Sources/NBridgePlugin -name '*.swift')
scripting=Sources/NBridgeScript/Source
clang -c -I Sources/CNBridgeFoundationTypes/include Sources/CNBridgeFoundationTypes/types.c -o "$work/types.o"
# shellcheck disable=SC2046,SC2086
$compile -emit-module -emit-library -static -module-name NBridgeSystem $(find Sources/NBridgeSystem -name '*.swift') \
  -o "$work/libNBridgeSystem.a" -emit-module-path "$work/NBridgeSystem.swiftmodule"
# shellcheck disable=SC2086
$compile $plugin "$work/types.o" Tests/Fuzz/WireFuzz.swift -L "$work" -lNBridgeSystem -o "$work/wire"
# The other targets import the SDK as a module.
# shellcheck disable=SC2086
$compile -emit-module -emit-library -static -module-name NBridgePlugin $plugin -o "$work/libNBridgePlugin.a" \
  -emit-module-path "$work/NBridgePlugin.swiftmodule"
# The runtime with its engine, instrumented; its scripts are put into Swift as a build does it.
embed() { sh Sources/EmbedScripts/embed.sh "$work/source/Scripts$1.swift" $(find "Sources/$1" -name '*.js' | sort); }
embed NBridgeBuiltins
embed NBridge
# As SwiftPM embeds it: www has other scripts, too.
{ printf 'struct PackageResources { static let nbridge_js: [UInt8] = Array("""\n' | sed 's/"""/####"""/'
  cat www/nbridge.js
  printf '"""####.utf8) }\n'; } > "$work/source/PageScript.swift"
module() {
  name=$1
  shift
  # Not optimised: that takes minutes, and most of the time goes into the engine.
  # shellcheck disable=SC2086
  $compile -Onone -emit-module -emit-library -static -enable-testing -whole-module-optimization -module-name "$name" "$@" \
    $(pkg-config --cflags-only-I javascriptcoregtk-4.1 icu-uc) -I Sources/CNBridgeJavaScriptCore -I Sources/CNBridgeICU \
    -enable-upcoming-feature InternalImportsByDefault -o "$work/lib$name.a" -emit-module-path "$work/$name.swiftmodule"
}
# Beside the targets that need none of it.
{
  # shellcheck disable=SC2046
  module JSEngine $(find Sources/JSEngine -name '*.swift')
  module NBridgePage www/NBridgePage.swift "$work/source/PageScript.swift"
  module NBridgeCompression $(find Sources/NBridgeCompression -name '*.swift')
  # shellcheck disable=SC2046
  module NBridgeStore $(find Sources/NBridgeStore -name '*.swift')
  module NBridgeCrypto $(find Sources/NBridgeCrypto -name '*.swift')
  for name in NBridgeScript NBridgeIsolation NBridgeInspector NBridgeHost NBridgeRecording; do
    # shellcheck disable=SC2046
    module $name $(find Sources/$name -name '*.swift')
  done
  for name in NBridgeBuiltins NBridge; do
    # shellcheck disable=SC2046
    module $name $(find Sources/$name -name '*.swift') "$work/source/Scripts$name.swift"
  done
} &
runtime_job=$!
sed '/import NBridgeScript$/d' Sources/NBridgeCLI/Repl/EntryContext.swift > "$work/source/EntryContext.swift"
terminal=Sources/NBridgeTerminal
for name in OpenBrackets TextWidth; do
  sed '/import NBridgeScript$/d' "$terminal/$name.swift" > "$work/source/$name.swift"
done
# shellcheck disable=SC2086
$compile "$work/source/EntryContext.swift" Tests/Fuzz/PromptFuzz.swift \
  $terminal/Key.swift "$work/source/TextWidth.swift" $scripting/DisplayWidth.swift $terminal/EditBuffer.swift $terminal/LineEditor.swift \
  $terminal/Screen.swift "$work/source/OpenBrackets.swift" $terminal/EntryLayout.swift $scripting/ScriptTokens.swift $scripting/LineRewriter.swift \
  $scripting/LineRewriter+Declarations.swift $scripting/Edits.swift $scripting/ValueText.swift \
  $scripting/JSLexer.swift $scripting/BracketStack.swift $scripting/AwaitMarker.swift $scripting/ScriptSource.swift "$work/types.o" -L "$work" -lNBridgePlugin -lNBridgeSystem -lswiftGlibc -lswiftSynchronization \
  $(pkg-config --libs glib-2.0) -o "$work/prompt"
files=plugins/Documents/Sources/Files
# shellcheck disable=SC2086
$compile Tests/Fuzz/FilesFuzz.swift $files/PropertyList.swift $files/PropertyListGuard.swift $files/FilePath.swift \
  $files/FileFailure.swift $files/Glob.swift "$work/types.o" -L "$work" -lNBridgePlugin -lNBridgeSystem -lswiftGlibc -lswiftSynchronization \
  $(pkg-config --libs glib-2.0) -o "$work/files"
# shellcheck disable=SC2086,SC2046
$compile Tests/Fuzz/PeersFuzz.swift $(find plugins/Peers/Sources/Protocol -name '*.swift') plugins/Peers/Sources/Simulation/SimulatedKeys.swift -o "$work/peers"
records=plugins/Logger/Sources
for source in Query/LogFilter Server/LogIntake Record/StoredLine; do
  sed '/import LoggerPlugin$/d' Sources/NBridgeLogs/$source.swift > "$work/source/$(basename $source).swift"
done
# shellcheck disable=SC2086
$compile Tests/Fuzz/LogsFuzz.swift "$work/source/LogFilter.swift" "$work/source/LogIntake.swift" "$work/source/StoredLine.swift" \
  $records/Record/JSONCursor.swift $records/Record/RecordView.swift $records/Record/RecordFormat.swift $records/Record/VisibleText.swift \
  $records/Record/ByteSearch.swift $records/Record/Newline.swift $records/Viewer/ViewerWire.swift \
  "$work/types.o" -L "$work" -lNBridgePlugin -lNBridgeSystem -lswiftGlibc -lswiftSynchronization $(pkg-config --libs glib-2.0) -o "$work/logs"
auth=plugins/Auth/Sources
# shellcheck disable=SC2086
$compile Tests/Fuzz/AuthFuzz.swift $auth/Deciding/AuthOutcome.swift $auth/Deciding/AuthRules.swift $auth/Deciding/AuthPolicyFile.swift \
  $auth/Deciding/AuthDecider.swift $auth/Model/AuthOptions.swift $auth/Model/AuthCode.swift $auth/Model/AuthFactor.swift $auth/Keeping/AuditLine.swift $auth/Keeping/AuditCheck.swift \
  $auth/Keeping/AuditKey.swift $auth/Keeping/AuditTail.swift \
  $auth/Keeping/AuthFiles.swift $auth/Keeping/LockoutState.swift $auth/Keeping/SHA256.swift "$work/types.o" -L "$work" -lNBridgePlugin -lNBridgeSystem -lswiftGlibc -lswiftSynchronization \
  $(pkg-config --libs glib-2.0) -o "$work/auth"
inspector=Sources/NBridgeInspector
# shellcheck disable=SC2086
$compile Tests/Fuzz/InspectorFuzz.swift $inspector/JSON/*.swift $inspector/Engine/EngineFrame.swift $inspector/Server/HTTPRequest.swift \
  $inspector/Server/WebSocketFrame.swift $(pkg-config --libs glib-2.0) -o "$work/inspector"
isolation=Sources/NBridgeIsolation
# shellcheck disable=SC2086
$compile Tests/Fuzz/PagesFuzz.swift Sources/NBridgePages/Frames/PageFrame.swift Sources/NBridgePages/Frames/PageMessage.swift -lswiftGlibc -o "$work/pages"
# shellcheck disable=SC2086
$compile Tests/Fuzz/FramesFuzz.swift $isolation/Frames/*.swift -L "$work" -lNBridgeSystem -lswiftGlibc -lswiftSynchronization -o "$work/frames"
# shellcheck disable=SC2086
$compile Tests/Fuzz/CompressionFuzz.swift Sources/NBridgeCompression/*.swift -L "$work" -lNBridgeSystem -lswiftGlibc -lswiftSynchronization -o "$work/compression"
# shellcheck disable=SC2086
$compile Tests/Fuzz/CryptoFuzz.swift Sources/NBridgeCrypto/*.swift "$work/types.o" -L "$work" -lNBridgePlugin -lNBridgeSystem -lswiftGlibc -lswiftSynchronization \
  $(pkg-config --libs glib-2.0) -o "$work/crypto"
wait $runtime_job
sockets=plugins/Http/Sources/Sockets
# shellcheck disable=SC2086
$compile Tests/Fuzz/SocketsFuzz.swift $sockets/FrameReader.swift $sockets/FrameWriter.swift $sockets/SocketInflater.swift \
  $sockets/SocketCompression.swift plugins/Http/Sources/Http1/ChunkFraming.swift plugins/Http/Sources/Http1/FieldName.swift plugins/Http/Sources/Server/RequestFraming.swift plugins/Http/Sources/Server/RequestHead.swift plugins/Http/Sources/Server/RequestFault.swift plugins/Http/Sources/Connections/EarlyStatus.swift Sources/NBridgeBuiltins/Messages/ChannelFrame.swift -L "$work" -lNBridgeCompression -lNBridgeSystem -lswiftGlibc -lswiftSynchronization -o "$work/sockets"
with_runtime() {
  name=$1
  shift
  # shellcheck disable=SC2086
  $compile -enable-testing -enable-upcoming-feature InternalImportsByDefault "$@" -module-name "Fuzz$name" -I Sources/CNBridgeJavaScriptCore -I Sources/CNBridgeICU \
    $(pkg-config --cflags-only-I javascriptcoregtk-4.1 icu-uc) "$work/types.o" -L "$work" -lNBridge -lNBridgeBuiltins -lNBridgeRecording -lNBridgeHost -lNBridgeIsolation -lNBridgeInspector -lNBridgeCompression -lNBridgeCrypto -lNBridgeStore -lNBridgeScript -lNBridgePage -lJSEngine -lNBridgePlugin -lNBridgeSystem \
    -lswiftGlibc -lswiftSynchronization -lFoundationEssentials $(pkg-config --libs gio-unix-2.0 javascriptcoregtk-4.1 icu-uc) -o "$work/$name"
}
with_runtime text Tests/Fuzz/TextFuzz.swift Sources/NBridgeCLI/Command/OptionParser.swift
with_runtime bridge Tests/Fuzz/BridgeFuzz.swift Tests/Fuzz/Said.swift
with_runtime web Tests/Fuzz/WebFuzz.swift Tests/Fuzz/Said.swift
with_runtime recording Tests/Fuzz/RecordingFuzz.swift Tests/Fuzz/Said.swift
