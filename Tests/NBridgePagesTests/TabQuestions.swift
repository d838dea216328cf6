// SPDX-License-Identifier: MIT

import Dispatch
import NBridgeHost
import NBridgePages
import NBridgePlugin
import Synchronization

/// Asks the pages of a served program from a test's thread.
final class TabQuestions: @unchecked Sendable {
  // Used on the program's thread only, to which each closure is posted.
  private let tabs: PageTabs
  private let loop: EventLoop

  init(_ tabs: PageTabs, _ loop: EventLoop) { (self.tabs, self.loop) = (tabs, loop) }

  /// A question that may be answered later.
  final class Asked: Sendable {
    private let outcome = Mutex<Result<PageTabs.Outcome, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    fileprivate func settle(_ result: Result<PageTabs.Outcome, any Error>) {
      outcome.withLock { $0 = result }
      isThere.signal()
    }

    /// Waits for what came of it.
    func value() throws -> PageTabs.Outcome {
      guard isThere.wait(timeout: .now() + 20) == .success, let result = outcome.withLock({ $0 }) else {
        throw BridgeError(.timeout, "the page told nothing")
      }
      return try result.get()
    }
  }

  func ask(_ tab: Int, _ code: String) -> Asked {
    let asked = Asked()
    loop.post { [self] in
      let entry = PageTabs.Entry(code: code, names: [], constants: [], width: 80, colours: false)
      do { _ = try tabs.ask(tab, entry) { asked.settle(.success($0)) } } catch {
        asked.settle(.failure(error))
      }
    }
    return asked
  }

  var all: [PageTabs.Tab] {
    let found = Mutex<[PageTabs.Tab]>([])
    let isDone = DispatchSemaphore(value: 0)
    loop.post { [self] in
      found.withLock { $0 = tabs.all }
      isDone.signal()
    }
    isDone.wait()
    return found.withLock { $0 }
  }
}
