// SPDX-License-Identifier: MIT

import NBridgePlugin
import TestSupport
import Testing

@testable import AuthPlugin

/// What is counted, and when biometrics are locked.
@Suite struct LockoutStateTests {
  static let failed = AuthCode.authenticationFailed.rawValue

  static func state() -> LockoutState { LockoutState(salt: String(repeating: "a", count: 32)) }

  @Test func fiveInARowLockAndOnlyAPasscodeUnlocks() {
    var state = Self.state()
    for number in 1...4 {
      state.count(Self.failed, .biometrics)
      #expect(state.failures == number && !state.locked)
    }
    state.count(AuditLine.success, .biometrics)
    #expect(state.failures == 0)
    for _ in 0..<5 { state.count(Self.failed, .biometrics) }
    #expect(state.locked && state.failures == 5 && state.locks == 1)
    for _ in 0..<3 { state.count(Self.failed, .biometrics) }
    #expect(state.failures == 5 && state.locks == 1, "it is counted no further")
    state.count(AuditLine.success, .biometrics)
    #expect(state.locked, "a finger does not unlock")
    state.count(AuditLine.success, .passcode)
    #expect(!state.locked && state.failures == 0 && state.locks == 1)
  }

  @Test func onlyFailuresOfBiometricsCount() {
    var state = Self.state()
    for code in AuthCode.allCases where code != .authenticationFailed {
      for factor in [AuthFactor.biometrics, .passcode, nil] { state.count(code.rawValue, factor) }
    }
    for _ in 0..<20 { state.count(Self.failed, .passcode) }
    for _ in 0..<20 { state.count(Self.failed, nil) }
    for text in ["", "other", "Success", "SUCCESS"] { state.count(text, .passcode) }
    #expect(state == Self.state())
  }

  @Test func aModelCountsTheSame() {
    for seed in 0..<300 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var state = Self.state(), (failures, locked, locks) = (0, false, 0)
      for _ in 0..<40 {
        let (outcome, factor) = (
          [Self.failed, Self.failed, AuditLine.success, "user_cancel"][dice.number(0..<4)],
          [AuthFactor.biometrics, .biometrics, .passcode, nil][dice.number(0..<4)]
        )
        state.count(outcome, factor)
        if outcome == AuditLine.success {
          failures = 0
          if factor == .passcode { locked = false }
        } else if outcome == Self.failed, factor == .biometrics {
          failures = min(5, failures + 1)
          if failures == 5, !locked { (locked, locks) = (true, locks + 1) }
        }
        #expect(state.failures == failures && state.locked == locked && state.locks == locks, "seed \(seed)")
      }
    }
  }

  // MARK: - As a file

  static func filled() -> LockoutState {
    var state = Self.state()
    (state.generation, state.seq, state.size, state.since) = (1 << 52, 1 << 52, 1 << 52, 1 << 52)
    (state.failures, state.locked, state.locks) = (5, true, 1 << 52)
    state.hash = String(repeating: "f", count: 64)
    state.tallies = (0..<LockoutState.maxTallies).map { .init(at: (1 << 40) + $0, times: 1_000_000) }
    return state
  }

  @Test func theLargestStateFitsItsFileAndComesBack() throws {
    let key = AuditKey.make(1 << 52)
    let bytes = try Self.filled().bytes(sealedBy: key)
    #expect(
      bytes.count == LockoutState.fileSize && bytes.last == 0x0A && LockoutState(bytes) == Self.filled())
    #expect(Self.filled().isSealed(bytes, by: key) && !Self.filled().isSealed(bytes, by: key.next))
    #expect(!Self.filled().isSealed(bytes, by: AuditKey.make(1 << 52)), "another key of the same number")
  }

  @Test func whateverIsChangedInItIsSeen() throws {
    let key = AuditKey.make()
    let bytes = try Self.state().bytes(sealedBy: key)
    for place in bytes.indices {
      for bit in [0, 5] as [UInt8] {
        var changed = bytes
        changed[place] ^= 1 << bit
        let isBelieved = LockoutState(changed)?.isSealed(changed, by: key) ?? false
        #expect(!isBelieved, "bit \(bit) of byte \(place)")
      }
    }
    for cut in [[], bytes.dropLast(), bytes + [0x20]] as [[UInt8]] { #expect(LockoutState(cut) == nil) }
  }

  @Test func numbersThatNoProgramWritesAreRefused() throws {
    let key = AuditKey.make()
    for change in [
      { $0.version = 1 }, { $0.version = 3 }, { $0.failures = 6 }, { $0.failures = -1 }, { $0.seq = -1 },
      { $0.size = -1 }, { $0.locks = -1 }, { $0.hash = "f" }, { $0.salt = "" },
      { $0.generation = -1 }, { $0.since = -5 }, { $0.tallies = [.init(at: 5, times: 0)] },
      { $0.tallies = [.init(at: -1, times: 0)] }, { $0.tallies = [.init(at: 0, times: -1)] },
      { $0.tallies = Array(repeating: .init(at: 0, times: 0), count: 33) },
    ] as [(inout LockoutState) -> Void] {
      var state = Self.state()
      change(&state)
      #expect(LockoutState(try state.bytes(sealedBy: key)) == nil, "\(state)")
    }
    #expect(LockoutState(try Self.state().bytes(sealedBy: key)) != nil)
  }

  @Test func theFileOfAnEarlierVersionIsKnown() {
    let old = Array("{\"version\":1,\"failures\":5".utf8)
    let padded = old + [UInt8](repeating: 0x20, count: 512 - old.count)
    #expect(LockoutState.isOld(padded) && LockoutState(padded) == nil)
    #expect(!LockoutState.isOld(padded + [0x20]) && !LockoutState.isOld(old) && !LockoutState.isOld([]))
  }

  // MARK: - How the files fit together

  @Test func whatFitsIsSoundAlsoOneRecordAhead() throws {
    var dice = SeededGenerator(seed: 1)
    var log = try WrittenLog.random(&dice, count: 6)
    let before = log
    guard case .sound(let state, let key) = try AuditTail.look(log.files(), now: 0) else {
      Issue.record("not sound")
      return
    }
    #expect(state == log.state && key == log.key)
    try log.write(WrittenLog.line("timeout"))
    // The process ended after the log, or after the state.
    guard case .ahead(let next, let nextKey) = try AuditTail.look(before.files(log: log.bytes), now: 0) else {
      Issue.record("not ahead")
      return
    }
    #expect(
      next.seq == log.state.seq && next.hash == log.state.hash && nextKey == log.key
        && next.size == log.state.size)
    guard case .sound(let late, let lateKey) = try AuditTail.look(log.files(key: before.key.bytes), now: 0)
    else {
      Issue.record("not sound")
      return
    }
    #expect(late == log.state && lateKey == log.key)
  }

  /// A process that is killed in the middle of its line leaves each part of it once.
  @Test func anyBeginningOfARecordIsTornAndNothingElseIs() throws {
    var dice = SeededGenerator(seed: 2)
    var log = try WrittenLog.random(&dice, count: 3)
    let before = log
    try log.write(WrittenLog.line("timeout"))
    for count in 1..<log.lines[3].count {
      guard
        case .torn(let state, let key) = try AuditTail.look(
          before.files(log: before.bytes + log.lines[3][..<count]), now: 0)
      else {
        Issue.record("\(count) bytes of it")
        continue
      }
      #expect(state == before.state && key == before.key)
    }
    // Two records, a foreign line, a line of the same key, noise behind a whole one.
    var twice = log
    try twice.write(WrittenLog.line("timeout"))
    let foreign = try WrittenLog.random(&dice, count: 1).lines[0]
    for rest in [log.lines[3] + twice.lines[4], foreign, before.lines[2], log.lines[3] + [0x7B], [0x0A]] {
      guard case .foreign = try AuditTail.look(before.files(log: before.bytes + rest), now: 0) else {
        Issue.record("\(String(decoding: rest, as: UTF8.self)) was believed")
        continue
      }
    }
  }

  @Test func whatWasTakenAwaySetBackOrCutIsNamed() throws {
    var dice = SeededGenerator(seed: 3)
    var log = try WrittenLog.random(&dice, count: 5)
    let old = log
    for _ in 0..<3 { try log.write(WrittenLog.line(Self.failed)) }
    let oldState = try old.state.bytes(sealedBy: old.key)
    for (files, problem) in [
      (try log.files(key: []), "the key was taken away"),
      (try log.files(key: Array("x".utf8)), "the key was changed"),
      (try log.files(lockout: oldState), "'lockout' was set back"),
      (try log.files(key: old.key.bytes), "the key was set back"),
      (try log.files(lockout: [], log: []), "audit log and lockout state were taken away"),
      (try log.files(lockout: []), "'lockout' was changed"),
      (try log.files(log: []), "the audit log's end was cut off"),
      (try log.files(log: log.bytes.dropLast(1)), "the audit log's end was cut off"),
      (try log.files(log: old.bytes), "the audit log's end was cut off"),
      (try log.files(lockout: oldState, key: old.key.bytes), "something was written behind the audit log"),
    ] {
      guard case .foreign(let text, _) = try AuditTail.look(files, now: 0) else {
        Issue.record("\(problem): nothing was found")
        continue
      }
      #expect(text == problem.replacing("'lockout'", with: "'\(AuthFiles.lockoutName)'"))
    }
    var changed = log.bytes
    changed[changed.count - 40] ^= 1
    guard case .foreign(_, let state?) = try AuditTail.look(log.files(log: changed), now: 0) else {
      Issue.record("a changed end is not found")
      return
    }
    #expect(state == log.state)
  }

  @Test func nothingYetIsNoProblem() throws {
    let empty = AuditTail.Files(lockout: [], key: [], size: 0) { _, _ in [] }
    guard case .empty(nil) = try AuditTail.look(empty, now: 0) else {
      Issue.record("not empty")
      return
    }
    var files = empty
    files.key = AuditKey.make().bytes
    guard case .empty(.some) = try AuditTail.look(files, now: 0) else {
      Issue.record("not empty")
      return
    }
    files.key = AuditKey.make(1).bytes
    guard case .foreign = try AuditTail.look(files, now: 0) else {
      Issue.record("a key that vouched for something, and nothing there")
      return
    }
  }
}
