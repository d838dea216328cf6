// SPDX-License-Identifier: MIT

internal import CNBridgeLinux

/// The machine's processors, as a thread sees them.
public enum Processor {
  /// The number of the one that runs this thread; it may be another the next moment. -1 where it is not told.
  public static var current: Int32 { sched_getcpu() }

  /// The number of this thread among all of the system.
  public static var thread: Int32 { nb_thread() }

  /// How many there are that this process may use.
  public static var count: Int { max(1, Int(nb_processors())) }

  /// How often this thread has left its processor to wait for something.
  public static var waits: Int { nb_thread_waits() }
}
