// SPDX-License-Identifier: MIT

package import CNBridgePlugin
internal import Glibc
internal import Synchronization

/// Puts a plugin into a library of its own.
///
/// ```swift
/// import NBridgePlugin
/// import Weather
///
/// @_cdecl("nbridge_plugin_entry")
/// public func nbridgePluginEntry(abi: UInt32) -> UnsafeRawPointer? {
///   PluginExport.table(of: WeatherPlugin(), abi: abi)
/// }
/// ```
///
/// This is all that the library exports: no Swift type crosses its edge, so a library goes on working with
/// later versions of nBridge and of Swift.
public enum PluginExport {
  /// The plugin's table, as `nbridge_plugin.h` describes it; readable for the life of the process.
  ///
  /// - Parameters:
  ///   - plugin: makes the plugin, anew for each program that starts it.
  ///   - abi: the version that the host asked with.
  /// - Returns: nil when the host's major version is another.
  public static func table<P: Plugin>(of plugin: @autoclosure @escaping @Sendable () -> P, abi: UInt32)
    -> UnsafeRawPointer?
  {
    guard abi >> 16 == UInt32(NBRIDGE_ABI_MAJOR) else { return nil }
    return UnsafeRawPointer(make(plugin))
  }

  /// The same, for a host in this very program.
  package static func make(_ plugin: @escaping @Sendable () -> any Plugin) -> UnsafePointer<nbridge_plugin> {
    let made = ExportedPlugin(plugin)
    let table = UnsafeMutablePointer<nbridge_plugin>.allocate(capacity: 1)
    table.initialize(
      to: nbridge_plugin(
        magic: NBRIDGE_PLUGIN_MAGIC, size: UInt32(MemoryLayout<nbridge_plugin>.size),
        major: UInt16(NBRIDGE_ABI_MAJOR), minor: UInt16(NBRIDGE_ABI_MINOR), reserved_flags: 0,
        // Never released: the table lives as long as the process.
        user: Unmanaged.passRetained(made).toOpaque(),
        describe: { table, size in ExportedPlugin.of(table).describe(size) },
        start: { table, start, state, failure in
          do {
            state.pointee = try ExportedPlugin.of(table).start(start.pointee)
            return 1
          } catch {
            failure.pointee.fill(failure: error, WireSink(), keepsSink: true)
            return 0
          }
        },
        stop: { state in
          // Balances `start`.
          if let state { Unmanaged<ExportedRun>.fromOpaque(state).takeRetainedValue().stop() }
        },
        call: { state, request, answer in
          ExportedRun.with(state) { $0.call(request, answer) } ?? UInt32(NBRIDGE_ANSWERED)
        },
        cancel: { state, call in ExportedRun.with(state) { $0.cancel(call) } },
        grant: { state, call, events in ExportedRun.with(state) { $0.grant(call, Int(events)) } },
        lifecycle: { state, phase in ExportedRun.with(state) { $0.host.enter(phase) } },
        feed: { state, call, feed in ExportedRun.with(state) { $0.feed(call, feed.pointee) } },
        reserved: (nil, nil, nil, nil, nil, nil, nil)))
    return UnsafePointer(table)
  }
}

/// A plugin behind its table: what does not change from start to start.
private final class ExportedPlugin: Sendable {
  private let make: @Sendable () -> any Plugin
  /// The description, NUL behind it; never freed, as the header promises. Made when it is first asked for.
  private let description = Mutex<StaticText?>(nil)

  private struct StaticText: Sendable {
    nonisolated(unsafe) let start: UnsafePointer<CChar>  // never written after it was made
    let count: UInt64
  }

  init(_ make: @escaping @Sendable () -> any Plugin) { self.make = make }

  static func of(_ table: UnsafePointer<nbridge_plugin>) -> ExportedPlugin {
    guard let user = table.pointee.user else { preconditionFailure("not a table that PluginExport made") }
    return Unmanaged<ExportedPlugin>.fromOpaque(user).takeUnretainedValue()
  }

  /// The description; of a plugin that can't be described, a JSON string that says why.
  func describe(_ size: UnsafeMutablePointer<UInt64>) -> UnsafePointer<CChar> {
    let text = description.withLock { made in
      let text = made ?? Self.text(of: make())
      made = text
      return text
    }
    size.pointee = text.count
    return text.start
  }

  private static func text(of plugin: any Plugin) -> StaticText {
    let sink = WireSink()
    do {
      try WireEncoder.encode(PluginDescriptor(type(of: plugin).manifest, plugin.body.members), into: sink)
    } catch {
      sink.reset()
      sink.write("\(error)")
    }
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: sink.count + 1)
    text.update(from: sink.terminated, count: sink.count + 1)
    return StaticText(start: UnsafePointer(text), count: UInt64(sink.count))
  }

  func start(_ start: nbridge_start) throws -> UnsafeMutableRawPointer {
    let run = try ExportedRun(make(), start)
    return Unmanaged.passRetained(run).toOpaque()  // balanced by `stop`
  }
}
