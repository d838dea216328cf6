// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// Snapshots that stand in the source, as the argument of the call that compares with them. Confined to the
/// engine's thread.
final class InlineSnapshots {
  private struct Given {
    let call: LiteralCall
    let text: String
    /// Whether what stands there is another text, or none.
    let isNew: Bool
  }

  private let sources: SourceRegistry
  private let folders: SourceFolders
  /// What tests gave, by file and by the place in it.
  private var given: [String: [Int: Given]] = [:]

  /// - Parameter file: the file of tests.
  init(of file: String, sources: SourceRegistry) {
    self.sources = sources
    folders = SourceFolders(tests: file)
  }

  /// Whether a text is the one that stands in the call.
  ///
  /// - Parameters:
  ///   - kept: the call's argument as the engine has it; nil for none.
  ///   - stack: the engine's, in which the innermost frame of an author's is the call.
  ///   - updating: whether the call is to get the text.
  /// - Returns: the text that stands there, without what indents it; nil for none.
  func look(
    _ text: String, name: String, kept: String?, stack: String, updating: Bool
  ) throws(SnapshotError) -> (isRight: Bool, kept: String?) {
    let kept = kept.map(InlineText.value)
    let isSame = kept.map { $0.utf8.elementsEqual(text.utf8) } ?? false
    guard updating else { return (isSame, kept) }
    let call: LiteralCall
    do throws(LiteralCallError) { call = try sources.literalCall(of: name, in: stack) } catch {
      throw SnapshotError("the inline snapshot has no place: \(error.reason)")
    }
    try note(text, at: call, isNew: !isSame)
    return (true, kept)
  }

  private func note(_ text: String, at call: LiteralCall, isNew: Bool) throws(SnapshotError) {
    let place = call.argument.lowerBound
    if let known = given[call.url]?[place], !known.text.utf8.elementsEqual(text.utf8) {
      // Neither is the right one.
      given[call.url]?[place] = Given(call: call, text: known.text, isNew: false)
      throw SnapshotError(
        """
        the call runs several times with different values, and one text can stand there; give each value a \
        call of its own, or use toMatchSnapshot()
        """)
    }
    given[call.url, default: [:]][place] = Given(call: call, text: text, isNew: isNew)
  }

  /// Writes the texts that are new into their files.
  ///
  /// - Returns: how many were written, and why others could not be.
  func finish() -> (written: Int, problems: [SnapshotError]) {
    var written = 0
    var problems: [SnapshotError] = []
    for (url, places) in given.sorted(by: { $0.key < $1.key }) {
      let new = places.values.filter(\.isNew)
      guard let loaded = new.first?.call.text else { continue }
      do throws(SnapshotError) {
        try folders.rewrite(url, loaded: loaded) { bytes, start in
          Self.text(bytes, start, new)
        }
        written += new.count
      } catch { problems.append(error) }
    }
    return (written, problems)
  }

  /// A file's bytes with the texts in their places.
  ///
  /// - Parameter start: where the text that was loaded begins.
  private static func text(_ bytes: [UInt8], _ start: Int, _ new: [Given]) -> [UInt8] {
    let lineEnd = bytes.firstIndex(of: 0x0A).map { $0 > 0 && bytes[$0 - 1] == 0x0D } ?? false ? "\r\n" : "\n"
    var made: [UInt8] = []
    var copied = 0
    for one in new.sorted(by: { $0.call.argument.lowerBound < $1.call.argument.lowerBound }) {
      let range = one.call.argument
      made += bytes[copied..<start + range.lowerBound]
      // One that takes the place of another has its comma already.
      if range.isEmpty { made += one.call.separator.utf8 }
      made += InlineText.literal(one.text, indentation: one.call.indentation, lineEnd: lineEnd).utf8
      copied = start + range.upperBound
    }
    return made + bytes[copied...]
  }
}

/// How a text stands in a template literal. One with several lines begins on a line of its own, a step deeper
/// than its call, and the literal ends on a line as deep as the call: what indents it is no part of it.
enum InlineText {
  /// The literal for a text.
  static func literal(_ text: String, indentation: String, lineEnd: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { escaped(String($0)) }
    guard lines.count > 1 else { return "`\(lines.first ?? "")`" }
    let deeper = indentation + (indentation.hasPrefix("\t") ? "\t" : "  ")
    let inner = lines.map { $0.isEmpty ? lineEnd : lineEnd + deeper + $0 }.joined()
    return "`\(inner)\(lineEnd)\(indentation)`"
  }

  /// What a literal's value stands for.
  static func value(_ text: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
    guard lines.count > 2, lines[0].isEmpty, let last = lines.last, last.unicodeScalars.allSatisfy(isBlank)
    else { return text }
    let inner = lines.dropFirst().dropLast()
    let filled = inner.filter { !$0.isEmpty }
    let step = ["  ", "\t", ""].first { step in
      filled.allSatisfy { $0.unicodeScalars.starts(with: (last + step).unicodeScalars) }
    }
    guard let step else { return text }
    let length = (last + step).unicodeScalars.count
    return inner.map { String($0.unicodeScalars.dropFirst(length)) }.joined(separator: "\n")
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  /// Without what ends the literal, begins an expression in it, or is not seen.
  private static func escaped(_ line: String) -> String {
    let scalars = Array(line.unicodeScalars)
    var result = ""
    for (index, scalar) in scalars.enumerated() {
      switch scalar {
      case "\\", "`": result += "\\\(scalar)"
      case "$" where index + 1 < scalars.count && scalars[index + 1] == "{": result += "\\$"
      case "\r": result += "\\r"
      case _ where isUnseen(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Controls, line separators, marks of direction and of the byte order: a reviewer would not see them.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x09, 0x0A..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
