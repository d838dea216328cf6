// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What libFuzzer calls: policies, lines of the audit log and lockout states may hold anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAuth(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  switch data[0] & 3 {
  case 0: policy(bytes)
  case 1:
    log(bytes)
    tail(bytes)
  case 2: lockout(bytes)
  default: wildcard(bytes)
  }
  return 0
}

/// A policy is refused with one of its own lines, or every rule of it has a step.
private func policy(_ bytes: [UInt8]) {
  do {
    let rules = try AuthPolicyFile.parse(bytes, path: "p")
    precondition(rules.rules.allSatisfy { !$0.steps.isEmpty }, "a rule without steps")
    _ = AuthDecider(rules).next(app: "a", policy: .biometrics, reason: "r")
  } catch let error as BridgeError {
    let line = error.message.dropFirst(2).prefix { $0 != ":" }
    let lines = bytes.count { $0 == 0x0A } + 1
    precondition(Int(line).map { 1...lines ~= $0 } ?? false, "no line of the file: \(error.message)")
  } catch { preconditionFailure("\(error)") }
}

/// A log that is sound is so line by line, and what is sound reads back as it was written.
private func log(_ bytes: [UInt8]) {
  let key = AuditKey.make()
  var check = AuditCheck(key: AuditKey(bytes) ?? key)
  check.take(all: bytes) { line in
    guard let (text, _) = try? line.text(after: AuditLine.start, key: key) else {
      preconditionFailure("a line has no text")
    }
    guard let read = AuditLine(text.dropLast()) else {
      preconditionFailure(
        "a line that was written can't be read")
    }
    precondition(
      read.isVouchedFor(text.dropLast(), after: AuditLine.start, by: key),
      "a line that its key does not know")
  }
}

/// A line behind the end becomes a record only if the key made it.
private func tail(_ bytes: [UInt8]) {
  let key = AuditKey.make()
  let state = LockoutState(salt: String(repeating: "0", count: 32))
  guard let sealed = try? state.bytes(sealedBy: key) else { preconditionFailure("a state has no bytes") }
  let files = AuditTail.Files(lockout: sealed, key: key.bytes, size: bytes.count) { start, end in
    Array(bytes[start..<end])
  }
  if case .ahead? = try? AuditTail.look(files, now: 0) {
    preconditionFailure(
      "a line that the key did not make")
  }
}

/// An input can't make a state that an unknown key vouches for; a state that is written with the key is read
/// back.
private func lockout(_ bytes: [UInt8]) {
  guard let state = LockoutState(bytes) else { return }
  let key = AuditKey.make(min(state.generation, 1 << 20))
  precondition(!state.isSealed(bytes, by: key), "a state that nobody sealed")
  var sealed = state
  sealed.generation = key.generation
  guard let made = try? sealed.bytes(sealedBy: key) else { return }
  precondition(
    LockoutState(made) == sealed && sealed.isSealed(made, by: key),
    "a state that is not read as it was written")
}

private func wildcard(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  precondition(
    Wildcard.matches("*" + text + "*", text) && Wildcard.matches("*", text), "a text does not match itself")
}
