// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

@Suite struct SchemaTests {
  enum Colour: String, Codable, CaseIterable { case red, green }
  enum Payload: Codable { case number(Int) }
  struct Options: Codable {
    var name: String
    var colour: Colour?
    var list: [Date]
    var map: [String: Int]
    var bytes: Bytes?
    var any: Value
    var big: Int64
    var inner: [Inner]
    struct Inner: Codable { var flag: Bool }
  }

  @Test func theShapeOfAStructIsDerived() throws {
    let expected = Schema.object([
      .init(name: "name", schema: .string, isOptional: false),
      .init(name: "colour", schema: .oneOf(["red", "green"]), isOptional: true),
      .init(name: "list", schema: .array(.date), isOptional: false),
      .init(name: "map", schema: .dictionary(.integer), isOptional: false),
      .init(name: "bytes", schema: .bytes, isOptional: true),
      .init(name: "any", schema: .any, isOptional: false),
      .init(name: "big", schema: .bigint, isOptional: false),
      .init(
        name: "inner", schema: .array(.object([.init(name: "flag", schema: .boolean, isOptional: false)])),
        isOptional: false),
    ])
    #expect(try Schema.of(Options.self) == expected)
  }

  @Test func anEnumWithPayloadsIsRefusedRatherThanGuessed() {
    #expect(throws: (any Error).self) { try Schema.of(Payload.self) }
  }
}
