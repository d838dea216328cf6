// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Brings what earlier runs left behind to the viewer, on a thread of its own.
final class SpooledRunsDelivery: Sendable {
  private let isRunning = Atomic<Bool>(false)
  private let end = WakeFile()

  /// Begins, if there is something and nothing is under way.
  func start(_ place: ViewerPlace) {
    guard !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let files = SpooledRuns.abandoned(in: place.spool)
    let hasThread =
      !files.isEmpty
      && PlainThread.start("nb-log-old") { [self] in
        for (path, file) in files {
          if SpooledRuns.deliver(file, to: place) { unlink(path) }
          file.close()
        }
        isRunning.store(false, ordering: .releasing)
        end.set()
      }
    guard !hasThread else { return }
    for (_, file) in files { file.close() }
    isRunning.store(false, ordering: .releasing)
  }

  /// Waits until it is over, or until a moment of the monotonic clock; the next run goes on with the rest.
  func wait(until deadline: Int) {
    while isRunning.load(ordering: .acquiring) {
      let left = deadline - MonotonicTime.milliseconds
      if left <= 0 { return }
      end.wait(milliseconds: left)
    }
  }
}
