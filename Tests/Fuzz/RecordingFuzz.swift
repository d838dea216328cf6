// SPDX-License-Identifier: MIT
// Recordings as any person may send them: text that is shown moves no cursor, a replay ends, and secrets that
// were taken out stay out.

import NBridgePlugin

@testable import NBridge
@testable import NBridgeRecording

private let script = """
  setTimeout(() => console.log(Date.now()), 1);
  const watch = nbridge.preference.watch();
  (async () => { for await (const event of watch) console.log(event); })().catch(() => {});
  nbridge.preference.get("a").then(console.log, console.log);
  nbridge.callToNative("a", "b", { bytes: new Uint8Array(3) }, { timeout: 5 }).then(console.log,
    (error) => console.log(error.message));
  """

private func replay(_ recording: Recording) {
  var options = RuntimeOptions()
  options.output = Said()
  options.container = "/nonexistent"
  options.isClassic = true
  options.replay = recording
  do { _ = try Runtime(options, plugins: []).run(.text(script, url: "s.js")) } catch {
    preconditionFailure("\(error)")
  }
}

private func filterTwice(_ text: UnsafeBufferPointer<UInt8>) {
  guard let (once, _) = SecretFilter(["token"]).filter(text, [], isSecret: false) else { return }
  // Values that cross are JSON; anything else must only not harm.
  guard Value(text: Array(text)).syntaxProblem == nil else { return }
  once.withUnsafeBufferPointer { once in
    precondition(Value(text: Array(once)).syntaxProblem == nil, "what was filtered is no JSON")
    let twice = SecretFilter(["token"]).filter(once, [], isSecret: false)?.0 ?? Array(once)
    precondition(once.elementsEqual(twice), "a filter changes what was filtered")
  }
}

/// What libFuzzer calls: a recording may hold anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  filterTwice(input)
  guard let recording = try? Recording(Bytes(input), name: "input") else { return 0 }
  try? recording.show(limit: nil) { line in
    precondition(
      !line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" }, "a line moves the cursor")
  }
  replay(recording)
  return 0
}
