// SPDX-License-Identifier: MIT

import CNBridgeGLib

/// Has GIO's memory monitor warn, as it does when the system's daemon says so.
enum MemoryWarnings {
  static func emit(_ level: UInt32) {
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
