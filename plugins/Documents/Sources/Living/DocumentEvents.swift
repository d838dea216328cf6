// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What other programs do with a document, for the script; the first look is taken when the stream is there
/// to tell of it.
struct DocumentEvents: AsyncSequence, Sendable {
  let document: LivingDocument

  struct AsyncIterator: AsyncIteratorProtocol {
    let document: LivingDocument
    var events: AsyncStream<DocumentEvent>.Iterator?

    mutating func next() async throws -> DocumentEvent? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> DocumentEvent? {
      if events == nil {
        events = document.events().makeAsyncIterator()
        let document = document
        try await Blocking.run(isolation: actor) { _ = document.look() }
      }
      return await events?.next(isolation: actor)
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(document: document) }
}
