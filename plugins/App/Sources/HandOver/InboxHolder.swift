// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The one inbox of a program, there as long as its script watches for URLs.
final class InboxHolder: Sendable {
  private let held = Mutex<URLInbox?>(nil)

  /// Opens it. Throws `conflict` when it is open: each URL is handled once.
  func open(_ app: AppEnvironment) throws -> AsyncStream<OpenedURL> {
    let (stream, continuation) = AsyncStream.makeStream(of: OpenedURL.self)
    let inbox = try held.withLock { held -> URLInbox in
      guard held == nil else {
        throw BridgeError(.conflict, "app.onOpenURL is watched already; one handler answers for the app")
      }
      let inbox = try URLInbox(app, continuation)
      held = inbox
      return inbox
    }
    continuation.onTermination = { [weak self] _ in self?.close(inbox) }
    return stream
  }

  func answer(_ number: Int, handled: Bool) throws -> Bool {
    try held.withLock { $0 }?.answer(number, handled: handled) ?? false
  }

  func stop() { held.withLock { $0 }.map(close) }

  private func close(_ inbox: URLInbox) {
    held.withLock { if $0 === inbox { $0 = nil } }
    inbox.stop()
  }
}
