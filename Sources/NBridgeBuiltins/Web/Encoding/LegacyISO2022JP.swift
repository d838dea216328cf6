// SPDX-License-Identifier: MIT

/// The states of the ISO-2022-JP decoder (Encoding standard, 12.2.1).
enum ISO2022JPMode: UInt8 {
  case ascii, roman, katakana, lead, trail, escapeStart, escape
}

extension LegacyMultiByte {
  /// The handler for one byte.
  mutating func takeISO2022JP(_ byte: UInt8) {
    switch state.mode {
    case .escapeStart: takeEscapeStart(byte)
    case .escape: takeEscape(byte)
    case .trail: takeJISTrail(byte)
    default:
      if byte == 0x1B { state.mode = .escapeStart } else { takeCharacter(byte) }
    }
  }

  /// A byte outside of escape sequences and pairs.
  private mutating func takeCharacter(_ byte: UInt8) {
    state.hasJustEscaped = false
    switch (state.mode, byte) {
    case (.ascii, 0x0E), (.ascii, 0x0F), (.roman, 0x0E), (.roman, 0x0F): fail()
    case (.roman, 0x5C): emit(0xA5)
    case (.roman, 0x7E): emit(0x203E)
    case (.ascii, 0..<0x80), (.roman, 0..<0x80): emit(UInt32(byte))
    case (.katakana, 0x21...0x5F): emit(0xFF61 - 0x21 + UInt32(byte))
    case (.lead, 0x21...0x7E):
      state.first = byte
      state.mode = .trail
    default: fail()
    }
  }

  /// The second byte of a pair.
  private mutating func takeJISTrail(_ byte: UInt8) {
    state.mode = byte == 0x1B ? .escapeStart : .lead
    let lead = state.first
    state.first = 0
    guard 0x21...0x7E ~= byte else { return fail() }
    emitJIS0208(row: Int(lead) - 0x21, cell: Int(byte) - 0x21)
  }

  private mutating func takeEscapeStart(_ byte: UInt8) {
    if byte == 0x24 || byte == 0x28 {
      state.first = byte
      state.mode = .escape
    } else {
      abandonEscape(restoring: [byte])
    }
  }

  /// The last byte of an escape sequence. Two in a row with nothing between are an error.
  private mutating func takeEscape(_ byte: UInt8) {
    let lead = state.first
    guard let mode = Self.escapes(lead, byte) else { return abandonEscape(restoring: [lead, byte]) }
    state.first = 0
    state.mode = mode
    state.outputMode = mode
    if state.hasJustEscaped { fail() }
    state.hasJustEscaped = true
  }

  private static func escapes(_ lead: UInt8, _ byte: UInt8) -> ISO2022JPMode? {
    switch (lead, byte) {
    case (0x28, 0x42): .ascii
    case (0x28, 0x4A): .roman
    case (0x28, 0x49): .katakana
    case (0x24, 0x40), (0x24, 0x42): .lead
    default: nil
    }
  }

  /// What looked like an escape sequence is one error; the bytes after its ESC are read again.
  private mutating func abandonEscape(restoring bytes: [UInt8]) {
    state.first = 0
    state.hasJustEscaped = false
    state.mode = state.outputMode
    fail()
    for byte in bytes { take(byte) }
  }

  /// The end of the queue. A byte restored from an escape sequence may begin a pair: one error more.
  mutating func finishISO2022JP() {
    if state.mode == .escapeStart { abandonEscape(restoring: []) }
    if state.mode == .escape { abandonEscape(restoring: [state.first]) }
    if state.mode == .trail { fail() }
  }
}
