// SPDX-License-Identifier: MIT

package import NBridgeSystem

extension BridgeError {
  /// What the system refused, with its words.
  package init(_ error: SystemError, _ code: Code = .ioError) { self.init(code, error.description) }

  /// What the system refused when the call that this thread made last failed: `can't open 'x': Permission
  /// denied`. To be asked for at once: the next call changes the reason.
  ///
  /// - Parameters:
  ///   - verb: what was to be done, as `open`.
  ///   - subject: what it was to be done to; nil where the verb says it.
  ///   - code: the code that the script sees.
  public static func system(_ verb: String, _ subject: String? = nil, _ code: Code = .ioError) -> BridgeError
  {
    BridgeError(.last(verb, subject), code)
  }

  /// A library that is needed and can't be used.
  package init(_ error: MissingLibrary) { self.init(.unavailable, error.description) }

  /// Too many files are open.
  package init(_ error: TooManyFiles) { self.init(.ioError, error.description) }
}

extension OpenedOnce {
  /// - Throws: ``BridgeError/Code/unavailable``, with what to install.
  package func orUnavailable() throws(BridgeError) -> Library {
    do { return try get() } catch { throw BridgeError(error) }
  }
}
