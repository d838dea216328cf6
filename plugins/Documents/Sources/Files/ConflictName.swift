// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The name of a version that can't have its document's name: `notes (conflict 2026-11-21 20.15.03).txt`.
enum ConflictName {
  /// The longest name that a disk allows, in bytes (NAME_MAX).
  private static let longest = 255

  static func path(for path: FilePath, _ attempt: Int) throws -> FilePath {
    let text = path.text
    let name = text.afterLastSlash.startIndex
    // A dot at a name's beginning makes it hidden, it is no extension.
    let dot = text[name...].lastIndex(of: ".").flatMap { $0 == name ? nil : $0 } ?? text.endIndex
    let mark = " (conflict \(now())\(attempt == 1 ? "" : " \(attempt)"))"
    // Scalar by scalar: a single character may be longer than a name.
    var (stem, tail) = (text[name..<dot].unicodeScalars, text[dot...].unicodeScalars)
    while PathText.encode(String(stem) + mark + String(tail)).count > longest {
      if stem.count > 1 { stem.removeLast() } else { tail.removeLast() }
    }
    return try FilePath(String(text[..<name]) + String(stem) + mark + String(tail))
  }

  private static func now() -> String {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let two = { (value: Int32) in value < 10 ? "0\(value)" : "\(value)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
      + "\(two(parts.tm_hour)).\(two(parts.tm_min)).\(two(parts.tm_sec))"
  }
}
