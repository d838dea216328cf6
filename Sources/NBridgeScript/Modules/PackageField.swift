// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A value in a `package.json`. The order of an object's members decides which condition holds.
indirect enum PackageField {
  case text(String)
  case list([PackageField])
  case object([(name: String, value: PackageField)])
  /// `null`, and what stands for nothing in here: numbers, `true` and `false`.
  case nothing

  /// Nil for what is no JSON.
  init?(json: [UInt8]) {
    guard let field = try? Value(text: json).decode(Self.self) else { return nil }
    self = field
  }

  /// A member of an object; nil where there is none, or no object.
  subscript(name: String) -> PackageField? { members?.last { $0.name == name }?.value }

  var members: [(name: String, value: PackageField)]? {
    if case .object(let members) = self { members } else { nil }
  }

  var string: String? { if case .text(let text) = self { text } else { nil } }

  var isNothing: Bool { if case .nothing = self { true } else { false } }
}

// Apart from the type: together the compiler finds a circle between them, in some builds.
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
        try members.allKeys.map { ($0.stringValue, try members.decode(PackageField.self, forKey: $0)) })
    } else if var items = try? decoder.unkeyedContainer() {
      var list: [PackageField] = []
      while !items.isAtEnd { list.append(try items.decode(PackageField.self)) }
      self = .list(list)
    } else {
      self = (try? decoder.singleValueContainer().decode(String.self)).map { .text($0) } ?? .nothing
    }
  }
}
