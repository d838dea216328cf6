// SPDX-License-Identifier: MIT

internal import Synchronization

/// A library's functions, opened by the first caller that asks. A failure is not kept: what was missing then,
/// a descriptor or memory, may be there the next time. Thread-safe.
public final class OpenedOnce<Library: Sendable>: Sendable {
  private let opened = Mutex<Library?>(nil)
  private let open: @Sendable () throws(MissingLibrary) -> Library

  /// - Parameter open: finds the library's functions.
  public init(_ open: @escaping @Sendable () throws(MissingLibrary) -> Library) { self.open = open }

  /// - Throws: what opening it throws.
  public func get() throws(MissingLibrary) -> Library {
    try opened.withLock { (known) throws(MissingLibrary) in
      if let known { return known }
      let made = try open()
      known = made
      return made
    }
  }
}
