// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// How the window of a page was when it was closed, for its next start: a file in the app's container.
struct WindowMemory {
  private let path: String

  private static let numbers = ["width", "height", "x", "y", "zoom"]
  private static let marks = ["maximized", "fullScreen"]
  private static let range = -10_000...10_000
  /// What no window goes without.
  private static let ranges = [("width", 100...10_000), ("height", 100...10_000), ("zoom", 25...500)]
  /// In bytes; nothing longer was written here.
  private static let limit = 4_096

  /// The longest name of a page's file, in bytes; longer ones keep nothing.
  private static let longestName = 200

  /// - Parameters:
  ///   - folder: of the container, for what pages keep.
  ///   - page: the page's path in the app's folder; nil for the one that the app begins with.
  /// - Returns: nil for a page that nothing is kept of.
  init?(_ folder: String, page: String?) {
    // A page may lie in a folder of its own.
    let name = page.map { $0.replacing("%", with: "%25").replacing("/", with: "%2F") }
    guard name.map({ $0.utf8.count <= Self.longestName }) != false else { return nil }
    path = folder + "/window" + (name.map { "-" + $0 } ?? "")
  }

  /// As the window is told; nothing where nothing was kept, or what no window writes.
  var fields: [String: String] {
    guard let bytes = try? SmallFile.read(path, atMost: Self.limit) else { return [:] }
    var found: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let value = Int(parts[1]), Self.range.contains(value) else { return [:] }
      let name = String(parts[0])
      guard Self.numbers.contains(name) || Self.marks.contains(name) else { return [:] }
      found[name] = "\(value)"
    }
    for (name, range) in Self.ranges {
      guard let value = found[name].flatMap({ Int($0) }), range.contains(value) else { return [:] }
    }
    return found
  }

  /// Keeps a state that the window told. One that fills the screen keeps its size of before.
  func keep(_ state: [String: String]) {
    let before = fields
    let isLarge = Self.marks.contains { state[$0] == "1" }
    var kept = isLarge ? before : [:]
    for name in Self.numbers where !isLarge || name == "zoom" { kept[name] = state[name] }
    for name in Self.marks { kept[name] = state[name] }
    if isLarge, kept["width"] == nil { return }
    let lines = kept.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
    // A window comes back at its usual place then.
    try? SmallFile.replace(path, with: Array(lines.joined().utf8))
  }
}
