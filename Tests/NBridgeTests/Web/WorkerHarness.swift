// SPDX-License-Identifier: MIT

import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting

/// Runs scripts that start workers.
enum WorkerHarness {
  /// What the scripts share: `spawn(f)` starts a worker whose script is the body of a function, `next(w)`
  /// answers a promise of the next message's data.
  static let tools = """
    const spawn = (f, options) =>
      new Worker("data:text/javascript," + encodeURIComponent(`(${f})()`), options);
    const next = (target) => new Promise((done) => target.addEventListener("message", (e) => done(e.data),
      { once: true }));

    """

  /// Runs `main.mjs` among some files in a folder of their own.
  static func run(
    _ files: [String: String], plugins: [any Plugin] = [],
    workers: (@Sendable () -> [any Plugin])? = nil, change: (inout RuntimeOptions) -> Void = { _ in }
  ) async -> ScriptHarness.Result {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    for (name, text) in files {
      let place = URL(fileURLWithPath: folder + "/" + name)
      try? FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? Data(text.utf8).write(to: place)
    }
    var harness = ScriptHarness(plugins: plugins)
    harness.usesRealTime = true
    harness.options.bundle = folder + (files["app/main.mjs"] == nil ? "" : "/app")
    harness.options.workerPlugins = workers
    change(&harness.options)
    return await harness.run(.file(folder + (files["app/main.mjs"] == nil ? "/main.mjs" : "/app/main.mjs")))
  }

  /// Runs a script with the tools.
  static func run(
    _ script: String, plugins: [any Plugin] = [], workers: (@Sendable () -> [any Plugin])? = nil
  ) async -> ScriptHarness.Result {
    await run(["main.mjs": tools + script], plugins: plugins, workers: workers)
  }
}
