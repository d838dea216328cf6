// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The open documents, by number.
final class LivingDocuments: Sendable {
  private struct State {
    var open: [Int: LivingDocument] = [:]
    /// Closed before they were there: the script did not wait for them.
    var cancelled: Set<Int> = []
  }
  private let state = Mutex<State>(State())
  private let watcher = Mutex<DocumentWatcher?>(nil)

  func add(_ document: LivingDocument, as number: Int) throws {
    let watcher = watcher.withLock { known in
      let watcher = known ?? DocumentWatcher()
      known = watcher
      return watcher
    }
    try watcher.watch(document)
    let isWanted = state.withLock { state in
      if state.cancelled.remove(number) != nil { return false }
      state.open[number] = document
      return true
    }
    guard isWanted else {
      drop(document)
      throw BridgeError(.cancelled, "the call was cancelled")
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
    drop(document)
  }

  /// Closes a document that may still be on its way.
  func cancel(_ number: Int) {
    if let document = state.withLock({ state in
      let document = state.open.removeValue(forKey: number)
      if document == nil { state.cancelled.insert(number) }
      return document
    }) {
      drop(document)
    }
  }

  private func drop(_ document: LivingDocument) {
    document.close()
    watcher.withLock { $0 }?.forget(document)
  }

  func clear() {
    for document in state.withLock({ Array($0.open.values) }) { document.close() }
    state.withLock { $0.open = [:] }
    watcher.withLock { $0 = nil }
  }
}
