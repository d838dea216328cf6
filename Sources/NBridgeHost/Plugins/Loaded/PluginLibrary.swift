// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
package import NBridgePlugin

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

  /// Opens a library. Throws ``PluginError`` saying what is wrong with the file and what to do about it.
  public init(path: String) throws {
    do {
      try LibraryFile.check(path)
      try self.init(try Self.open(path), path: path)
      do {
        try PluginNames.check(service: descriptor.service)
        for member in descriptor.members { try PluginNames.check(member.name, member.handle, of: service) }
      } catch {
        throw PluginError("has a name that no plugin can have: \(error)")
      }
      var names: Set<String> = []
      for member in descriptor.members where !names.insert(member.name).inserted {
        throw PluginError("declares '\(service).\(member.name)' twice")
      }
    } catch let error as PluginError { throw PluginError("'\(path)' \(error)") }
  }

  /// A plugin of this program behind its table, as a library would have it.
  package init(exporting plugin: @escaping @Sendable () -> any Plugin) throws {
    try self.init(PluginExport.make(plugin), path: "\(type(of: plugin()))")
  }

  private init(_ table: UnsafePointer<nbridge_plugin>, path: String) throws {
    try TableCheck.check(table)
    self.path = path
    self.table = table
    if let known = KnownDescription.of(path) {
      descriptor = known
    } else {
      var size: UInt64 = 0
      let text = table.pointee.describe(table, &size)
      descriptor = try Self.read(UnsafeBufferPointer(start: text, count: Int(size)))
    }
  }

  private static func open(_ path: String) throws -> UnsafePointer<nbridge_plugin> {
    // All symbols now: a missing one is told here and not in the middle of a call. Local: libraries don't
    // meet.
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw PluginError("can't be loaded: \(String(cString: dlerror()))")
    }
    guard let symbol = dlsym(library, NBRIDGE_PLUGIN_ENTRY) else {
      throw PluginError(
        """
        is no nBridge plugin: it does not export '\(NBRIDGE_PLUGIN_ENTRY)'; build it with: \
        nbridge plugin build
        """
      )
    }
    typealias Entry = @convention(c) (UInt32) -> UnsafePointer<nbridge_plugin>?
    let entry = unsafeBitCast(symbol, to: Entry.self)  // the header gives the type of this name
    guard let table = entry(TableCheck.version) else {
      throw PluginError(
        """
        refuses table \(TableCheck.versionText), which this nbridge has; rebuild it with: nbridge plugin build
        """
      )
    }
    return table
  }

  private static func read(_ text: UnsafeBufferPointer<CChar>) throws -> PluginDescriptor {
    try text.withMemoryRebound(to: UInt8.self) { bytes in
      guard UTF8Check.isValid(bytes) else { throw PluginError("describes itself in text that is not UTF-8") }
      let description = Value(text: Array(bytes))
      do {
        let descriptor = try description.decode(PluginDescriptor.self)
        try descriptor.check()
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

/// Whether a table is one that this host can use.
enum TableCheck {
  static let version = UInt32(NBRIDGE_ABI_MAJOR) << 16 | UInt32(NBRIDGE_ABI_MINOR)
  static let versionText = "\(NBRIDGE_ABI_MAJOR).\(NBRIDGE_ABI_MINOR)"

  static func check(_ table: UnsafePointer<nbridge_plugin>) throws {
    let bytes = UnsafeRawPointer(table)
    let head = bytes.loadUnaligned(as: UInt32.self)
    guard head == NBRIDGE_PLUGIN_MAGIC else {
      throw PluginError(
        """
        gives a table that begins with \(hex(head)) instead of \(hex(NBRIDGE_PLUGIN_MAGIC)): \
        it is no nBridge plugin
        """
      )
    }
    // `size` and the version stand where they stand in every version.
    let size = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    let major = Int(bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
    let minor = Int(bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self))
    try check(major: major, minor: minor)
    let expected = MemoryLayout<nbridge_plugin>.size
    guard size == expected else {
      throw PluginError(
        "gives a table of \(size) bytes where version \(major).\(minor) has \(expected): it is "
          + (size < expected ? "too short" : "too long") + "; rebuild it with: nbridge plugin build")
    }
    for offset in [24, 32, 40, 48] where bytes.load(fromByteOffset: offset, as: UInt.self) == 0 {
      throw PluginError("gives a table without describe, start, stop or call")
    }
  }

  private static func check(major: Int, minor: Int) throws {
    if major == Int(NBRIDGE_ABI_MAJOR), minor <= Int(NBRIDGE_ABI_MINOR) { return }
    let isNewer = (major, minor) > (Int(NBRIDGE_ABI_MAJOR), Int(NBRIDGE_ABI_MINOR))
    throw PluginError(
      "was built for plugin table \(major).\(minor), and this nbridge (\(NBridgeVersion.current)) has "
        + "\(versionText): "
        + (isNewer ? "update nbridge, or rebuild the plugin" : "rebuild the plugin")
        + " with: nbridge plugin build")
  }

  private static func hex(_ number: UInt32) -> String { "0x" + String(number, radix: 16, uppercase: true) }
}

extension PluginContract {
  /// Of a plugin in a library.
  public init(_ library: PluginLibrary) {
    let members = library.descriptor.members.map { $0.declaration(.placeholder($0.kind)) }
    self.init(library.descriptor.manifest, members)
  }
}
