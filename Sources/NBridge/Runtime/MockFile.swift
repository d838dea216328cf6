// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import NBridgeScript

/// A file that answers calls instead of native code: `--mock FILE`.
///
/// Its value is an object whose keys are `"service.action"`. JSON: the answer itself,
/// `{"$error": {"code", "message"}}`, or for a watch `{"$events": […]}`. JavaScript (a script whose last
/// expression is the object): also functions, which get the option; a generator function answers a watch.
public struct MockFile: Sendable {
  /// Where it was read from.
  public let path: String
  private let text: String
  private let isJSON: Bool

  /// Reads the file; a JSON one is checked.
  public init(path: String) throws {
    self.path = path
    text = try ScriptFile.read(path)
    isJSON = path.hasSuffix(".json")
    guard isJSON else { return }
    let value = Value(text: Array(text.utf8))
    if let problem = value.syntaxProblem { throw AppManifestError("'\(path)' is not JSON: \(problem)") }
    guard value.kind == .object else {
      throw AppManifestError(
        "'\(path)' must be an object whose keys are \"service.action\", not \(value.kind.words)")
    }
    for name in Self.names(value) where name.split(separator: ".").count != 2 {
      throw AppManifestError("'\(path)': the key '\(name)' must be \"service.action\"")
    }
  }

  /// The services that a JSON file answers for.
  public var services: [String] {
    guard isJSON else { return [] }
    return Set(Self.names(Value(text: Array(text.utf8))).map { String($0.prefix { $0 != "." }) }).sorted()
  }

  private static func names(_ value: Value) -> [String] {
    (try? value.decode([String: Value].self)).map { Array($0.keys) } ?? []
  }

  /// The object, in a script's world.
  func value(in context: JSContext) throws(JSException) -> JSValue {
    try context.evaluate(isJSON ? "(\(text)\n)" : text, url: path)
  }
}
