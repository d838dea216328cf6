// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// `app.json`: an app's identity and what its scripts may do. It stands beside the script, or in a folder
/// above: the nearest one counts.
///
/// | key | type | meaning |
/// | --- | --- | --- |
/// | `id` | string | the container's name; letters, digits, `.`, `-`, `_` |
/// | `name`, `version`, `build` | string | what `app.appInfo` tells |
/// | `permissions` | strings | what scripts may call; `import:/path`: modules from elsewhere; absent: all |
/// | `preferences` | object | defaults that `preference.get` falls back to |
/// | `imports` | object of strings | an import map for modules: names, or prefixes that end with `/` |
/// | `schemes` | strings | URL schemes the app handles |
/// | `plugins` | object of objects | what plugins are set up with, by service |
/// | `grants` | object of lists | what isolated plugins may do, as `network`, by service |
/// | `main` | string | the script or page that starts it, beside the file |
/// | `resources` | strings | what scripts may read, files and folders; absent: all but hidden ones |
public struct AppManifest: Sendable, Codable {
  var id: String?
  var name: String?
  var version: String?
  var build: String?
  var permissions: [String]?
  var preferences: [String: Value]?
  var schemes: [String]?
  var imports: [String: String]?
  var plugins: [String: Value]?
  var grants: [String: [String]]?
  var resources: [String]?
  /// The script that starts the app.
  public private(set) var main: String?

  /// What scripts may call, as it stands in the file; empty without such a list.
  public var permissionList: [String] { permissions ?? [] }
  /// Whether the file has the app's id.
  public var hasID: Bool { id != nil }

  /// Where it was read from; nil when there is none and the script's path decides.
  private var path: String?
  private var script = ""
  /// What its user is to be told, though the program runs.
  public private(set) var warnings: [String] = []

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, name, version, build, permissions, preferences, schemes, imports, plugins, grants, main
    case resources
  }

  /// Reads the `app.json` beside or above a script, or `explicit`. Without one, the script's path makes the
  /// app.
  ///
  /// - Parameters:
  ///   - script: the script's path.
  ///   - isFile: whether `script` is a file; else it is the name of a text, which lies in the current folder.
  ///   - explicit: the path of the `app.json` that a person named; nil to look for one.
  /// - Throws: ``AppManifestError`` for one that can't be used, or that others could have put there.
  public static func find(
    forScript script: String, isFile: Bool = true, explicit: String?
  ) throws -> AppManifest {
    let found =
      try explicit.map { (path: $0, warning: nil) } ?? ManifestSearch.nearest(to: script, isFile: isFile)
    var manifest = AppManifest()
    if let path = found.path {
      manifest = try parse(try text(of: path, plainOnly: explicit == nil), path: path)
    }
    if let warning = found.warning { manifest.warnings.append(warning) }
    manifest.script = script
    return manifest
  }

  /// The files, in full, that decide which `app.json` counts for a script: what is made, changed or removed
  /// there means another run.
  ///
  /// - Parameters: as of ``find(forScript:isFile:explicit:)``.
  public static func places(forScript script: String, explicit: String?) -> [String] {
    let places = explicit.map { [ProgramFiles.absolute($0)] } ?? ManifestSearch.places(for: script)
    let targets = places.compactMap { RealPath($0)?.string }
    return places + targets.filter { !places.contains($0) }
  }

  /// The folder that it stands in, as its path says; nil when there is none.
  public var folder: String? { path.map(DisplayPath.folder) }

  /// Whether an `app.json` stands at a path. One that can't be looked at or read is not one that is missing:
  /// without it, scripts may do more.
  ///
  /// - Throws: when that can't be told.
  public static func isThere(_ path: String) throws(AppManifestError) -> Bool {
    do { return try NamePresence.isTaken(path) } catch { throw AppManifestError("\(error)") }
  }

  /// - Parameter plainOnly: whether a pipe is refused: a person may name one, but one that lies there would
  ///   be waited for.
  private static func text(of path: String, plainOnly: Bool) throws -> String {
    do {
      return try ScriptFile.text(try ScriptFile.bytes(path, plainOnly: plainOnly), "'\(path)'")
    } catch {
      let link = ScriptFile.target(ofLink: path).map { "; it is a link to '\($0)'" } ?? ""
      throw AppManifestError(error.description + link)
    }
  }

  /// Parses the text of an `app.json`; errors name `path` and the key.
  static func parse(_ text: String, path: String) throws(AppManifestError) -> AppManifest {
    let value = Value(text: Array(text.utf8))
    do {
      guard value.kind == .object else {
        if let problem = value.syntaxProblem {
          throw AppManifestError("'\(path)' is not JSON: \(problem)")
        }
        throw AppManifestError("'\(path)' must be a JSON object, not \(value.kind.words)")
      }
      if let twice = value.doubledKey(inDepths: false) {
        throw AppManifestError("'\(path)' has the key '\(twice)' twice")
      }
      let known = CodingKeys.allCases.map(\.rawValue)
      let members = try value.decode([String: Value].self)
      // Without a list, everything is open.
      for key in ["permissions", "resources"] where members[key]?.kind == .null {
        throw AppManifestError("'\(path)': \(key) is null; leave it out for all, or give a list")
      }
      for key in members.keys where !known.contains(key) {
        if let near = NearestName.of(key, among: known) {
          throw AppManifestError("'\(path)' has no key '\(key)'; did you mean '\(near)'?")
        }
      }
      var manifest = try value.decode(AppManifest.self)
      manifest.path = path
      try manifest.check()
      return manifest
    } catch let error as AppManifestError {
      throw error
    } catch let error as BridgeError {
      // The path of what is wrong begins at the file's own object.
      let message = error.message.hasPrefix("value.") ? error.message.dropFirst(6) : error.message[...]
      throw AppManifestError("'\(path)': \(message)")
    } catch { throw AppManifestError("'\(path)': \(error)") }
  }

  private func check() throws(AppManifestError) {
    if let resource = resources?.first(where: ResourcePath.leadsOut) {
      throw AppManifestError(
        """
        '\(path ?? "app.json")': resources names '\(resource)', which must be a path from the file's folder \
        on, without '..'
        """
      )
    }
    guard let id else { return }
    let allowed = id.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E, 0x2D, 0x5F: true
      default: false
      }
    }
    if !allowed || id.isEmpty || id.hasPrefix(".") || id.utf8.count > 128 {
      throw AppManifestError(
        """
        '\(path ?? "app.json")': id '\(id)' must be 1 to 128 letters, digits, '.', '-' or '_', \
        not starting with '.'
        """
      )
    }
  }

  /// Sets up a runtime for the app.
  ///
  /// - Parameters:
  ///   - options: what is set up.
  ///   - services: the plugins that there are.
  ///   - actions: the permissions of a plugin, as `service.name`; nil where they aren't known.
  ///   - isScoped: whether a permission may have a scope, as `documents.import:/path`.
  /// - Throws: ``AppManifestError`` for settings of a plugin that is not there, and for permissions that
  ///   would open more than they look. One that names nothing gives nothing: it is a warning, since a plugin
  ///   may be missing on this machine, or older.
  public func apply(
    to options: inout RuntimeOptions, services: () throws -> [String],
    actions: @escaping (String) -> [String]? = { _ in nil },
    isScoped: @escaping (String) -> Bool = { _ in true }
  ) throws {
    options.app = info
    options.registeredDefaults = preferences ?? [:]
    options.schemes = schemes ?? []
    options.imports = imports ?? [:]
    options.settings = plugins ?? [:]
    options.importsFolder = DisplayPath.folder(of: path ?? "")
    // Without an app.json, no author has said that a script may read what is in the folder: it may be a home
    // folder.
    options.resources = path == nil ? [] : resources
    if let path, RealPath(path) != nil { options.bundle = RealPath.folder(of: path) }
    if let grants { try apply(grants, to: &options, services: try services()) }
    if let plugins {
      let services = try services()
      for (service, value) in plugins {
        guard services.contains(service) else {
          throw AppManifestError(
            "'\(path ?? "app.json")': plugins names the unknown plugin '\(service)'"
              + NearestName.hint(for: service, among: services))
        }
        guard value.kind == .object else {
          throw AppManifestError("'\(path ?? "app.json")': plugins.\(service) must be an object")
        }
      }
    }
    options.warnings += warnings
    guard let permissions else { return }
    options.permissions = PermissionSet(permissions)
    let known = KnownPermissions(services: try services(), actions: actions, isScoped: isScoped)
    if let slip = permissions.first(where: known.isSlip), let problem = known.problem(slip) {
      let verb = PermissionSet.isDenial(slip) ? "forbid" : "name"
      throw AppManifestError(
        "'\(path ?? "app.json")': permissions \(verb) \(problem); what is forbidden must be named as it is, "
          + "as !documents.remove")
    }
    let problems = permissions.compactMap(known.problem)
    options.warnings += (problems + [KnownPermissions.problem(of: permissions)].compactMap { $0 }).map {
      "'\(path ?? "app.json")': permissions name \($0)"
    }
  }

  /// A plugin that is missing on this machine gets nothing: a warning, as for permissions.
  private func apply(
    _ grants: [String: [String]], to options: inout RuntimeOptions, services: [String]
  ) throws {
    let place = "'\(path ?? "app.json")'"
    for (service, list) in grants.sorted(by: { $0.key < $1.key }) {
      if !services.contains(service) {
        options.warnings.append(
          "\(place): grants name the unknown plugin '\(service)'"
            + NearestName.hint(for: service, among: services))
      }
      for text in list {
        do { options.grants.grant(try PluginAccess(text), to: service) } catch {
          throw AppManifestError("\(place): grants.\(service): \(error)")
        }
      }
    }
  }

  private var info: AppInfo {
    let file = script.pathNames.last.map(String.init) ?? "script"
    let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    return AppInfo(
      id: id ?? ScriptIdentity.id(of: script, stem: stem), name: name ?? stem, version: version ?? "0.0.0",
      build: build ?? "0")
  }
}

/// An `app.json` that can't be used.
public struct AppManifestError: Error, CustomStringConvertible {
  /// What is wrong, with the file and the key.
  public let description: String
  init(_ description: String) { self.description = description }
}

/// Paths of resources, as an app.json or a command line names them.
public enum ResourcePath {
  /// Whether a path leads, or may lead, out of the folder that it begins in.
  public static func leadsOut(_ path: String) -> Bool {
    path.isEmpty || DisplayPath.isAbsolute(path) || path.utf8.contains(0)
      || path.pathNames.contains { $0 == ".." }
  }
}

/// The app that a script without `app.json` is: its own, by its place on disk.
enum ScriptIdentity {
  /// The script's name and a hash of its real path, as `sample-1f2e3d4c5b6a7988`.
  static func id(of script: String, stem: String) -> String {
    let path = RealPath(script)?.bytes ?? Array(script.utf8)
    let name = String(
      stem.unicodeScalars.map { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
          ? Character(scalar) : "-"
      })
    return "\(name)-\(String(fnv1a(path), radix: 16))"
  }

  /// FNV-1a, 64 bits (Fowler, Noll, Vo 1991): stable over runs, which Swift's own hash is not.
  private static func fnv1a(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
