// SPDX-License-Identifier: MIT

package import NBridgeSystem

/// The program that a script is: its identity, where its files live, how it ends.
public final class AppEnvironment: Sendable {
  /// From `app.json`, or from the script's path.
  public let info: AppInfo
  /// The app's own folders.
  public let container: Container
  /// The app's own folder: the one of its `app.json`, else the one that the script lies in; nil for a script
  /// without one. Not for writing.
  public let bundle: String?
  /// What of that folder scripts may read beside the program's own files, as paths from it on; nil for all of
  /// it.
  package let resources: [String]?
  /// What stands after the script on the command line.
  public let arguments: [String]
  /// Defaults that `app.json` registers for preferences, by key.
  public let registeredDefaults: [String: Value]
  /// The folders that it shares with the user's other apps.
  public let shared: SharedFolders
  /// The URL schemes that `app.json` says it handles.
  public let schemes: [String]
  /// What `app.json` says for the plugin under `plugins`; nil when nothing.
  public let settings: Value?
  /// The service of the plugin that has this environment.
  package let service: String
  package let host: any AppHost
  /// The plugin's objects that scripts hold.
  package let handles = HandleTable()

  package init(
    info: AppInfo, container: Container, bundle: String?, resources: [String]? = nil, arguments: [String],
    registeredDefaults: [String: Value], shared: SharedFolders, schemes: [String], settings: Value? = nil,
    service: String = "", host: any AppHost
  ) {
    self.info = info
    self.container = container
    self.bundle = bundle
    self.resources = resources
    self.arguments = arguments
    self.registeredDefaults = registeredDefaults
    self.shared = shared
    self.schemes = schemes
    self.settings = settings
    self.service = service
    self.host = host
  }

  /// What `app.json` says for the plugin, as a type of its own; nil when nothing. A member that the type has
  /// no name for is refused, at every level, with the nearest name.
  ///
  /// - Throws: ``BridgeError`` that names what is wrong, as `plugins.weather.city`.
  public func settings<T: Decodable & Sendable>(as type: T.Type) throws -> T? {
    try settings?.decode(settings: type, named: "plugins.\(service)")
  }

  /// The same for one plugin.
  package func scoped(to service: String, settings: Value?) -> AppEnvironment {
    AppEnvironment(
      info: info, container: container, bundle: bundle, resources: resources, arguments: arguments,
      registeredDefaults: registeredDefaults, shared: shared, schemes: schemes, settings: settings,
      service: service, host: host)
  }

  /// The plugin's way into the program's log.
  public var logger: PluginLogger { PluginLogger(host, service) }

  /// Ends the program with `code` as soon as the call that asks for it has settled.
  public func exit(code: Int32) { host.requestExit(code) }

  /// The lifecycle from now on; each reader gets its own stream, the present state first.
  public func lifecycle() -> AsyncStream<LifecycleState> { host.lifecycle() }

  /// Notes a file, or a folder, that a person chose for the program, as in a dialog: that is the permission
  /// to read it, and to write it.
  package func choose(_ path: String) { host.choose(path) }

  /// Where what a person chose by this very word, as bytes, was when it was chosen; nil for what nobody
  /// chose.
  package func chosenPlace(_ path: String) -> RealPath? { host.chosenPlace(path) }

  /// Where the program is in its life now.
  package var phase: LifecycleState { host.phase }

  /// Writes a line for the person who runs the program, on stderr.
  public func note(_ line: String) { host.note(line) }

  /// Writes bytes behind what scripts printed before, and before what they print afterwards.
  ///
  /// - Parameter done: called once, on any thread, maybe before this returns: with nil when the bytes are
  ///   written, else with the system's number for why not. It must not write.
  package func write(
    _ bytes: Bytes, to stream: OutputStream, _ done: @escaping @Sendable (Int32?) -> Void
  ) { host.write(bytes, to: stream, done) }
}

/// The streams that a program writes to.
package enum OutputStream: Int32, Sendable {
  case output = 1
  case errors = 2
}

/// An app's identity.
public struct AppInfo: Codable, Sendable, Equatable {
  /// Unique on this machine; the name of its container.
  public var id: String
  /// For people.
  public var name: String
  /// As `1.0.0`.
  public var version: String
  /// As `1`.
  public var build: String

  /// Makes the description.
  public init(id: String, name: String, version: String, build: String) {
    self.id = id
    self.name = name
    self.version = version
    self.build = build
  }
}

/// An app's folders, made with mode 0700 when the container is.
public struct Container: Sendable, Equatable {
  /// The container itself.
  public let path: String

  /// Names a container; makes nothing.
  public init(path: String) { self.path = path }

  /// What the user made; backed up.
  public var documents: String { path + "/Documents" }
  /// Settings, through the preference plugin only.
  public var preferences: String { path + "/Library/Preferences" }
  /// What can be made again; not backed up.
  public var caches: String { path + "/Library/Caches" }
  /// The runtime's own: programs put together of modules. In none of the directories that scripts can name,
  /// or one could change what another runs.
  package var modules: String { path + "/Library/Modules" }
  /// The items of the web's `localStorage`. In none of the directories that scripts can name either.
  package var localStorage: String { path + "/Library/LocalStorage" }
  /// What pages in windows keep by themselves: storage, databases, caches. In none of those directories.
  package var webKit: String { path + "/Library/WebKit" }
  /// What the app keeps for itself.
  public var applicationSupport: String { path + "/Library/Application Support" }
  /// Not kept between runs.
  public var temporary: String { path + "/tmp" }
  /// Every folder, parents first.
  public var folders: [String] {
    [path, documents, path + "/Library", preferences, caches, applicationSupport, temporary]
  }
}

/// Where a program is in its life.
public enum LifecycleState: String, Codable, Sendable, CaseIterable {
  /// It runs.
  case active
  /// It was stopped from the terminal (^Z) and will be continued.
  case background
  /// It is about to end; saved state is still written.
  case terminating
}

/// What the runtime does for plugins.
package protocol AppHost: AnyObject, Sendable {
  func requestExit(_ code: Int32)
  func lifecycle() -> AsyncStream<LifecycleState>
  var phase: LifecycleState { get }
  func note(_ line: String)
  /// Writes bytes in the order of what is printed: see ``AppEnvironment/write(_:to:_:)``.
  func write(_ bytes: Bytes, to stream: OutputStream, _ done: @escaping @Sendable (Int32?) -> Void)
  /// Whether any receiver wants records of a level.
  func logs(_ level: LogLevel) -> Bool
  func log(_ record: LogRecord)
  /// Calls an action for a plugin; cancelled with the task that waits.
  func invoke(_ request: InvocationRequest) async throws -> Value
  func allows(_ permission: String) -> Bool
  /// The entry that forbids what a permission stands for, as `!documents.*`; nil for none.
  func forbidding(_ permission: String) -> String?
  /// Whether a path is a file that the program is made of (its script, or a module), or a folder with one.
  func holdsProgramFile(_ path: RealPath) -> Bool
  /// Notes a file or folder that a person chose for the program.
  func choose(_ path: String)
  /// Where what a person chose by this word was then; nil for what nobody chose.
  func chosenPlace(_ path: String) -> RealPath?
}

extension AppHost {
  /// A host without people, as the table of loaded plugins.
  package func choose(_ path: String) {}
  package func chosenPlace(_ path: String) -> RealPath? { nil }

  /// A host that can't tell, as the table of loaded plugins.
  package func forbidding(_ permission: String) -> String? { nil }

  /// A host without such streams, as the table of loaded plugins.
  package func write(
    _ bytes: Bytes, to stream: OutputStream, _ done: @escaping @Sendable (Int32?) -> Void
  ) { done(notSupported) }
}

/// EOPNOTSUPP (errno.h).
private let notSupported: Int32 = 95
