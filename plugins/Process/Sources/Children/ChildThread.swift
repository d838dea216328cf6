// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// What the thread of children does. Confined to it.
final class ChildThread {
  private let wake: WakeFile
  private var running: [RunningChild] = []
  private var whenGone: (() -> Void)?

  init(_ wake: WakeFile) { self.wake = wake }

  /// Runs until ``close(within:_:)`` and the end of all children.
  func run(_ posted: () -> [@Sendable (ChildThread) -> Void]) {
    while true {
      for body in posted() { body(self) }
      attend()
      if running.isEmpty, let whenGone { return whenGone() }
    }
  }

  func start(_ child: RunningChild) {
    do throws(SystemError) {
      let pipes = try ChildPipes(child.plan.options)
      let process = try GroupedChild.start(child.plan.program, streams: pipes.ends)
      child.process = ChildProcessState(process, child, pipes)
      running.append(child)
      child.begin(process.id)
    } catch {
      child.fail(ProgramPath.failure(child.plan.options.program, error.code))
    }
  }

  /// Ends all children, and calls `whenGone` when they are.
  func close(within grace: Int, _ whenGone: @escaping () -> Void) {
    self.whenGone = whenGone
    for child in running {
      child.process?.stop(.cancelled)
      child.process?.hurry(grace)
    }
  }

  private func attend() {
    let files = running.flatMap { $0.process?.files ?? [] }
    let now = MonotonicTime.milliseconds
    let due = running.compactMap { $0.process?.due }.min().map { max(0, $0 - now) }
    let ready = Poller.wait(for: [(wake.number, .readable)] + files, milliseconds: isIdleAtEnd ? 0 : due)
    if !ready[0].isEmpty { wake.take() }
    for (index, child) in running.enumerated() {
      child.process?.attend(ready[(1 + 4 * index)..<(5 + 4 * index)])
    }
    running.removeAll { child in
      guard child.process?.isOver != false else { return false }
      child.process = nil
      return true
    }
  }

  private var isIdleAtEnd: Bool { running.isEmpty && whenGone != nil }
}
