// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

/// Names that no option has, wherever they stand.
@Suite struct OptionNamesTests {
  struct Options: Codable, Sendable {
    struct Rules: Codable, Sendable {
      var keys: [String]?
      var deep: Deep?
    }
    struct Deep: Codable, Sendable { var depth: Int? }
    var rules: Rules?
    var list: [Rules]?
    var named: [String: Deep]?
    var any: Value?
    var anything: [Value]?
    var plain: [String: Value]?
    var shape: Shape?
  }

  /// Asks for another member than its shape tells of.
  struct Shape: Codable, Sendable, SchemaDescribed {
    static var schema: Schema { .object([Schema.Field(name: "told", schema: .boolean, isOptional: true)]) }
    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: Key.self).decodeIfPresent(Bool.self, forKey: .untold)
    }
    func encode(to encoder: any Encoder) throws {}
    private enum Key: String, CodingKey { case untold }
  }

  private func problem(_ text: String) throws -> String? {
    do {
      _ = try Value(text: Array(text.utf8)).decode(settings: Options.self, named: "option")
      return nil
    } catch let error as BridgeError { return error.message }
  }

  @Test(arguments: [
    (#"{"rules":{"key":["pin"]}}"#, "option.rules has no 'key'; did you mean 'keys'?"),
    (#"{"rules":{"keys":["pin"],"kezs":[]}}"#, "option.rules has no 'kezs'; did you mean 'keys'?"),
    (#"{"rules":{"deep":{"depht":1}}}"#, "option.rules.deep has no 'depht'; did you mean 'depth'?"),
    (#"{"list":[{},{"keys":[]},{"nothing":1}]}"#, "option.list[2] has no 'nothing'; there is deep, keys"),
    (#"{"named":{"a":{"depth":1},"b":{"dpeth":1}}}"#, "option.named.b has no 'dpeth'; did you mean 'depth'?"),
    (#"{"shape":{"other":true}}"#, "option.shape has no 'other'; there is told"),
    (#"{"rules":{"$nb":1}}"#, "option.rules has no '$nb'; there is deep, keys"),
    (#"{"ruels":{}}"#, "option has no 'ruels'; did you mean 'rules'?"),
  ])
  func anUnknownNameIsRefusedWhereverItStands(_ text: String, _ message: String) throws {
    #expect(try problem(text) == message)
  }

  @Test(arguments: [
    #"{"rules":{"keys":["pin"],"deep":{"depth":null}},"list":[{"keys":[]},{}]}"#,
    #"{"any":{"a":[{"b":{}}]},"rules":{}}"#,
    #"{"anything":[{"a":1},[{"b":1}]],"plain":{"a":{"b":1}}}"#, #"{"named":{"a":{"depth":1}}}"#,
    #"{"shape":{"untold":true}}"#,
    #"{"shape":{"told":true}}"#, #"{"rules":null,"any":null}"#,
  ])
  func whatTheTypeAsksForOrMayBeAnythingPasses(_ text: String) throws {
    #expect(try problem(text) == nil)
  }
}
