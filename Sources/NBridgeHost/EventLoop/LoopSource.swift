// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// The GLib source of a loop: prepare and check read flags, dispatch runs.
enum LoopSource {
  private struct Layout {
    var source: GSource
    var loop: UnsafeMutableRawPointer
  }

  // Written once, before the first source, and only read by GLib afterwards.
  private nonisolated(unsafe) static let functions: UnsafeMutablePointer<GSourceFuncs> = {
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.prepare = { source, timeout in
      guard let source else { return 0 }
      timeout?.pointee = -1
      let loop = LoopSource.loop(of: source)
      if loop.isPaused(0) {
        g_source_set_ready_time(source, -1)
        return 0
      }
      if loop.hasWork { return 1 }
      g_source_set_ready_time(source, loop.readyTime)
      return 0
    }
    functions.pointee.check = { source in
      guard let source else { return 0 }
      let loop = LoopSource.loop(of: source)
      return !loop.isPaused(0) && loop.hasWork ? 1 : 0
    }
    functions.pointee.dispatch = { source, _, _ in
      guard let source else { return 0 }
      LoopSource.loop(of: source).dispatch()
      return 1
    }
    return functions
  }()

  static func attach(_ loop: EventLoop, to context: OpaquePointer, priority: Int32)
    -> UnsafeMutablePointer<GSource>?
  {
    guard let source = g_source_new(functions, UInt32(MemoryLayout<Layout>.size)) else { return nil }
    source.withMemoryRebound(to: Layout.self, capacity: 1) {
      // Not retained: the loop destroys its source in `close`.
      $0.pointee.loop = Unmanaged.passUnretained(loop).toOpaque()
    }
    g_source_set_priority(source, priority)
    g_source_attach(source, context)
    return source
  }

  static func loop(of source: UnsafeMutablePointer<GSource>) -> EventLoop {
    source.withMemoryRebound(to: Layout.self, capacity: 1) {
      Unmanaged<EventLoop>.fromOpaque($0.pointee.loop).takeUnretainedValue()
    }
  }
}
