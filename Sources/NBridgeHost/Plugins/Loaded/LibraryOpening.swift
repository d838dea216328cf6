// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Opens a library on a thread of its own, while the engine is made: the two cost about the same.
package final class LibraryOpening: Sendable {
  private let result = Mutex<Result<PluginLibrary, any Error>?>(nil)
  private let done = Gate()

  /// Begins to open what `open` opens.
  package init(_ open: @escaping @Sendable () throws -> PluginLibrary) {
    let isStarted = PlainThread.start("nb-plugin-open", stackSize: 8 << 20) { [self] in finish(open) }
    if !isStarted { finish(open) }
  }

  private func finish(_ open: () throws -> PluginLibrary) {
    let opened = Result { try open() }
    result.withLock { $0 = opened }
    done.open()
  }

  /// The library; waits for it. Throws what the opening threw.
  package func library() throws -> PluginLibrary {
    done.wait()
    guard let result = result.withLock({ $0 }) else { throw PluginError("the opening of a plugin was lost") }
    return try result.get()
  }
}
