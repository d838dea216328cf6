// SPDX-License-Identifier: MIT

internal import AuthPlugin
internal import NBridgeTerminal
internal import Synchronization

/// Authentication while a prompt has the terminal: asked on its thread, in the terminal's usual mode.
final class AuthAtPrompt: Sendable {
  private let terminal: Terminal
  private let isInterrupted: @Sendable () -> Bool
  /// Takes work to the prompt's thread; nil until there is a prompt.
  private let post = Mutex<Post?>(nil)

  private struct Post {
    let send: @Sendable (@escaping @Sendable () -> Void) -> Void
  }

  init(_ terminal: Terminal, isInterrupted: @escaping @Sendable () -> Bool) {
    (self.terminal, self.isInterrupted) = (terminal, isInterrupted)
  }

  func connect(_ post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.post.withLock { $0 = Post(send: post) }
  }

  var prompter: TerminalAuthPrompter {
    TerminalAuthPrompter(isInterrupted: isInterrupted) { [self] body in
      let ask: @Sendable () -> Void = { [self] in
        terminal.restore()
        defer { terminal.enterRawMode() }
        body()
      }
      if let post = post.withLock(\.self) { post.send(ask) } else { ask() }
    }
  }
}
