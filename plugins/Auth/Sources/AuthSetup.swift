// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Who decides, chosen by whoever starts the program: never by its script, nor by its `app.json`.
package struct AuthSetup: Sendable {
  package var rules: AuthRules
  /// Asks people; nil when there is nobody.
  package var prompter: (any AuthPrompter)?
  package var clock: any AuthClock = SystemAuthClock()
  /// Whether what people decide is on the disk before the script hears of it.
  package var isDurable = true
  /// The file that the rules were read from.
  var file: PolicyPlace?
  /// What it is called in messages.
  var name: String

  /// The same for each evaluation.
  package init(always outcome: AuthOutcome, prompter: (any AuthPrompter)? = nil) {
    rules = AuthRules(always: outcome)
    self.prompter = prompter
    name = "--auth \(outcome.rawValue)"
  }

  /// As a file says.
  ///
  /// - Throws: `invalid_parameter` with the file and the line; `not_found`, `io_error`.
  package init(file path: String, prompter: (any AuthPrompter)? = nil) throws {
    let place = try PolicyPlace(path)
    rules = try AuthPolicyFile.parse(place.content, path: path)
    self.prompter = prompter
    file = place
    name = "--auth-policy \(path)"
  }

  /// The file that no script may reach; nil without one.
  package var sealedFile: String? { file?.realPath }
}

/// A policy's file as it was once.
struct PolicyPlace: Sendable {
  let path: String
  let realPath: String
  let content: [UInt8]
  private let look: Look

  /// What changes when somebody writes to a file.
  private struct Look: Equatable {
    var (device, node, size) = (UInt64(0), UInt64(0), Int64(0))
    var (modified, nanoseconds) = (0, 0)

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, node, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
      (modified, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// - Throws: `not_found`, `too_large`, `io_error`.
  init(_ path: String) throws {
    guard let look = Look(path), let real = RealPath.of(path) else {
      throw BridgeError(.notFound, "there is no policy file '\(path)'")
    }
    guard look.size <= AuthPolicyFile.largest else {
      throw BridgeError(
        .tooLarge, "the policy '\(path)' has \(look.size) bytes; \(AuthPolicyFile.largest) are the most")
    }
    (self.path, self.look, realPath) = (path, look, real)
    content = try SmallFile.read(path, followsLinks: true) ?? []
  }

  /// Whether it says what it said. One that is gone says nothing else.
  var isUnchanged: Bool {
    guard let now = Look(path), now != look else { return true }
    return now.size == look.size && (try? SmallFile.read(path, followsLinks: true)) == content
  }
}
