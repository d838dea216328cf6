// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
package import NBridgePlugin
internal import NBridgeSystem

/// What a library told of itself when it was built, kept beside it: making and reading a description costs a
/// start more than opening the library's table does.
package struct KnownDescription: Codable, Sendable {
  /// The library's size in bytes and the time of its last change in nanoseconds: what was built anew or
  /// copied is another library, and is asked again.
  package var size: Int
  var modified: Int64
  package var description: PluginDescriptor

  /// The name of the file beside the library.
  package static let file = "description.json"

  /// What an opened library told. nil when its file can't be looked at.
  package init?(_ library: PluginLibrary) {
    guard let stamp = Self.stamp(library.path) else { return nil }
    (size, modified) = stamp
    description = library.descriptor
  }

  /// What is known of a library; nil when nothing is, or only of an older one.
  package static func of(_ library: String) -> PluginDescriptor? {
    guard library.hasSlash, let text = try? SmallFile.read(library.throughLastSlash + file),
      // It holds a script that runs in the program.
      (try? LibraryFile.checkOwners(library.throughLastSlash + file)) != nil,
      text.withUnsafeBufferPointer(UTF8Check.isValid),
      let known = try? Value(text: text).decode(KnownDescription.self),
      let stamp = stamp(library), stamp == (known.size, known.modified)
    else { return nil }
    return known.description
  }

  private static func stamp(_ path: String) -> (size: Int, modified: Int64)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return (Int(status.st_size), Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
  }
}
