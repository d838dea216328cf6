// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The texts that the tests of one file compare with: `__snapshots__/NAME.snap` beside it, made to be read in
/// a review. A name stands behind `# `, as JSON where it has line ends; the lines of its text behind two
/// blanks. Confined to the engine's thread.
final class SnapshotFile {
  private let folder: String
  let path: String
  /// The texts of the file by name; nil before the first look at it.
  private var kept: [String: String]?
  private var problem: String?
  /// What tests gave, by name.
  private var given: [String: String] = [:]
  /// How many snapshots there are of each title and hint.
  private var counts: [[String]: Int] = [:]
  /// The title and the hint that each name was given for.
  private var owners: [String: [String]] = [:]

  init(of file: String) {
    let parts = file.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.dropLast().joined(separator: "/")
    folder = (parts.count > 1 ? parent + "/" : "") + "__snapshots__"
    path = "\(folder)/\(parts.last ?? "").snap"
  }

  /// What is known of a test's next text: its name, and what was kept by it; nil for nothing.
  ///
  /// - Parameter hint: what the test calls it; its number where it has none.
  func look(_ title: String, hint: String, text: String) throws(SnapshotError) -> (
    name: String, kept: String?
  ) {
    let base = hint.isEmpty ? title : "\(title): \(hint)"
    let owner = [title, hint]
    let number = counts[owner, default: 0] + 1
    counts[owner] = number
    let name = hint.isEmpty || number > 1 ? "\(base) \(number)" : base
    // A title may read as another's with a hint: of two texts by one name the file would keep the last.
    if let other = owners.updateValue(owner, forKey: name), other != owner {
      throw SnapshotError(
        "two snapshots would have the name '\(name)': one of the test '\(other[0])', one of '\(title)'; "
          + "give one of them another hint, or its test another title")
    }
    given[name] = text
    return (name, try read()[name])
  }

  /// Writes the file where that is wanted and needed.
  ///
  /// - Parameters:
  ///   - isWhole: whether the file declared all of its tests and each had its turn: of others nothing is
  ///     known.
  ///   - open: the titles of tests that were skipped or did not come to their end. Their texts stay: they
  ///     look at them again another time.
  /// - Returns: how many texts are new or changed, how many were taken out, and how many no test looked at.
  func finish(
    updating: Bool, isWhole: Bool, open: Set<String>
  ) throws(SnapshotError) -> (written: Int, removed: Int, unused: Int) {
    if given.isEmpty, !isWhole || access(path, F_OK) != 0 { return (0, 0, 0) }
    let old = try read()
    let unused = isWhole ? old.keys.filter { given[$0] == nil && !Self.isText($0, ofOneOf: open) } : []
    guard updating else { return (0, 0, unused.count) }
    let changed = given.count { name, text in
      old[name].map { !$0.utf8.elementsEqual(text.utf8) } ?? true
    }
    if changed + unused.count > 0 {
      var texts = old.merging(given) { $1 }
      for name in unused { texts[name] = nil }
      try write(texts)
    }
    return (changed, unused.count, 0)
  }

  /// Whether ``look(_:hint:text:)`` may have given a name to a test of one of some titles: `TITLE 1`,
  /// `TITLE: HINT`. Where two titles fit, either counts.
  static func isText(_ name: String, ofOneOf titles: Set<String>) -> Bool {
    let name = Array(name.utf8)
    return titles.contains { title in
      guard name.starts(with: title.utf8) else { return false }
      let rest = name.dropFirst(title.utf8.count)
      if rest.starts(with: ": ".utf8) { return true }
      return rest.count > 1 && rest.first == 0x20 && rest.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
    }
  }

  private func read() throws(SnapshotError) -> [String: String] {
    if let kept { return kept }
    var texts: [String: String] = [:]
    let bytes: [UInt8]?
    do { bytes = try SmallFile.read(path, followsLinks: true) } catch {
      throw SnapshotError("the snapshots can't be read: \(error)")
    }
    if let bytes {
      guard let parsed = Self.parse(String(decoding: bytes, as: UTF8.self)) else {
        throw SnapshotError(
          "'\(path)' is no file of snapshots; remove it and run with --update-snapshots to write it anew")
      }
      texts = parsed
    }
    kept = texts
    return texts
  }

  private func write(_ texts: [String: String]) throws(SnapshotError) {
    if texts.isEmpty {
      unlink(path)
      rmdir(folder)  // stays where there are others in it
      return
    }
    mkdir(folder, 0o777)  // it may be there
    do { try SmallFile.replace(path, with: Array(Self.format(texts).utf8)) } catch {
      throw SnapshotError("the snapshots can't be written: \(error)")
    }
  }

  // MARK: - The format

  static let header = "// nbridge snapshots, version 1. Written by nbridge test --update-snapshots.\n"

  static func format(_ texts: [String: String]) -> String {
    header
      + texts.sorted { $0.key < $1.key }.map { name, text in
        let lines = lines(of: text).map { "  \($0)\n" }
        return "\n# \(heading(name))\n" + lines.joined()
      }.joined()
  }

  /// Nil for what is no such text.
  static func parse(_ text: String) -> [String: String]? {
    guard text.utf8.starts(with: header.utf8) else { return nil }
    var texts: [String: String] = [:]
    var name: String?
    var lines: [String] = []
    func close() {
      if let name { texts[name] = lines.joined(separator: "\n") }
      lines = []
    }
    for line in Self.lines(of: text).dropFirst(header.utf8.count { $0 == 0x0A }) {
      if line.hasPrefix("# ") {
        close()
        guard let read = Self.name(of: String(line.unicodeScalars.dropFirst(2))), texts[read] == nil else {
          return nil
        }
        name = read
      } else if line.hasPrefix("  "), name != nil {
        lines.append(String(line.unicodeScalars.dropFirst(2)))
      } else if !line.isEmpty {
        return nil
      }
    }
    close()
    return texts
  }

  /// By line feeds alone: a return before one belongs to the text, though Swift sees one character.
  private static func lines(of text: String) -> [String] {
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }

  private static func heading(_ name: String) -> String {
    guard name.contains(where: \.isNewline) || name.hasPrefix("\"") else { return name }
    let value = try? Value(encoding: name)
    return value.map { String(decoding: $0.text, as: UTF8.self) } ?? name
  }

  private static func name(of heading: String) -> String? {
    guard heading.hasPrefix("\"") else { return heading }
    return try? Value(text: Array(heading.utf8)).decode(String.self)
  }
}

/// Why snapshots can't be compared or kept.
struct SnapshotError: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
