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
    rules = try AuthPolicyFile.read(path)
    guard place.isUnchanged else {
      throw BridgeError(.conflict, "the policy '\(path)' was changed while it was read")
    }
    self.prompter = prompter
    file = place
    name = "--auth-policy \(path)"
  }

  /// The file that no script may reach; nil without one.
  package var sealedFile: String? { file?.realPath }
}

/// A file as it was once.
struct PolicyPlace: Sendable {
  let path: String
  let realPath: String
  private let identity: Identity

  private struct Identity: Equatable {
    var (device, node, size) = (UInt64(0), UInt64(0), Int64(0))
    var (modified, nanoseconds) = (0, 0)
    var (changed, changedNanoseconds) = (0, 0)

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, node, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
      (modified, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      (changed, changedNanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    }
  }

  /// - Throws: `not_found`.
  init(_ path: String) throws {
    guard let identity = Identity(path), let real = RealPath.of(path) else {
      throw BridgeError(.notFound, "there is no policy file '\(path)'")
    }
    (self.path, self.identity, realPath) = (path, identity, real)
  }

  var isUnchanged: Bool { Identity(path) == identity }
}
