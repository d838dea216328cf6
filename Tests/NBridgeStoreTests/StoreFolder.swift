// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin

/// A folder of a test's own, with a name that is not ASCII and that SQLite's URIs have other meanings for.
final class StoreFolder: Sendable {
  let path: String

  init(_ name: String = "Präferenzen ?#% 設定 🎉") throws {
    path = FileManager.default.temporaryDirectory.path + "/nbridge-store-\(UUID().uuidString)/\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    let folder = (path as NSString).deletingLastPathComponent
    chmod(path, 0o700)
    try? FileManager.default.removeItem(atPath: folder)
  }

  func file(_ name: String) -> String { path + "/" + name }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

  func bytes(_ name: String) -> [UInt8] {
    FileManager.default.contents(atPath: file(name)).map(Array.init) ?? []
  }

  func write(_ bytes: [UInt8], to name: String) {
    _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
  }

  func mode(_ name: String) -> Int {
    ((try? FileManager.default.attributesOfItem(atPath: file(name)))?[.posixPermissions] as? Int) ?? -1
  }
}
