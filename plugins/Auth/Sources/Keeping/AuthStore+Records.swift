// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Looking and writing, under the lock.
extension AuthStore {
  /// Writes lines, and the state that comes of them on top of `base`.
  func write(
    _ lines: [AuditLine], _ base: LockoutState, _ files: AuthFiles, _ state: inout State, _ time: AuditTime,
    isDurable: Bool = false, key other: AuditKey? = nil, prefix: [UInt8] = []
  ) throws -> LockoutState {
    guard let key = other ?? state.key?.next else { throw BridgeError(.ioError, "the audit log has no key") }
    let size = files.logSize
    var (next, text, begins) = (base, prefix, [Int: AuditLine]())
    for line in lines {
      let (line, bytes) = try next.line(line, key)
      begins[size + text.count] = line
      next.take(line, at: size + text.count, now: time.sinceStart)
      text += bytes
    }
    (next.generation, next.size) = (key.generation, size + text.count)
    let record = AuthFiles.Record(
      lines: text, lockout: try next.bytes(sealedBy: key), key: key.bytes, isDurable: isDurable)
    try files.write(record)
    (state.bytes, state.known, state.key) = (record.lockout, next, key)
    if !lines.isEmpty {
      state.counted.merge(begins) { _, new in new }
      state.counted = state.counted.filter { line in next.tallies.contains { $0.at == line.key } }
    }
    return next
  }

  /// The present counts, once it is known that the files fit together.
  func look(_ files: AuthFiles, _ state: inout State) throws -> LockoutState {
    let found = try files.look()
    if let known = state.known, found.lockout == state.bytes, found.size == known.size,
      found.key == state.key?.bytes
    {
      return known
    }
    if let missing = state.missing.first {
      return try repair("'\(missing)' was taken away", nil, files, &state)
    }
    let time = AuditTime.now
    switch try AuditTail.look(found, now: time.sinceStart) {
    case .empty(let key): try begin(key ?? .make(), isNew: key == nil, files, &state)
    case .sound(let next, let key): try follow(next, key, found, files, &state)
    case .ahead(let next, let key): try follow(next, key, found, files, &state)
    case .torn(let next, let key):
      try files.cutLog(to: next.size)
      try follow(next, key, found, files, &state)
    case .foreign(let problem, let next): return try repair(problem, next, files, &state)
    }
    guard let known = state.known else { throw BridgeError(.ioError, "the lockout state is not known") }
    return known
  }

  /// The first look of all: the key is written first, or no key would be there for the state that it vouches
  /// for.
  private func begin(_ key: AuditKey, isNew: Bool, _ files: AuthFiles, _ state: inout State) throws {
    if isNew { try files.writeKey(key.bytes, isDurable: true) }
    let first = LockoutState(salt: RandomName.make())
    let bytes = try first.bytes(sealedBy: key)
    try files.write(AuthFiles.Record(lockout: bytes, key: key.bytes, isDurable: true))
    (state.bytes, state.known, state.key, state.counted) = (bytes, first, key, [:])
  }

  /// Takes over what other processes wrote, and ends what a killed one had begun.
  private func follow(
    _ next: LockoutState, _ key: AuditKey, _ found: AuditTail.Files, _ files: AuthFiles, _ state: inout State
  ) throws {
    if let known = state.known, next.generation < known.generation {
      _ = try repair("audit log, lockout state and key were set back", next, files, &state)
      return
    }
    guard let counted = try Self.lines(of: next, state.counted, files) else {
      _ = try repair("a line of the audit log was changed", next, files, &state)
      return
    }
    let bytes = try next.bytes(sealedBy: key)
    if bytes != found.lockout || key.bytes != found.key {
      try files.write(AuthFiles.Record(lockout: bytes, key: key.bytes))
    }
    (state.bytes, state.known, state.key, state.counted) = (bytes, next, key, counted)
  }

  /// The lines that outcomes are counted for, read as far as they are not known; nil when one is none. Lines
  /// stay where they are.
  static func lines(of counted: LockoutState, _ known: [Int: AuditLine], _ files: AuthFiles) throws
    -> [Int: AuditLine]?
  {
    var lines: [Int: AuditLine] = [:]
    for tally in counted.tallies {
      if let line = known[tally.at] {
        lines[tally.at] = line
        continue
      }
      let text = try files.readLog(from: tally.at, to: min(counted.size, tally.at + AuditLine.longest))
      guard let end = text.firstIndex(of: 0x0A), let line = AuditLine(text[..<end]), line.canBeCounted else {
        return nil
      }
      lines[tally.at] = line
    }
    return lines
  }

  /// A number that an attacker may have written so that no other comes behind it counts as nothing.
  private static func credible(_ number: Int?) -> Int {
    number.flatMap { $0 < AuditLine.maxLines / 2 ? $0 : nil } ?? 0
  }

  /// Reports and writes down what was found, and goes on behind it with biometrics locked, and with another
  /// key: the program that changed the files may have read this one.
  private func repair(_ found: String, _ counted: LockoutState?, _ files: AuthFiles, _ state: inout State)
    throws
    -> LockoutState
  {
    var next = (counted ?? state.known ?? LockoutState(salt: RandomName.make())).withoutTallies
    var check = AuditCheck()
    let size = files.logSize
    let text = try files.readLog(from: max(0, size - (1 << 20)), to: size)
    check.take(all: text)
    // The chain goes on from the last line that is there.
    next.hash = check.last?.hash ?? AuditLine.start
    next.seq = max(next.seq, Self.credible(check.last?.seq))
    next.lock()
    let time = AuditTime.now
    var line = AuditLine(time: time.text, app: "nbridge", event: AuditLine.tampering)
    line.found = found
    let last = [state.key?.generation, AuditKey(try files.readKey())?.generation, check.last?.key]
    let key = AuditKey.make(max(next.generation, last.map(Self.credible).max() ?? 0) + 1)
    files.cut()
    let isWhole = text.isEmpty || text.last == 0x0A
    next = try write(
      [line], next, files, &state, time, isDurable: true, key: key, prefix: isWhole ? [] : [0x0A])
    state.missing = []
    note(
      """
      nbridge: auth: \(found), not by nBridge; biometrics are locked until a passcode is given (nbridge auth \
      log --verify tells more)
      """
    )
    return next
  }
}
