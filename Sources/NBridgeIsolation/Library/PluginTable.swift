// SPDX-License-Identifier: MIT

package import CNBridgePlugin
internal import Glibc

/// The table that a plugin's library gives, looked at before it is used.
package enum PluginTable {
  /// Why a library can't be used: a sentence without its subject.
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
  }

  package static let version = UInt32(NBRIDGE_ABI_MAJOR) << 16 | UInt32(NBRIDGE_ABI_MINOR)
  private static let versionText = "\(NBRIDGE_ABI_MAJOR).\(NBRIDGE_ABI_MINOR)"

  /// Loads a library, for the life of the process.
  package static func open(_ path: String) throws(Problem) -> UnsafePointer<nbridge_plugin> {
    // All symbols now: a missing one is told here and not in the middle of a call. Local: libraries don't
    // meet.
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw Problem("can't be loaded: \(String(cString: dlerror()))")
    }
    guard let symbol = dlsym(library, NBRIDGE_PLUGIN_ENTRY) else {
      throw Problem(
        """
        is no nBridge plugin: it does not export '\(NBRIDGE_PLUGIN_ENTRY)'; build it with: \
        nbridge plugin build
        """
      )
    }
    typealias Entry = @convention(c) (UInt32) -> UnsafePointer<nbridge_plugin>?
    let entry = unsafeBitCast(symbol, to: Entry.self)  // the header gives the type of this name
    guard let table = entry(version) else {
      throw Problem(
        """
        refuses table \(versionText), which this nbridge has; rebuild it with: nbridge plugin build
        """
      )
    }
    try check(table)
    return table
  }

  /// Whether a table is one that a host of this version can use.
  package static func check(_ table: UnsafePointer<nbridge_plugin>) throws(Problem) {
    let bytes = UnsafeRawPointer(table)
    let head = bytes.loadUnaligned(as: UInt32.self)
    guard head == NBRIDGE_PLUGIN_MAGIC else {
      throw Problem(
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
      throw Problem(
        "gives a table of \(size) bytes where version \(major).\(minor) has \(expected): it is "
          + (size < expected ? "too short" : "too long") + "; rebuild it with: nbridge plugin build")
    }
    for offset in [24, 32, 40, 48] where bytes.load(fromByteOffset: offset, as: UInt.self) == 0 {
      throw Problem("gives a table without describe, start, stop or call")
    }
  }

  private static func check(major: Int, minor: Int) throws(Problem) {
    if major == Int(NBRIDGE_ABI_MAJOR), minor <= Int(NBRIDGE_ABI_MINOR) { return }
    let isNewer = (major, minor) > (Int(NBRIDGE_ABI_MAJOR), Int(NBRIDGE_ABI_MINOR))
    throw Problem(
      "was built for plugin table \(major).\(minor), and this nbridge has \(versionText): "
        + (isNewer ? "update nbridge, or rebuild the plugin" : "rebuild the plugin")
        + " with: nbridge plugin build")
  }

  private static func hex(_ number: UInt32) -> String { "0x" + String(number, radix: 16, uppercase: true) }
}
