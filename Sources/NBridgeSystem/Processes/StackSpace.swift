// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// How much of the calling thread's stack is left, for code that goes as deep as a text makes it. Belongs to
/// the thread that made it.
public struct StackSpace: Sendable {
  /// Where the stack begins, and below what it is nearly used up. An address outside of it is a sanitizer's,
  /// and tells nothing.
  private let scarce: Range<UInt>
  /// What is kept for the code that is called last: bytes.
  private static let reserve: UInt = 128 << 10

  /// Asks for the stack of the calling thread, which is the one to ask later.
  public init() { self = Processor.thread == getpid() ? Self.main : Self(asking: ()) }

  /// The main thread's. For that one glibc reads all of the process's maps.
  private static let main = StackSpace(asking: ())

  private init(asking: Void) {
    var attributes = pthread_attr_t()
    var start: UnsafeMutableRawPointer?
    var size = 0
    // For the process's main thread glibc reads the limit (`ulimit -s`).
    guard pthread_getattr_np(pthread_self(), &attributes) == 0 else {
      scarce = 0..<0
      return
    }
    pthread_attr_getstack(&attributes, &start, &size)
    pthread_attr_destroy(&attributes)
    let lowest = UInt(bitPattern: start)
    scarce = lowest..<lowest + Self.reserve
  }

  /// Whether a function may call itself once more.
  public var hasRoom: Bool {
    var mark: UInt8 = 0
    return !scarce.contains(withUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) })
  }
}
