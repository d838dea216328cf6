// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The open documents, by number.
final class LivingDocuments: Sendable {
  private struct State {
    var last = 0
    var open: [Int: LivingDocument] = [:]
  }
  private let state = Mutex<State>(State())
  private let watcher = Mutex<DocumentWatcher?>(nil)

  func add(_ document: LivingDocument) throws -> Int {
    let watcher = watcher.withLock { known in
      let watcher = known ?? DocumentWatcher()
      known = watcher
      return watcher
    }
    try watcher.watch(document)
    return state.withLock { state in
      state.last += 1
      state.open[state.last] = document
      return state.last
    }
  }

  subscript(number: Int) -> LivingDocument {
    get throws {
      if let document = state.withLock({ $0.open[number] }) { return document }
      throw BridgeError(.unavailable, "this document is closed; open it again with documents.open")
    }
  }

  /// Watches the document's new place.
  func moved(_ document: LivingDocument) throws {
    let watcher = watcher.withLock { $0 }
    watcher?.forget(document)
    try watcher?.watch(document)
  }

  func close(_ number: Int) {
    guard let document = state.withLock({ $0.open.removeValue(forKey: number) }) else { return }
    watcher.withLock { $0 }?.forget(document)
    document.close()
  }

  func clear() {
    for document in state.withLock({ Array($0.open.values) }) { document.close() }
    state.withLock { $0.open = [:] }
    watcher.withLock { $0 = nil }
  }
}
