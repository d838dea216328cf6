// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// A program for the kernel's filter of system calls (seccomp(2)): refuses some with an error, and lets all
/// others be made.
///
/// What is looked at is a `seccomp_data`: the call's number at 0, the machine at 4, its arguments from 16 on,
/// 8 bytes each, the low half first on the machines that there are.
struct CallFilter {
  private var instructions: [sock_filter] = []

  init() {
    load(4)
    append(.equal, Self.machine, 1, 0)
    append(.answer, Self.end)
    load(0)
    #if arch(x86_64)
      // Numbers of another kind of program (x32), which mean the same calls.
      append(.atLeast, 0x4000_0000, 0, 1)
      append(.answer, Self.error(ENOSYS))
    #endif
  }

  /// Refuses a call.
  mutating func refuse(_ call: some BinaryInteger, _ error: Int32) {
    append(.equal, UInt32(call), 0, 1)
    append(.answer, Self.error(error))
  }

  /// Refuses a call unless an argument, of which 32 bits count, is one of these.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, unless values: [UInt32], in argument: UInt32
  ) {
    test(call, argument, values, found: Self.allow, else: Self.error(error))
  }

  /// Refuses a call when an argument, of which 32 bits count, is one of these.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, when values: [UInt32], in argument: UInt32
  ) {
    test(call, argument, values, found: Self.error(error), else: Self.allow)
  }

  /// Refuses a call unless one argument is one of these, and another one of those.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, unless values: [UInt32], in argument: UInt32,
    and others: [UInt32], in other: UInt32
  ) {
    let (count, otherCount) = (UInt8(values.count), UInt8(others.count))
    append(.equal, UInt32(call), 0, count + otherCount + 5)
    load(16 + 8 * argument)
    for (index, value) in values.enumerated() { append(.equal, value, count - UInt8(index), 0) }
    append(.answer, Self.error(error))
    load(16 + 8 * other)
    for (index, value) in others.enumerated() { append(.equal, value, otherCount - UInt8(index), 0) }
    append(.answer, Self.error(error))
    append(.answer, Self.allow)
  }

  private mutating func test(
    _ call: some BinaryInteger, _ argument: UInt32, _ values: [UInt32], found: UInt32, else other: UInt32
  ) {
    let count = UInt8(values.count)
    append(.equal, UInt32(call), 0, count + 3)
    load(16 + 8 * argument)
    for (index, value) in values.enumerated() { append(.equal, value, count - UInt8(index), 0) }
    append(.answer, other)
    append(.answer, found)
  }

  /// Refuses a call when one of these bits is set in an argument.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, whenSet bits: UInt32, in argument: UInt32
  ) {
    append(.equal, UInt32(call), 0, 4)
    load(16 + 8 * argument)
    append(.hasBits, bits, 0, 1)
    append(.answer, Self.error(error))
    append(.answer, Self.allow)
  }

  /// Refuses a call when one of these bits is set in an argument, and one of those in another one.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, whenSet bits: UInt32, in argument: UInt32,
    and others: UInt32, in other: UInt32
  ) {
    append(.equal, UInt32(call), 0, 6)
    load(16 + 8 * argument)
    append(.hasBits, bits, 0, 3)
    load(16 + 8 * other)
    append(.hasBits, others, 0, 1)
    append(.answer, Self.error(error))
    append(.answer, Self.allow)
  }

  /// Refuses a call when one of some bits is set in an argument, or one that must be is not.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, whenSet bits: UInt32, unlessSet needed: UInt32,
    in argument: UInt32
  ) {
    append(.equal, UInt32(call), 0, 5)
    load(16 + 8 * argument)
    append(.hasBits, bits, 1, 0)
    append(.hasBits, needed, 1, 0)
    append(.answer, Self.error(error))
    append(.answer, Self.allow)
  }

  /// Refuses a call unless an argument, with some bits of it left out, is one of these.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, unless values: [UInt32], in argument: UInt32,
    without bits: UInt32
  ) {
    let count = UInt8(values.count)
    append(.equal, UInt32(call), 0, count + 4)
    load(16 + 8 * argument)
    append(.and, ~bits)
    for (index, value) in values.enumerated() { append(.equal, value, count - UInt8(index), 0) }
    append(.answer, Self.error(error))
    append(.answer, Self.allow)
  }

  /// Refuses a call when an argument, of which 32 bits count, is one of some values; and for what some bits
  /// of it are: when they are one of some kinds, or unless they are.
  mutating func refuse(
    _ call: some BinaryInteger, _ error: Int32, when values: [UInt32], in argument: UInt32,
    orKinds kinds: [UInt32], of bits: UInt32, areLet: Bool
  ) {
    let (count, kindCount) = (UInt8(values.count), UInt8(kinds.count))
    append(.equal, UInt32(call), 0, count + kindCount + 5)
    load(16 + 8 * argument)
    // To the refusal, which stands last but one.
    for (index, value) in values.enumerated() {
      append(.equal, value, count - UInt8(index) + kindCount + 2, 0)
    }
    append(.and, bits)
    for (index, kind) in kinds.enumerated() { append(.equal, kind, kindCount - UInt8(index), 0) }
    append(.answer, areLet ? Self.error(error) : Self.allow)
    append(.answer, areLet ? Self.allow : Self.error(error))
    append(.answer, Self.error(error))
  }

  /// Refuses a call unless an argument, of which all 64 bits count, is 0.
  mutating func refuseUnlessNull(_ call: some BinaryInteger, _ error: Int32, in argument: UInt32) {
    append(.equal, UInt32(call), 0, 6)
    load(16 + 8 * argument)
    append(.equal, 0, 0, 2)
    load(20 + 8 * argument)
    append(.equal, 0, 1, 0)
    append(.answer, Self.error(error))
    append(.answer, Self.allow)
  }

  /// Asks it at every call of this thread, and of all threads and processes that come of it.
  func apply() throws(SystemError) {
    let program = instructions + [Self.instruction(.answer, Self.allow)]
    let done = program.withUnsafeBufferPointer { program in
      program.baseAddress.map { nb_filter_calls($0, UInt16(program.count)) } ?? -1
    }
    guard done == 0 else { throw .last("filter this process's system calls (seccomp)") }
  }

  // MARK: - Instructions

  /// BPF_LD | BPF_W | BPF_ABS, BPF_JMP with JEQ, JGE and JSET, BPF_ALU with AND, BPF_RET
  /// (linux/bpf_common.h).
  private enum Operation: UInt16 {
    case load = 0x20
    case equal = 0x15
    case atLeast = 0x35
    case hasBits = 0x45
    case and = 0x54
    case answer = 0x06
  }

  /// SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ERRNO.
  private static let allow: UInt32 = 0x7FFF_0000
  private static let end: UInt32 = 0x8000_0000
  private static func error(_ number: Int32) -> UInt32 { 0x0005_0000 | UInt32(number) }

  /// AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64: calls of 32-bit programs have other numbers.
  #if arch(x86_64)
    private static let machine: UInt32 = 0xC000_003E
  #elseif arch(arm64)
    private static let machine: UInt32 = 0xC000_00B7
  #endif

  private mutating func load(_ offset: UInt32) { append(.load, offset) }

  /// - Parameters:
  ///   - yes: how many instructions are left out when what is asked holds.
  ///   - no: how many are when it does not.
  private mutating func append(_ operation: Operation, _ value: UInt32, _ yes: UInt8 = 0, _ no: UInt8 = 0) {
    instructions.append(Self.instruction(operation, value, yes, no))
  }

  private static func instruction(
    _ operation: Operation, _ value: UInt32, _ yes: UInt8 = 0, _ no: UInt8 = 0
  ) -> sock_filter { sock_filter(code: operation.rawValue, jt: yes, jf: no, k: value) }
}
