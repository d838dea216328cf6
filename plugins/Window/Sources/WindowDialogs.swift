// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Files of one kind, in a dialog.
struct FileKind: Codable, Sendable {
  /// As people read it: "Images".
  var name: String
  /// Endings without a dot, as `png`; none for all files.
  var endings: [String]
}

/// A file, or a folder, that a person is to choose.
struct OpenFileOptions: Codable, Sendable {
  var title: String?
  var multiple: Bool?
  var folder: Bool?
  var kinds: [FileKind]?

  func fields() throws -> [String: String] {
    var fields = ["title": title ?? "", "kinds": try Self.lines(kinds ?? [])]
    if multiple == true { fields["multiple"] = "1" }
    if folder == true { fields["folder"] = "1" }
    return fields
  }

  /// A kind a line: its name, then its endings, by tabs.
  static func lines(_ kinds: [FileKind]) throws -> String {
    try kinds.map { kind in
      for text in [kind.name] + kind.endings where text.utf8.contains(where: { $0 < 0x20 }) {
        throw BridgeError(.invalidParameter, "option.kinds has a control character in '\(text)'")
      }
      for ending in kind.endings
      where ending.isEmpty || ending.utf8.contains(where: { "/*?[.".utf8.contains($0) }) {
        throw BridgeError(.invalidParameter, "option.kinds takes endings as 'png', not '\(ending)'")
      }
      return ([kind.name] + kind.endings).joined(separator: "\t")
    }.joined(separator: "\n")
  }
}

/// A file that is to be written.
struct SaveFileOptions: Codable, Sendable {
  var title: String?
  /// What is written into the dialog at first, without a folder.
  var name: String?
  var kinds: [FileKind]?

  func fields() throws -> [String: String] {
    if let name, name.utf8.contains(UInt8(ascii: "/")) || name.isEmpty {
      throw BridgeError(.invalidParameter, "option.name is a file's name without a folder, not '\(name)'")
    }
    return ["title": title ?? "", "name": name ?? "", "kinds": try OpenFileOptions.lines(kinds ?? [])]
  }
}

/// A question with buttons.
struct AskOptions: Codable, Sendable {
  var message: String
  var detail: String?
  var buttons: [String]?

  private static let limit = 8

  /// The one that counts stands last, as desktops have it.
  var answers: [String] { buttons ?? ["OK"] }

  func fields() throws -> [String: String] {
    let areLines = answers.allSatisfy { !$0.isEmpty && !$0.utf8.contains { $0 < 0x20 } }
    guard 1...Self.limit ~= answers.count, areLines else {
      throw BridgeError(.invalidParameter, "option.buttons takes 1 to \(Self.limit) texts of one line")
    }
    return ["message": message, "detail": detail ?? "", "buttons": answers.joined(separator: "\n")]
  }
}
