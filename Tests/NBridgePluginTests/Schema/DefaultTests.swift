// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

/// Options that may be left out, with the value that they have then.
@Suite struct DefaultTests {
  struct Search: Codable, Sendable, Equatable {
    var text: String
    @Default var limit = 20
    @Default var order = Order.newest
    @Default var page = Page()
    @Default var near: Double? = 1.5
  }
  struct Page: Codable, Sendable, Equatable {
    @Default var first = 1
    @Default var size = 10
  }
  enum Order: String, Codable, CaseIterable { case newest, oldest }

  /// Its keys have other names and another order.
  struct Renamed: Codable, Sendable {
    @Default var one = 1
    var between: String
    @Default var two = 2
    enum CodingKeys: String, CodingKey {
      case two = "second"
      case between
      case one = "first"
    }
  }

  private func read<T: Decodable & Sendable>(_ text: String, as type: T.Type = T.self) throws -> T {
    try Value(text: Array(text.utf8)).decode(settings: type, named: "option")
  }

  @Test func whatIsLeftOutHasItsDefault() throws {
    let search: Search = try read(#"{"text":"a"}"#)
    #expect(search == Search(text: "a"))
    #expect(search.limit == 20 && search.page.size == 10 && search.near == 1.5)
  }

  @Test func whatIsGivenCounts() throws {
    let search: Search = try read(
      #"{"text":"a","limit":3,"order":"oldest","page":{"size":7},"near":null}"#)
    #expect(search.limit == 3 && search.order == .oldest)
    #expect(search.page.first == 1 && search.page.size == 7)
    #expect(search.near == nil)
  }

  @Test(arguments: ["null", #"{"$nb":["u"]}"#])
  func nothingIsAsIfItWereLeftOut(_ nothing: String) throws {
    #expect(try read(#"{"text":"a","limit":\#(nothing)}"#, as: Search.self).limit == 20)
  }

  @Test(arguments: [
    ("{}", "option.text is missing"),
    (#"{"text":"a","limit":"x"}"#, "option.limit must be an integer, not a string"),
    (#"{"text":"a","page":{"size":true}}"#, "option.page.size must be an integer, not a boolean"),
    (#"{"text":"a","limt":1}"#, "option has no 'limt'; did you mean 'limit'?"),
  ])
  func theRestIsCheckedAsBefore(_ text: String, _ message: String) {
    #expect { try read(text, as: Search.self) } throws: { ($0 as? BridgeError)?.message == message }
  }

  @Test func eachKeyHasTheDefaultOfItsOwnVariable() throws {
    let renamed: Renamed = try read(#"{"between":"x"}"#)
    #expect(renamed.one == 1 && renamed.two == 2)
  }

  @Test func theShapeTellsDefaults() throws {
    let page = Schema.object([
      .init(name: "first", schema: .integer, default: try Value(encoding: 1)),
      .init(name: "size", schema: .integer, default: try Value(encoding: 10)),
    ])
    #expect(
      try Schema.of(Search.self)
        == .object([
          .init(name: "text", schema: .string),
          .init(name: "limit", schema: .integer, default: try Value(encoding: 20)),
          .init(name: "order", schema: .oneOf(["newest", "oldest"]), default: try Value(encoding: "newest")),
          .init(name: "page", schema: .named("Page", page), default: try Value(encoding: Page())),
          .init(name: "near", schema: .number, default: try Value(encoding: 1.5)),
        ]))
  }

  /// Two of one type whose values can't be told apart must not be mixed up.
  struct Unclear: Codable, Sendable {
    var page = Page()
    @Default var other = 5
  }

  @Test func defaultsThatCanNotBeToldApartAreRefused() {
    #expect { try Schema.of(Unclear.self) } throws: { "\($0)".contains("can't be told apart") }
  }

  @Test func jsonSchemaHasThemInItsOwnWord() throws {
    let value = try Value(encoding: Schema.of(Page.self))
    #expect(String(decoding: value.text, as: UTF8.self).contains(#""default":10"#))
    #expect(try value.decode(Schema.self) == Schema.of(Page.self))
  }

  @Test func anAnswerHasTheValueAlone() throws {
    let value = try Value(encoding: Page(first: 3, size: 4))
    #expect(String(decoding: value.text, as: UTF8.self) == #"{"first":3,"size":4}"#)
  }
}
