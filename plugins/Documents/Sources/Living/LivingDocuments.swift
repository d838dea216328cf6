// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The open documents, and what watches all of them.
final class LivingDocuments: Sendable {
  private let open = Mutex<[ObjectIdentifier: LivingDocument]>([:])
  private let watcher = Mutex<DocumentWatcher?>(nil)

  /// Watches a document's place from now on: that of a new one, or a place that it has moved to.
  func watch(_ document: LivingDocument) throws {
    let watcher = watcher.withLock { known in
      let watcher = known ?? DocumentWatcher()
      known = watcher
      return watcher
    }
    let isKnown = open.withLock { $0.updateValue(document, forKey: ObjectIdentifier(document)) != nil }
    if isKnown { watcher.forget(document) }
    try watcher.watch(document)
  }

  /// A document was closed.
  func forget(_ document: LivingDocument) {
    open.withLock { $0[ObjectIdentifier(document)] = nil }
    watcher.withLock { $0 }?.forget(document)
  }

  func clear() {
    for document in open.withLock({ Array($0.values) }) { document.close() }
    watcher.withLock { $0 = nil }
  }
}
