// SPDX-License-Identifier: MIT

public import NBridgePlugin
internal import Synchronization

/// Settings that outlive a run: typed values by key, shared by all processes of the app.
public struct PreferencePlugin: Plugin {
  /// `nbridge.preference`.
  public static let manifest = PluginManifest(
    service: "preference", version: "1.0.0", help: "Settings that outlive a run: typed values by key.")

  private let state = PreferenceState()

  /// Makes the plugin.
  public init() {}

  /// Closes the database.
  public func stop() { state.stop() }

  /// The plugin's actions. Immediate, so that calls take effect in the order in which they were made.
  public var body: PluginBody {
    Immediate(
      "get", "Reads a value; without one: the default given, else the one app.json registers, else null."
    ) {
      (options: GetOptions, call) in
      try state.store(call.app).get(PreferenceKey(options.key)) ?? options.defaultValue
        ?? call.app.registeredDefaults[options.key] ?? .null
    }
    .positional("key", "defaultValue")
    .parameter("key", "1 to 1,024 bytes.")
    .parameter("defaultValue", "Answered as given when the key has no value.")
    .errors(.ioError)
    Immediate("set", "Stores a value: anything that crosses the bridge, up to 16 MiB.") {
      (options: SetOptions, call) in
      try state.store(call.app).set(PreferenceKey(options.key), to: options.value)
    }
    .positional("key", "value")
    .parameter("key", "1 to 1,024 bytes.")
    .parameter("value", "undefined removes the key.")
    .errors(.ioError, .tooLarge, .conflict)
    Immediate("remove", "Removes a key and tells whether it had a value.") { (options: KeyOptions, call) in
      try state.store(call.app).remove(PreferenceKey(options.key))
    }
    .positional("key")
    .errors(.ioError, .conflict)
    Immediate("keys", "Lists the keys that have values, sorted.") { call in try state.store(call.app).keys() }
      .errors(.ioError)
    Immediate("clear", "Removes every key and tells how many had values.") { call in
      try state.store(call.app).clear()
    }
    .errors(.ioError, .conflict)
    Watch("watch", "Tells each change of a value, by this process or another.") {
      (options: WatchOptions, call) in
      try state.store(call.app).watch(key: options.key)
    }
    .positional("key").orObject().parameter("key", "Only this key; all without it.")
    .errors(.ioError)
  }
}

/// The key that is read, and its default.
struct GetOptions: Codable {
  var key: String
  var defaultValue: Value?
}

/// The key and the value that are stored.
struct SetOptions: Codable {
  var key: String
  var value: Value
}

/// Which key.
struct KeyOptions: Codable {
  var key: String
}

/// The keys that are watched.
struct WatchOptions: Codable {
  var key: String?
}

/// A change of a value.
struct PreferenceChange: Codable {
  var key: String
  /// Absent when the key was removed.
  var value: Value?
  var removed: Bool
}

/// A key that may be stored.
struct PreferenceKey {
  let text: String

  init(_ text: String) throws {
    guard 1...1024 ~= text.utf8.count else {
      throw BridgeError(.invalidParameter, "option.key must have 1 to 1,024 bytes, not \(text.utf8.count)")
    }
    self.text = text
  }
}

/// The store, from the first call on.
final class PreferenceState: Sendable {
  private let made = Mutex<PreferenceStore?>(nil)

  func store(_ app: AppEnvironment) -> PreferenceStore {
    made.withLock { made in
      if let made { return made }
      let store = PreferenceStore(app)
      made = store
      return store
    }
  }

  func stop() {
    let store = made.withLock { made in
      defer { made = nil }
      return made
    }
    store?.close()
  }
}
