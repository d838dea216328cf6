// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// The groups of processes that this process has started and that must not outlive it. Any thread.
public enum ProcessGroups {
  private static let running = Mutex<Set<Int32>>([])

  /// Kills a group with this process's end from now on: ``killAll()``.
  public static func add(_ group: Int32) { running.withLock { _ = $0.insert(group) } }

  /// Does so no more. Before the group's leader is waited for: its number may be another's afterwards.
  public static func remove(_ group: Int32) { running.withLock { _ = $0.remove(group) } }

  /// Kills all that run, at once. For the process's end.
  public static func killAll() {
    running.withLock { groups in
      for group in groups { _ = kill(-group, SIGKILL) }
      groups = []
    }
  }
}
