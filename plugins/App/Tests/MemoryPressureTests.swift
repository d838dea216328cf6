// SPDX-License-Identifier: MIT

import CNBridgeGLib
import Testing

@testable import AppPlugin

/// What the system says when memory runs short.
@Suite struct MemoryPressureTests {
  /// GIO's numbers stand for ranges.
  @Test(arguments: [
    (0, MemoryPressure.low), (50, .low), (99, .low), (100, .medium), (254, .medium), (255, .critical),
  ])
  func aWarningsLevelIsNamed(_ level: Int, _ named: MemoryPressure) {
    #expect(MemoryPressure(UInt32(level)) == named)
  }

  @Test func aWarningOfGIOsIsTold() async throws {
    let events = try MemoryPressure.events()
    warn(100)
    warn(255)
    var told = events.makeAsyncIterator()
    #expect(await told.next() == .medium)
    #expect(await told.next() == .critical)
  }

  /// As GIO does when the system's daemon, or the desktop's portal, says so.
  private func warn(_ level: UInt32) {
    guard let monitor = g_memory_monitor_dup_default() else { return }
    let object = UnsafeMutableRawPointer(monitor)
    defer { g_object_unref(object) }
    let type = g_type_from_name("GMemoryMonitor")
    var values = [GValue(), GValue()]
    g_value_init(&values[0], type)
    g_value_set_object(&values[0], object)
    g_value_init(&values[1], g_memory_monitor_warning_level_get_type())
    g_value_set_enum(&values[1], gint(level))
    g_signal_emitv(values, g_signal_lookup("low-memory-warning", type), 0, nil)
    for index in values.indices { g_value_unset(&values[index]) }
  }
}
