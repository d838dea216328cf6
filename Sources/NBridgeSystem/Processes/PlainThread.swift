// SPDX-License-Identifier: MIT

internal import Glibc

/// A thread of its own for what blocks or belongs to one thread: POSIX, detached.
public enum PlainThread {
  /// Starts `body` on a new thread, which ends with it. False when the system gives no more threads.
  ///
  /// - Parameters:
  ///   - name: what `top -H` shows; 15 bytes.
  ///   - stackSize: in bytes; nil for the system's own.
  @discardableResult
  public static func start(
    _ name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let box = Unmanaged.passRetained(ThreadBody(name, body))  // balanced by the thread, or below
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    let failed = pthread_create(&thread, &attributes, runThread, box.toOpaque())
    pthread_attr_destroy(&attributes)
    if failed != 0 { box.release() }
    return failed == 0
  }
}

private final class ThreadBody: Sendable {
  let name: String
  let body: @Sendable () -> Void
  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let start = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
  setName(start.name)
  start.body()
  return nil
}

/// pthread_setname_np by hand: the headers show that one to GNU programs only, which a Swift one can't be.
private func setName(_ name: String) {
  let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  _ = write(file, name, name.utf8.count)
  close(file)
}
