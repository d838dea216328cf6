// SPDX-License-Identifier: MIT

internal import CGLib
internal import CJavaScriptCore

/// Has the engine look for the dead pieces of a stream while it is under way.
///
/// The engine counts their memory, but it looks only when much has come, and lets go of what has outlived one
/// look only when it looks at all there is: a stream of 256 MiB left ninety megabytes of pieces about, and
/// leaves fifteen less so. To look at what is new frees about one and costs a fifth of a millisecond; to look
/// at all costs a millisecond and more, as the heap is large. So each look earns a rest as many times as long
/// as it took.
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
    mutating func take(_ collect: PrivateAPI.Collect?, _ context: JSContextRef) -> Bool {
      let start = Int(g_get_monotonic_time())
      guard let collect, start >= restUntil else { return false }
      collect(context)
      let end = Int(g_get_monotonic_time())
      restUntil = end + PieceCollector.rest * (end - start)
      return true
    }
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
    if count > Self.looks, atAll.take(PrivateAPI.collectSynchronously, context.ref) {
      count = 0
    } else {
      _ = atNew.take(PrivateAPI.collectNew, context.ref)
    }
  }
}
