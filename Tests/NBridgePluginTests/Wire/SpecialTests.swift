// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

/// Foundation's types that have a twin in JavaScript.
@Suite struct SpecialTests {
  @Test(arguments: [
    0, 0.001, -0.001, 1.5, 978_307_200, -62_135_596_800, 64_092_211_200, 8.64e12, -8.64e12, 1_700_000_000.123,
    0.0005, 1e9 + 0.999,
  ])
  func datesSurviveToTheMillisecond(_ seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let back = try Value(encoding: date).decode(Date.self)
    #expect(abs(back.timeIntervalSince1970 - seconds) <= 0.000501)
    // And once rounded, exactly.
    #expect(try Value(encoding: back).text == Value(encoding: date).text)
  }

  @Test func datesInAnyPlaceAreDates() throws {
    struct Several: Codable, Equatable {
      var one: Date
      var maybe: Date?
      var none: Date?
      var list: [Date]
      var named: [String: Date]
      var twice: Date??
    }
    let at = Date(timeIntervalSince1970: 12.5)
    let value = Several(one: at, maybe: at, none: nil, list: [at, at], named: ["x": at], twice: at)
    #expect(try Value(encoding: value).decode(Several.self) == value)
    #expect(try Value(encoding: value).text.count { $0 == UInt8(ascii: "$") } == 6)
  }

  @Test func datesThatAreNoneAreRefused() throws {
    for seconds in [Double.nan, .infinity, -.infinity] {
      let value = try Value(encoding: Date(timeIntervalSinceReferenceDate: seconds))
      #expect(value.kind == .date)
      #expect(String(decoding: value.text, as: UTF8.self) == #"{"$nb":["d",null]}"#)
      #expect(throws: BridgeError.self) { try value.decode(Date.self) }
    }
  }

  @Test(arguments: [0, 1, 2, 4095, 4096, 4097, 100_000])
  func dataSurvives(_ count: Int) throws {
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let value = try Value(encoding: ["a": [data]])
    #expect(try value.decode([String: [Data]].self)["a"] == [data])
    #expect(try value.decode([String: [Bytes]].self)["a"] == [Bytes(data)])
    #expect(value.attachments.count == 1)
  }

  @Test func aPartOfDataIsItsBytes() throws {
    let whole = Data(0..<100)
    #expect(try Value(encoding: whole[10..<20]).decode(Bytes.self) == Bytes(10..<20))
  }

  @Test func otherTypesAreThemselves() {
    #expect(WireSpecial.has(Date.self))
    #expect(WireSpecial.has(Data.self))
    #expect(WireSpecial.isDate(Date.self))
    #expect(!WireSpecial.isDate(Data.self))
    #expect(!WireSpecial.has(String.self))
    #expect(!WireSpecial.has(Date?.self))
    #expect(!WireSpecial.has([Data].self))
    #expect(!WireSpecial.has(Bytes.self))
    #expect(!WireSpecial.has(UUID.self))
  }

  @Test func otherTypesOfFoundationSurviveTheirOwnWay() throws {
    struct Several: Codable, Equatable { var id: UUID, at: URL, number: Decimal, parts: DateComponents }
    let value = Several(
      id: UUID(), at: try #require(URL(string: "https://example.org/ä?x=1")),
      number: Decimal(string: "1.25") ?? 0,
      parts: DateComponents(year: 2026, month: 2))
    #expect(try Value(encoding: value).decode(Several.self) == value)
  }
}
