// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting

@testable import NBridgeCLI
@testable import NBridgeSystem

/// A session with the built-in plugins, on a thread of its own.
enum SessionBench {
  static func run<R: Sendable>(
    adding plugins: [any Plugin] = [], _ body: @escaping @Sendable (InteractiveSession) throws -> R
  ) async throws -> R {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    return try await withCheckedThrowingContinuation { continuation in
      PlainThread.start("nb-session", stackSize: 8 << 20) {
        continuation.resume(
          with: Result {
            var options = RuntimeOptions()
            options.container = folder
            options.shared = SharedFolders(below: folder)
            options.output = CapturedOutput()
            let session = try InteractiveSession(options, plugins: BuiltInPlugins.all() + plugins)
            defer { _ = session.finish() }
            return try body(session)
          })
      }
    }
  }

  /// The output and the effects of dot-commands.
  static func prompt(_ lines: [String], adding plugins: [any Plugin] = []) async throws -> FakePrompt.Seen {
    try await run(adding: plugins) { session in
      let prompt = FakePrompt()
      for line in lines { DotCommands(session: session, prompt: prompt).run(line) }
      return prompt.seen
    }
  }
}

/// A prompt that notes what it is told.
final class FakePrompt: PromptActions {
  struct Seen: Sendable {
    var text = ""
    var ran: [String] = []
    var names: [String?] = []
    var did: [String] = []
  }

  private(set) var seen = Seen()
  var transcript = ["1 + 1", "const a = {\n}"]

  func show(_ text: String) { seen.text += text }
  func answer(_ text: String, indent: Int) { seen.text += text }
  func showInterrupt(_ open: [OpenCall]) { seen.did.append("interrupt") }
  func run(_ text: String, name: String?) {
    seen.ran.append(text)
    seen.names.append(name)
  }
  func startComposing() { seen.did.append("compose") }
  func clearScreen() { seen.did.append("clear") }
  func leave() { seen.did.append("leave") }
}
