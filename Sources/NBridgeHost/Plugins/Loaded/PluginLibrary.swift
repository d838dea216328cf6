// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgeIsolation
package import NBridgePlugin
internal import NBridgeSystem

/// A library with a plugin in it, opened and understood but not started. It stays open for the life of the
/// process: code of its own threads and its Swift runtime can't be taken away.
public struct PluginLibrary: Sendable {
  /// The file.
  public let path: String
  nonisolated(unsafe) let table: UnsafePointer<nbridge_plugin>  // constant, and there for ever
  package let descriptor: PluginDescriptor

  /// The name that scripts use.
  public var service: String { descriptor.service }
  /// The plugin's own version.
  public var version: String { descriptor.version }
  /// One sentence.
  public var help: String? { descriptor.help }

  /// Whether it runs in a process of its own.
  package let isIsolated: Bool
  /// What it can't work without, if its process is confined.
  let needs: [PluginAccess]?

  /// Opens a library. Throws ``PluginError`` saying what is wrong with the file and what to do about it.
  public init(path: String) throws {
    self = try NativeCalls.opening(path) {
      try PluginLibrary(path) { () throws(PluginTable.Problem) in (try PluginTable.open(path), false) }
    }
  }

  /// Opens a library for a process of its own: none of its code runs in this one. Throws ``PluginError``.
  ///
  /// - Parameter folder: the plugin's own, all of which it may read; nil for a library that lies anywhere.
  public init(isolated path: String, in folder: String? = nil, _ isolation: Isolation = Isolation()) throws {
    let files = PluginFileNames(
      library: RealPath(path)?.text ?? path, folder: folder.map { RealPath($0)?.text ?? $0 })
    let plugin = IsolatedPlugin(isolation, place: Self.place) {
      try IsolatedProcess(files, isolation, $0)
    }
    try self.init(path) { () throws(PluginTable.Problem) in (IsolatedTable.make(plugin), true) }
  }

  private init(
    _ path: String, _ open: () throws(PluginTable.Problem) -> (UnsafePointer<nbridge_plugin>, Bool)
  ) throws {
    do {
      try LibraryFile.check(path)
      let (table, isIsolated) = try open()
      try self.init(table, path: path, isIsolated: isIsolated, isConfined: isIsolated)
      do {
        try PluginNames.check(service: descriptor.service)
        for member in descriptor.members { try PluginNames.check(member.name, member.handle, of: service) }
      } catch {
        throw PluginError("has a name that no plugin can have: \(error)")
      }
      var names: Set<String> = []
      for member in descriptor.members {
        // Two types of objects may have methods of one name; each has its `close`.
        let name = member.handle.map { "\($0.type).\(member.name)" } ?? member.name
        guard names.insert(name).inserted else { throw PluginError("declares '\(service).\(name)' twice") }
      }
    } catch let error as PluginError {
      throw PluginError("'\(path)' \(error)")
    } catch let error as PluginTable.Problem {
      throw PluginError("'\(path)' \(error)")
    }
  }

  /// A plugin of this program behind its table, as a library would have it.
  package init(exporting plugin: @escaping @Sendable () -> any Plugin) throws {
    try self.init(PluginExport.make(plugin), path: "\(type(of: plugin()))", isIsolated: false)
  }

  /// A plugin of this program behind the channel of isolated ones, on a thread of this process.
  package init(channelling plugin: @escaping @Sendable () -> any Plugin) throws {
    let table = UncheckedSendable(PluginExport.make(plugin))  // constant, and there for ever
    let isolated = IsolatedPlugin(Isolation(), place: Self.place) { _ in
      try ThreadProcess(table.value)
    }
    try self.init(IsolatedTable.make(isolated), path: "\(type(of: plugin()))", isIsolated: true)
  }

  private static let place: @Sendable (UnsafeMutableRawPointer) -> IsolatedPlace? = { context in
    HostTable.instance(context).map {
      IsolatedPlace(loop: $0.loop, host: $0.host, container: $0.container, grants: $0.grants)
    }
  }

  private init(
    _ table: UnsafePointer<nbridge_plugin>, path: String, isIsolated: Bool, isConfined: Bool = false
  ) throws {
    do { try PluginTable.check(table) } catch { throw PluginError(error.description) }
    self.path = path
    self.table = table
    self.isIsolated = isIsolated
    if let known = KnownDescription.of(path) {
      descriptor = known
    } else {
      var size: UInt64 = 0
      let text = table.pointee.describe(table, &size)
      descriptor = try Self.read(UnsafeBufferPointer(start: text, count: Int(size)))
    }
    if isIsolated { IsolatedTable.plugin(table).learn(descriptor, isConfined: isConfined) }
    needs = isConfined ? IsolatedTable.plugin(table).needs : nil
  }

  private static func read(_ text: UnsafeBufferPointer<CChar>) throws -> PluginDescriptor {
    try text.withMemoryRebound(to: UInt8.self) { bytes in
      guard UTF8Check.isValid(bytes) else { throw PluginError("describes itself in text that is not UTF-8") }
      let description = Value(text: Array(bytes))
      do {
        let descriptor = try description.decode(PluginDescriptor.self)
        try descriptor.check()
        try OptionRules.check(descriptor)
        return descriptor
      } catch {
        if let reason = try? description.decode(String.self) {
          throw PluginError("can't describe itself: \(reason)")
        }
        throw PluginError("describes itself wrongly: \((error as? BridgeError)?.message ?? "\(error)")")
      }
    }
  }
}

extension PluginContract {
  /// Of a plugin in a library.
  public init(_ library: PluginLibrary) {
    let members = library.descriptor.members.map { $0.declaration(.placeholder($0.kind)) }
    self.init(library.descriptor.manifest, members)
  }
}
