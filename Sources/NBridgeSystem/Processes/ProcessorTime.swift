// SPDX-License-Identifier: MIT

internal import CNBridgeLinux

/// The time of processors that this process has had, in microseconds; 0 where the kernel does not tell.
public enum ProcessorTime {
  /// In its own code.
  public static var user: Double { nb_processor_time(0) }

  /// In the kernel's, for it.
  public static var system: Double { nb_processor_time(1) }
}
