// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// How a plugin runs in a process of its own: the `"isolation"` of its `plugin.json`, which is `"process"` or
/// an object of these.
public struct Isolation: Codable, Sendable, Equatable {
  /// How much address space the process may have, in MiB; nil for as much as the program.
  public var memoryMegabytes: Int?
  /// After how many seconds a call ends the process; nil for never.
  public var callSeconds: Double?
  /// After how many seconds without a call or watch the process ends, until the next call; nil for never.
  public var idleSeconds: Double?
  /// What the plugin can't work without, beyond the app's container; whoever runs the program grants it.
  public var needs: [PluginAccess] = []

  /// Without limits.
  public init() {}

  private enum Keys: String, CodingKey, CaseIterable {
    case memoryMegabytes, callSeconds, idleSeconds, needs
  }

  /// Any name that stands there.
  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  /// A limit whose name is misspelt, or that is null, would be none.
  private static func checkNames(_ decoder: any Decoder) throws {
    let known = Keys.allCases.map(\.rawValue)
    let values = try decoder.container(keyedBy: AnyKey.self)
    for key in values.allKeys {
      guard known.contains(key.stringValue) else {
        throw PluginError(
          "\"isolation\" has no \"\(key.stringValue)\"" + NearestName.hint(for: key.stringValue, among: known)
        )
      }
      if try values.decodeNil(forKey: key) {
        throw PluginError("\"isolation\".\"\(key.stringValue)\" is null; leave it out, or say what it is")
      }
    }
  }

  /// Reads a `plugin.json`'s.
  public init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      guard name == "process" else {
        throw PluginError("\"isolation\" is \"process\" or an object of limits, not \"\(name)\"")
      }
      return
    }
    try Self.checkNames(decoder)
    let values = try decoder.container(keyedBy: Keys.self)
    memoryMegabytes = try values.decodeIfPresent(Int.self, forKey: .memoryMegabytes)
    callSeconds = try values.decodeIfPresent(Double.self, forKey: .callSeconds)
    idleSeconds = try values.decodeIfPresent(Double.self, forKey: .idleSeconds)
    needs = try values.decodeIfPresent([PluginAccess].self, forKey: .needs) ?? []
    for (name, value) in [
      ("memoryMegabytes", memoryMegabytes.map(Double.init)), ("callSeconds", callSeconds),
      ("idleSeconds", idleSeconds),
    ] {
      guard let value, !(value > 0 && value <= Self.most) else { continue }
      // As it is written in the file: most numbers there are whole.
      let text = value == value.rounded() && abs(value) < 1e18 ? "\(Int64(value))" : "\(value)"
      throw PluginError(
        "\"isolation\".\"\(name)\" must be a number above 0 and at most \(Int(Self.most)), not \(text)")
    }
  }

  /// No limit may be larger, of memory or time.
  private static let most = 1e9

  /// Writes it as an object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Keys.self)
    try values.encodeIfPresent(memoryMegabytes, forKey: .memoryMegabytes)
    try values.encodeIfPresent(callSeconds, forKey: .callSeconds)
    try values.encodeIfPresent(idleSeconds, forKey: .idleSeconds)
    if !needs.isEmpty { try values.encode(needs, forKey: .needs) }
  }
}
