// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Something that a plugin in a process of its own needs beyond the app's container, as its `plugin.json`
/// says it and a person grants it.
public enum PluginAccess: Hashable, Sendable {
  /// `network`: connections and servers.
  case network
  /// `sockets`: Unix sockets, as of a desktop's bus or a database.
  case localSockets
  /// `run:PATH`: programs, a file or all in a folder; `run`: any.
  case run(String)
  /// `read:PATH`: a file, or all in a folder.
  case read(String)
  /// `write:PATH`: the same for reading and changing, and devices.
  case write(String)
  /// `call:SERVICE` and `call:SERVICE.ACTION`: other plugins, which may do what this one can't.
  case call(String)
  /// `watch`: changes of files and folders, also of those that it can't read.
  case watch
  /// `script`: its own JavaScript, which runs in the program and can do what the program's scripts can.
  case script
  /// `env:NAME`: one of the program's variables.
  case variable(String)
  /// `everything`: no sandbox at all.
  case everything

  /// Reads one.
  ///
  /// - Throws: ``PluginError`` for a text that is none.
  public init(_ text: String) throws {
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw PluginError("'\(text)' has a control character in it, which no name needs")
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count == 2 ? parts[1] : nil) {
    case ("network", nil): self = .network
    case ("sockets", nil): self = .localSockets
    case ("watch", nil): self = .watch
    case ("script", nil): self = .script
    case ("everything", nil): self = .everything
    case ("run", nil): self = .run("/")
    case ("run", let path?): self = .run(try Self.path(path, text))
    case ("read", let path?): self = .read(try Self.path(path, text))
    case ("write", let path?): self = .write(try Self.path(path, text))
    case ("call", let name?) where !name.isEmpty: self = .call(name)
    case ("env", let name?) where !name.isEmpty && !name.utf8.contains(UInt8(ascii: "=")):
      self = .variable(name)
    default:
      throw PluginError(
        """
        '\(text)' is nothing that a plugin can be granted; there are network, sockets, run, run:PATH, \
        read:PATH, write:PATH, watch, script, call:SERVICE, env:NAME and everything
        """
      )
    }
  }

  private static func path(_ path: String, _ text: String) throws -> String {
    let names = path.pathNames
    guard path.hasPrefix("/") || path == "~" || path.hasPrefix("~/"), !names.contains(".."),
      !path.utf8.contains(0)
    else {
      throw PluginError("'\(text)' must name a path that begins with / or ~/, without '..'")
    }
    return path
  }
}

extension PluginAccess: CustomStringConvertible {
  /// As it is written.
  public var description: String {
    switch self {
    case .network: "network"
    case .localSockets: "sockets"
    case .run("/"): "run"
    case .run(let path): "run:\(path)"
    case .read(let path): "read:\(path)"
    case .write(let path): "write:\(path)"
    case .call(let name): "call:\(name)"
    case .watch: "watch"
    case .script: "script"
    case .variable(let name): "env:\(name)"
    case .everything: "everything"
    }
  }
}

extension PluginAccess: Codable {
  /// Reads the text.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// What a person grants plugins that run in processes of their own, by service.
public struct PluginGrants: Sendable, Equatable {
  private var granted: [String: Set<PluginAccess>] = [:]
  /// The services that get whatever their `plugin.json` asks for.
  private var trusted: Set<String> = []

  /// Nothing.
  public init() {}

  /// The services that something is granted to.
  public var services: Set<String> { trusted.union(granted.keys) }

  /// Grants a plugin something beside what it was granted before.
  public mutating func grant(_ access: PluginAccess, to service: String) {
    granted[service, default: []].insert(access)
  }

  /// Grants a plugin all that its `plugin.json` asks for.
  public mutating func grantWhatIsAsked(by service: String) { trusted.insert(service) }

  /// Grants what others grant, too.
  public mutating func add(_ others: PluginGrants) {
    trusted.formUnion(others.trusted)
    granted.merge(others.granted) { $0.union($1) }
  }

  /// What a plugin may do.
  func access(of service: String, asking: [PluginAccess]) -> Set<PluginAccess> {
    granted[service, default: []].union(trusted.contains(service) ? Set(asking) : [])
  }

  /// Whether the plugin's own script runs in the program.
  func letsScript(of service: String, asking: [PluginAccess]) -> Bool {
    !access(of: service, asking: asking).isDisjoint(with: [.script, .everything])
  }

  /// Throws `permission_denied` when a plugin asks for what nobody granted: it could not work.
  func check(_ service: String, asking: [PluginAccess]) throws {
    let access = access(of: service, asking: asking)
    if access.contains(.everything) { return }
    let missing = asking.filter { !access.contains($0) }.map(\.description)
    if missing.isEmpty { return }
    let list = missing.map { "\"\($0)\"" }.joined(separator: ", ")
    throw BridgeError(
      .permissionDenied,
      """
      it asks for \(missing.joined(separator: ", ")), which nobody granted; grant it with --grant \
      \(service), or in app.json: "grants": { "\(service)": [\(list)] }
      """,
      details: try? Value(encoding: ["plugin": service, "missing": missing.joined(separator: ",")]))
  }
}
