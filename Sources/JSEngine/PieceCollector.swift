// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore
internal import Glibc

/// Has the engine look for the dead pieces of a stream while it is under way.
///
/// The engine counts their memory, but it looks only when much has come, and lets go of what has outlived one
/// look only when it looks at all there is: a stream of 256 MiB left ninety megabytes of pieces about, and
/// leaves fifteen less so. To look at what is new frees about one and costs a fifth of a millisecond; to look
/// at all costs a millisecond and more, as the heap is large. So each look earns a rest as many times as long
/// as it took, in time that this thread worked: on a busy machine a look that was held up earns no more.
struct PieceCollector {
  /// The sizes of what streams come in. For smaller ones looking costs more than it brings.
  private static let sizes = 1 << 19...4 << 20
  /// So many bytes are new when they are looked at.
  private static let step = 8 << 20
  /// So many looks at what is new before one at all.
  private static let looks = 3
  private static let rest = 8

  private struct Look {
    var restUntil = 0

    /// Answers false when it is resting, or the library can't.
    mutating func take(
      _ collect: PrivateAPI.Collect?, _ context: JSContextRef, clock: () -> Int
    ) -> Bool {
      let start = clock()
      guard let collect, start >= restUntil else { return false }
      collect(context)
      let end = clock()
      restUntil = end + PieceCollector.rest * (end - start)
      return true
    }
  }

  /// Nanoseconds that this thread worked.
  var clock: () -> Int = {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  private var new = 0
  private var count = 0
  private var atNew = Look()
  private var atAll = Look()

  /// A piece of so many bytes is about to be made.
  mutating func expect(_ bytes: Int, in context: JSContext) {
    guard Self.sizes ~= bytes else { return }
    new += bytes
    guard new >= Self.step else { return }
    new = 0
    count += 1
    // What other threads let go of is held until the queue is emptied.
    context.machine.drainReleases(in: context)
    if count > Self.looks, atAll.take(PrivateAPI.collectSynchronously, context.ref, clock: clock) {
      count = 0
    } else {
      _ = atNew.take(PrivateAPI.collectNew, context.ref, clock: clock)
    }
  }
}
