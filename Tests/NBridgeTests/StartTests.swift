// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// A program pays for what it uses.
@Suite struct StartTests {
  /// Counts how often its declarations are made.
  struct Counted: Plugin {
    static let manifest = PluginManifest(service: "counted", version: "1.0.0")
    let made: Made
    var body: PluginBody {
      let _ = made.count.add(1, ordering: .relaxed)
      Immediate("a", "A.") { call in 1 }
    }
  }

  final class Made: Sendable {
    let count = Atomic<Int>(0)
    var times: Int { count.load(ordering: .relaxed) }
  }

  @Test(arguments: [
    ("", 0), ("console.log(1)", 0), ("await nbridge.app", 0), ("await nbridge.counted.a()", 1),
    ("await nbridge.counted.a(); await nbridge.counted.a()", 1),
  ])
  func theDeclarationsOfAPluginAreMadeWhenItIsFirstAskedFor(_ script: String, _ times: Int) async {
    let made = Made()
    let result = await ScriptHarness(plugins: [Counted(made: made)]).run(script)
    #expect(made.times == times, "\(result.errors)")
  }

  /// A built-in module that another needs must be there, and each global must come from the module that says
  /// so.
  @Test func everyModuleLoadsWithWhatItNeeds() async {
    let names = """
      console setTimeout Event ErrorEvent AbortController DOMException structuredClone MessageChannel \
      Worker BroadcastChannel \
      TextEncoder atob URL
      URLSearchParams performance PerformanceObserver crypto SubtleCrypto CryptoKey Blob File ReadableStream \
      ReadableStreamBYOBReader WritableStream
      TransformStream CountQueuingStrategy TextDecoderStream FormData navigator addEventListener onerror \
      alert URLPattern ProgressEvent CloseEvent FileReader Storage sessionStorage localStorage \
      StorageEvent Lock LockManager AsyncDisposableStack
      """
    let list = names.split(whereSeparator: \.isWhitespace).map { "'\($0)'" }.joined(separator: ", ")
    // Not named in the script, so that each is found by its accessor.
    let result = await ScriptHarness(plugins: []).run(
      """
      for (const name of [\(list)]) if (!(name in globalThis) ||
        globalThis[name] === undefined) console.log(name)
      """)
    #expect(result.output.isEmpty && result.status == .success, "\(result.output) \(result.errors)")
  }
}
