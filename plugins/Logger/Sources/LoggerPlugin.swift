// SPDX-License-Identifier: MIT

package import NBridgePlugin
internal import Synchronization

/// The program's log: from scripts and from plugins, to a terminal, files, the viewer and the system's logs.
package struct LoggerPlugin: Plugin, LogReceiver {
  /// `nbridge.logger`.
  package static let manifest: PluginManifest = {
    var manifest = PluginManifest(
      service: "logger", version: "1.0.0",
      help: "The program's log: structured records to a terminal, files, a viewer and the system's logs.",
      script: PluginScript(
        files: [PackageResources.logger_js], members: PackageResources.members_d_ts,
        types: PackageResources.types_d_ts))
    manifest.logReceiver = { $0 as? LoggerPlugin }
    return manifest
  }()

  private let state = LoggerHolder()

  /// Makes the plugin.
  package init() {}

  package func start(_ app: AppEnvironment) throws {
    state.set(try LoggerSettings(app.settings), app)
  }

  package func stop() { state.close() }

  package func receive(_ record: LogRecord) { state.receive(record) }

  /// The plugin's actions.
  package var body: PluginBody {
    Immediate("open", "What the script's half has to know.") { call in try state.hub().view }
      .hidden().permission("log").errors(.ioError)
    Immediate("write", "Takes records.") { (options: WriteOptions, call) in
      let hub = try state.hub()
      if var lines = options.lines { lines.withUTF8 { hub.put($0) } }
      options.bytes?.withUnsafeBytes { $0.withMemoryRebound(to: UInt8.self) { hub.put($0) } }
    }
    .hidden().permission("log").errors(.ioError)
    Immediate("setLevel", "Records nothing that matters less.") { (options: LevelOptions, call) in
      let hub = try state.hub()
      hub.setLevel(options.level)
      return hub.view
    }
    .hidden().permission("log").errors(.ioError)
    Detached("configure", "Changes where records go and what is taken out of them.") {
      (options: LoggerSettings, call) in
      let hub = try state.hub()
      try hub.configure(options)
      return hub.view
    }
    .blocking().hidden().permission("configure").errors(.ioError)
    Detached("flush", "Waits until all records are where they belong.") { (options: FlushOptions, call) in
      try state.hub().flush(milliseconds: min(60_000, max(1, options.timeout ?? 5000)))
    }
    .blocking().hidden().permission("log").errors(.ioError)
    Immediate("statistics", "What the sinks count.") { call in try state.hub().statistics }
      .permission("log").errors(.ioError)
  }
}

/// A level by its name.
struct LevelOptions: Codable, Sendable {
  var level: LogLevel
}

/// The hub, made with the first record: a program that logs nothing starts no thread and makes no folder.
private final class LoggerHolder: Sendable {
  private struct State {
    var settings = LoggerSettings?.none
    var app: AppEnvironment?
    var hub: LogHub?
    var isClosed = false
  }

  private let state = Mutex(State())

  func set(_ settings: LoggerSettings, _ app: AppEnvironment) {
    state.withLock { state in
      (state.settings, state.app, state.isClosed) = (settings, app, false)
    }
  }

  func hub() throws -> LogHub {
    try state.withLock { state in
      if let hub = state.hub { return hub }
      guard let settings = state.settings, let app = state.app, !state.isClosed else {
        throw BridgeError(.cancelled, "the program has ended")
      }
      let hub = try LogHub(settings, app)
      state.hub = hub
      return hub
    }
  }

  func receive(_ record: LogRecord) {
    guard let hub = try? hub() else { return }
    hub.put(record)
  }

  func close() {
    let hub = state.withLock { state in
      defer { (state.hub, state.isClosed) = (nil, true) }
      return state.hub
    }
    hub?.close()
  }
}
