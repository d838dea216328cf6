// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import TestSupport
import Testing

@testable import AuthPlugin

/// A log as programs write it, in memory: lines, and the state and the key behind them.
struct WrittenLog {
  var state = LockoutState(salt: String(repeating: "5", count: 32))
  var key: AuditKey
  var lines: [[UInt8]] = []
  /// The keys that vouched for each record, and the first one.
  let firstKey: AuditKey

  init() {
    key = AuditKey.make()
    firstKey = key
  }

  var bytes: [UInt8] { lines.flatMap { $0 } }

  static func line(
    _ outcome: String, _ factor: AuthFactor? = .biometrics, app: String = "org.app",
    method: AuthMethod = .prompt
  ) -> AuditLine {
    var line = AuditLine(time: "2026-11-22T10:41:22.004Z", app: app, event: AuditLine.evaluation)
    (line.policy, line.outcome, line.factor, line.method) = (.biometricsOrPasscode, outcome, factor, method)
    return line
  }

  /// As a record of one line is written: the line, the state, the key.
  mutating func write(_ line: AuditLine) throws {
    let (told, bytes) = try state.line(line, key.next)
    state.take(told, at: state.size, now: 0)
    state.size += bytes.count
    state.generation = key.generation + 1
    lines.append(bytes)
    key = key.next
  }

  static func random(_ dice: inout SeededGenerator, count: Int) throws -> WrittenLog {
    var log = WrittenLog()
    let outcomes = [AuditLine.success, "authentication_failed", "user_cancel", "timeout"]
    for number in 0..<count {
      try log.write(
        line(
          outcomes[dice.number(0..<4)], dice.chance(50) ? .biometrics : .passcode, app: "app \(number % 3)"))
    }
    return log
  }

  func files(lockout: [UInt8]? = nil, key: [UInt8]? = nil, log: [UInt8]? = nil) throws -> AuditTail.Files {
    let log = log ?? bytes
    return AuditTail.Files(
      lockout: try lockout ?? state.bytes(sealedBy: self.key), key: key ?? self.key.bytes, size: log.count
    ) { start, end in Array(log[start..<end]) }
  }
}

/// A log's chain of hashes: nothing of it can be changed, taken out, put in or moved without being seen.
@Suite struct AuditChainTests {
  static func problems(_ bytes: [UInt8], after anchor: String? = nil, key: AuditKey? = nil) -> [AuditCheck
    .Problem]
  {
    var check = AuditCheck(after: anchor, key: key)
    check.take(all: bytes)
    check.finish()
    return check.problems
  }

  @Test func whatWasWrittenIsSoundAndReadAsItWas() throws {
    var dice = SeededGenerator(seed: 1)
    let log = try WrittenLog.random(&dice, count: 40)
    #expect(Self.problems(log.bytes) == [] && Self.problems(log.bytes, key: log.firstKey) == [])
    for (index, bytes) in log.lines.enumerated() {
      let line = try #require(AuditLine(bytes.dropLast()[...]))
      #expect(line.seq == index + 1 && line.key == index + 1 && Array(line.json.utf8) == bytes)
    }
    #expect(Self.problems([]) == [])
  }

  @Test func eachBitThatIsTurnedIsSeen() throws {
    var dice = SeededGenerator(seed: 2)
    let log = try WrittenLog.random(&dice, count: 4)
    for place in log.bytes.indices {
      for bit in [0, 3, 5] as [UInt8] {
        var changed = log.bytes
        changed[place] ^= 1 << bit
        #expect(!Self.problems(changed).isEmpty, "bit \(bit) of byte \(place)")
      }
    }
  }

  @Test func linesThatAreTakenOutMovedDoubledOrPutInAreSeen() throws {
    var dice = SeededGenerator(seed: 3)
    for seed in 0..<60 {
      let log = try WrittenLog.random(&dice, count: dice.number(3..<15))
      let place = dice.number(0..<(log.lines.count - 1))
      var lines = log.lines
      switch seed % 5 {
      case 0: lines.remove(at: place)
      case 1: lines.swapAt(place, place + 1)
      case 2: lines.insert(lines[place], at: place)
      case 3: lines.insert(try WrittenLog.random(&dice, count: 3).lines[dice.number(0..<3)], at: place)
      default: lines[place].removeLast()
      }
      #expect(!Self.problems(lines.flatMap { $0 }).isEmpty, "\(seed)")
    }
  }

  @Test func aLogThatWasWrittenAnewIsKnownByAHashThatWasKept() throws {
    var dice = SeededGenerator(seed: 4)
    let log = try WrittenLog.random(&dice, count: 10), other = try WrittenLog.random(&dice, count: 12)
    let kept = try #require(AuditLine(log.lines[5].dropLast()[...])).hash
    #expect(Self.problems(log.bytes, after: kept) == [])
    #expect(Self.problems(other.bytes, after: kept).last?.text.contains("written anew") ?? false)
    #expect(!Self.problems(log.lines[..<5].flatMap { $0 }, after: kept).isEmpty, "cut off before it")
    // The problems before that line were told then.
    var changed = log.lines
    changed[2][10] ^= 1
    var check = AuditCheck(after: kept)
    check.take(all: changed.flatMap { $0 })
    check.finish()
    #expect(check.problems == [] && check.known.lines == 5 && check.known.problems > 0)
  }

  /// An attacker that reads the key now can write a chain of hashes anew, but nothing that an earlier key
  /// vouched for.
  @Test func whoHasTodaysKeyMakesNothingOfYesterdays() throws {
    var dice = SeededGenerator(seed: 5)
    let log = try WrittenLog.random(&dice, count: 8)
    var forged = WrittenLog()
    for _ in 0..<8 { try forged.write(WrittenLog.line(AuditLine.success)) }
    #expect(Self.problems(forged.bytes) == [], "hashes alone tell nothing")
    #expect(Self.problems(forged.bytes, key: log.firstKey).count == 8)
    #expect(log.key.later(log.key.generation - 1) == nil && log.firstKey.later(8) == log.key)
    #expect(log.firstKey.later(1 << 40) == nil)
  }

  @Test func halfALineIsNoneAndOneThatIsTooLongNeither() throws {
    var dice = SeededGenerator(seed: 6)
    let log = try WrittenLog.random(&dice, count: 2)
    let line = log.lines[1]
    for length in 0..<(line.count - 1) { #expect(AuditLine(line[..<length]) == nil, "\(length)") }
    #expect(Self.problems(log.bytes.dropLast()).last?.text == "is not whole")
    #expect(Self.lineOfSomebody(app: "x", length: AuditLine.longest - 1) != nil)
    #expect(Self.lineOfSomebody(app: "x", length: AuditLine.longest) == nil)
  }

  /// A line as another program may have written it: as long as is asked for, without a code.
  static func lineOfSomebody(app: String, length: Int) -> AuditLine? {
    let text = String(repeating: "t", count: 90)
    let front = #"{"seq":1,"pid":-9223372036854775808,"failures":5,"locked":false,"app":""#
    let back =
      #"","time":"\#(text)","event":"\#(text)","#
      + #""outcome":"\#(text)","hash":"\#(AuditLine.start)"}"#
    let room = length - front.utf8.count - back.utf8.count
    let times = room / app.utf8.count
    let rest = String(repeating: "x", count: room - times * app.utf8.count)
    return AuditLine(Array((front + String(repeating: app, count: times) + rest + back).utf8)[...])
  }

  /// What was counted of an outcome is told with the line that was read: if that could not be read again, the
  /// log would look damaged.
  @Test(arguments: ["x", #"\u0001"#, #"\""#, "漢"]) func aLineAtTheLimitFitsWhenItIsTold(_ unit: String)
    throws
  {
    var log = WrittenLog()
    for length in AuditLine.longest - 60..<AuditLine.longest {
      let line = try #require(Self.lineOfSomebody(app: unit, length: length))
      try log.write(line.repetition(1 << 53, time: "2026-11-22T10:41:22.004Z"))
    }
    #expect(Self.problems(log.bytes) == [])
  }

  /// Whatever an app is called and wherever it lies: its own line is one, or its first authentication would
  /// look like a break-in.
  @Test(arguments: [
    "👩‍👩‍👧‍👧", "a" + String(repeating: "\u{301}", count: 3000), "\u{1}", "\"", "漢", "\u{2028}", "x",
  ]) func aLineHasRoomForAnyName(_ unit: String) throws {
    var log = WrittenLog()
    let name = String(repeating: unit, count: 400)
    var line = WrittenLog.line("authentication_failed", app: "x")
    line.app = AuditLine(time: line.time, app: name, event: AuditLine.evaluation).app
    line.found = name
    #expect(name.hasPrefix(line.app) || name.unicodeScalars.starts(with: line.app.unicodeScalars))
    #expect(line.app.utf8.count > 200 && line.app.utf8.count <= 256)
    try log.write(line)
    #expect(
      log.lines[0].count <= AuditLine.longest && AuditLine(log.lines[0].dropLast()[...])?.app == line.app)
    #expect(Self.problems(log.bytes) == [])
  }

  // MARK: - The key

  @Test func aKeyComesBackFromItsFileAndNothingElseIsOne() {
    var key = AuditKey.make(7)
    for _ in 0..<50 {
      #expect(AuditKey(key.bytes) == key && key.bytes.count == AuditKey.fileSize)
      key = key.next
    }
    #expect(key.generation == 57 && AuditKey.make() != AuditKey.make())
    for place in 0..<AuditKey.fileSize {
      var changed = key.bytes
      changed[place] ^= 0x40
      if let other = AuditKey(changed) { #expect(other != key, "byte \(place)") }
    }
    for bytes in [[], key.bytes.dropLast(), key.bytes + [0x0A], Array("nbridge-auth-key 1 5 x".utf8)]
      as [[UInt8]]
    {
      #expect(AuditKey(bytes) == nil)
    }
    let text = String(decoding: key.bytes, as: UTF8.self)
    for (old, new) in [(" 57 ", " +57"), (" 57 ", " 057 "), (" 57 ", " -1 "), ("key 1", "key 2")] {
      var bytes = Array(text.replacing(old, with: new).utf8)
      bytes = Array((bytes + [UInt8](repeating: 0x20, count: 9)).prefix(AuditKey.fileSize - 1)) + [0x0A]
      #expect(AuditKey(bytes) == nil, "\(new)")
    }
  }

  @Test func aCodeIsOfItsPurposeAndItsText() {
    let key = AuditKey.make()
    let code = key.code("line", [1], [2])
    #expect(code.utf8.count == 64 && code == key.code("line", [1, 2]))
    #expect(
      code != key.code("lockout", [1], [2]) && code != key.code("line", [1], [3])
        && code != key.next.code("line", [1], [2]))
  }

  // MARK: - Hashes, by FIPS 180-4 and RFC 4231

  @Test func theHashesAreTheStandards() {
    #expect(
      SHA256.hex(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(SHA256.hex([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(SHA256.hex(Array("a".utf8), Array("bc".utf8)) == SHA256.hex(Array("abc".utf8)))
    #expect(
      SHA256.code(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(SHA256.areEqual([1, 2], [1, 2]) && SHA256.areEqual([], []))
    #expect(
      !SHA256.areEqual([1, 2], [1, 3]) && !SHA256.areEqual([1], [1, 2]) && !SHA256.areEqual([1, 2], [1]))
  }
}
