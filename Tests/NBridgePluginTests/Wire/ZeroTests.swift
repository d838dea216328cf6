// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import NBridgePlugin

/// The two zeros of a double are two values to JavaScript (`Object.is`), and JSON.parse gives both.
@Suite struct ZeroTests {
  @Test(arguments: ["-0", "-0.0", "-0e0", "-0E+5", "-0.000", #"{"$nb":["n","-0"]}"#, " -0 ", "-1e-400"])
  func negativeZeroIsRead(_ text: String) throws {
    #expect(try wire(text).decode(Double.self).bitPattern == (-0.0).bitPattern)
    #expect(try wire("[\(text)]").decode([Float].self).map(\.sign) == [.minus])
    #expect(try wire("{\"a\":\(text)}").decode([String: Double].self)["a"]?.sign == .minus)
  }

  @Test(arguments: ["0", "0.0", "0e0", "0.000", "1e-400"])
  func zeroIsRead(_ text: String) throws {
    #expect(try wire(text).decode(Double.self).bitPattern == 0.0.bitPattern)
  }

  @Test(arguments: ["-0", "-0.0", "-0e0", #"{"$nb":["n","-0"]}"#])
  func integersHaveOneZero(_ text: String) throws {
    #expect(try wire(text).decode(Int.self) == 0)
    #expect(try wire(text).decode(UInt8.self) == 0)
    #expect(try wire(text).decode(Int64.self) == 0)
  }

  @Test func eachZeroIsWrittenAsWhatItIs() throws {
    #expect(try written([0.0, -0.0]) == #"[0,{"$nb":["n","-0"]}]"#)
    #expect(try written([Float(-0.0)]) == #"[{"$nb":["n","-0"]}]"#)
    #expect(try written(-0.0) == #"{"$nb":["n","-0"]}"#)
  }

  /// A moment a bit before 1970 is rounded to the negative zero; a Date's time is a plain number.
  @Test(arguments: [-0.0, -0.0001, -0.0004999, 0.0004])
  func aDateNearItsReferenceSurvives(_ seconds: Double) throws {
    let value = try Value(encoding: Date(timeIntervalSince1970: seconds))
    #expect(String(decoding: value.text, as: UTF8.self) == #"{"$nb":["d",0]}"#)
    #expect(try value.decode(Date.self) == Date(timeIntervalSince1970: 0))
    #expect(value.isSound)
  }

  @Test func aWholeAnswerKeepsItsSign() throws {
    #expect(try Value(.number(-0.0), WireSink()).decode(Double.self).sign == .minus)
    #expect(try Value(.number(0.0), WireSink()).decode(Double.self).sign == .plus)
  }

  @Test func placedNumbersKeepTheirSign() throws {
    guard case .number(let number) = try PlacedValue(Array("-0".utf8)).content else {
      Issue.record("no number")
      return
    }
    #expect(number.sign == .minus)
  }
}
