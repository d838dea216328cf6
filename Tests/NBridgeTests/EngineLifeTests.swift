// SPDX-License-Identifier: MIT

import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Synchronization
import Testing

/// An engine that outlives its runtime keeps its memory; and a thread that would stop a script of an engine
/// whose thread has ended looks for that thread for ever.
@Suite struct EngineLifeTests {
  /// Runs a script on a thread of its own, which ends with it, and answers what tells whether the engine
  /// still exists.
  private func run(_ script: String, _ plugin: any Plugin = ProbePlugin()) async -> @Sendable () -> Bool {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        var exists: @Sendable () -> Bool = { true }
        do {
          var options = RuntimeOptions()
          options.output = CapturedOutput()
          let folder = TemporaryFolder.make()
          defer { TemporaryFolder.remove(folder) }
          options.container = folder
          let runtime = try Runtime(options, plugins: [plugin])
          exists = runtime.engineExists
          _ = runtime.run(.text(script, url: "test.js"))
        } catch { Issue.record(error) }
        continuation.resume(returning: exists)
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  @Test(arguments: [
    "await nbridge.probe.later({ ms: 1 })",
    "nbridge.probe.never(); setInterval(() => {}, 1e6); setTimeout(() => exit(0), 1)",
    """
    console.log(Promise.resolve(1), new TextEncoder().encode('x'), new Blob(['x']),
      structuredClone(new Map()), crypto.randomUUID())
    """,
    "for await (const one of nbridge.probe.numbers({ count: 3 })) await new Response('x').text()",
    """
    const c = new AbortController(); setTimeout(() => c.abort(), 1);
    await nbridge.probe.never({ signal: c.signal }).catch(() => {})
    """,
    """
    const w = new Worker("data:,postMessage(new ArrayBuffer(3e6)); onmessage = () => {}");
    await new Promise((done) => { w.onmessage = done; }); new BroadcastChannel('x').postMessage(1);
    w.terminate();
    """,
    "throw new Error('x')", "Promise.reject(new Error('x'))",
  ])
  func anEngineEndsWithItsRuntime(_ script: String) async {
    #expect(await run(script)() == false)
  }

  /// The handler comes back when its runtime has ended and can't be told any more.
  @Test func aHandlerThatOutlivesItsRuntimeLetsTheEngineGo() async {
    let exists = await run("nbridge.probe.block({ ms: 300 }); setTimeout(() => exit(0), 1)")
    for _ in 0..<6000 where exists() { usleep(10_000) }
    #expect(exists() == false)
  }

  @Test func bytesThatAPluginKeepsKeepTheEngineThatTheyAreOf() async {
    let plugin = KeepingPlugin()
    let exists = await run("nbridge.keeping.keep({ bytes: new Uint8Array(100_000).fill(7) })", plugin)
    #expect(exists())
    #expect(plugin.kept.take()?.allSatisfy { $0 == 7 } == true)
    #expect(exists() == false)
  }
}

private struct KeepingPlugin: Plugin {
  static let manifest = PluginManifest(service: "keeping", version: "1.0.0")

  final class Kept: Sendable {
    private let bytes = Mutex<Bytes?>(nil)
    func put(_ new: Bytes?) { bytes.withLock { $0 = new } }
    func take() -> Bytes? {
      bytes.withLock { bytes in
        defer { bytes = nil }
        return bytes
      }
    }
  }
  let kept = Kept()

  var body: PluginBody {
    Immediate("keep", "Keeps what it gets.") { (options: [String: Bytes], call) in
      kept.put(options["bytes"])
    }
  }
}
