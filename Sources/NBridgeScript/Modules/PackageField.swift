// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A value in a `package.json`. The order of an object's members decides which condition holds.
enum PackageField {
  case text(String)
  case list([PackageField])
  case object([Member])
  /// `null`, and what stands for nothing in here: numbers, `true` and `false`.
  case nothing

  struct Member {
    let name: String
    let value: PackageField
  }

  /// Nil for what is no JSON.
  init?(json: [UInt8]) {
    guard let field = try? Value(text: json).decode(Self.self) else { return nil }
    self = field
  }

  /// A member of an object; nil where there is none, or no object.
  subscript(name: String) -> PackageField? { members?.last { $0.name == name }?.value }

  var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  var string: String? { if case .text(let text) = self { text } else { nil } }

  var isNothing: Bool { if case .nothing = self { true } else { false } }
}

extension PackageField: Decodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try members.allKeys.map { key in
          Member(name: key.stringValue, value: try members.decode(PackageField.self, forKey: key))
        })
    } else if var items = try? decoder.unkeyedContainer() {
      var list: [PackageField] = []
      while !items.isAtEnd { list.append(try items.decode(PackageField.self)) }
      self = .list(list)
    } else {
      self = (try? decoder.singleValueContainer().decode(String.self)).map { .text($0) } ?? .nothing
    }
  }
}
