// SPDX-License-Identifier: MIT

/// The multi-byte encodings (Encoding standard, sections 10 to 13), named as the standard does.
enum LegacyEncoding: String {
  case gb18030
  case gbk
  case big5
  case eucJP = "euc-jp"
  case iso2022JP = "iso-2022-jp"
  case shiftJIS = "shift_jis"
  case eucKR = "euc-kr"

  /// nil when the C library has no converter for it.
  fileprivate var index: LegacyIndex? {
    switch self {
    case .gb18030, .gbk: .gb18030
    case .big5: .big5
    case .eucJP, .iso2022JP, .shiftJIS: .jis0208
    case .eucKR: .eucKR
    }
  }
}

/// What a decoder keeps between two bytes. All zero is the start of a stream.
struct LegacyState: Equatable {
  /// The bytes read of a sequence that is not complete: gb18030's first, or the lead of the others.
  var first: UInt8 = 0
  /// gb18030's second and third.
  var second: UInt8 = 0
  var third: UInt8 = 0
  /// euc-jp is inside a sequence of three.
  var isThreeBytes = false
  /// iso-2022-jp: what comes next, what an escape sequence chose last, and whether it chose twice in a row.
  var mode = ISO2022JPMode.ascii
  var outputMode = ISO2022JPMode.ascii
  var hasJustEscaped = false

  init() {}

  /// Restores what `bits` answered before; anything that it can't have answered counts as zero.
  init(bits: UInt64) {
    let byte = { (index: UInt64) in UInt8(truncatingIfNeeded: bits >> (8 * index)) }
    first = byte(0)
    second = byte(1)
    third = byte(2)
    isThreeBytes = byte(3) != 0
    mode = ISO2022JPMode(rawValue: byte(4)) ?? .ascii
    outputMode = ISO2022JPMode(rawValue: byte(5)) ?? .ascii
    hasJustEscaped = byte(6) != 0
  }

  /// The state as eight bytes that outlive the decoder.
  var bits: UInt64 {
    let bytes = [
      first, second, third, isThreeBytes ? 1 : 0, mode.rawValue, outputMode.rawValue, hasJustEscaped ? 1 : 0,
    ]
    return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Decodes a stream of one of the multi-byte encodings.
struct LegacyMultiByte {
  /// What a chunk leaves unfinished.
  var state = LegacyState()
  private let encoding: LegacyEncoding
  private let index: LegacyIndex
  private var units: [UInt16] = []
  private var isMalformed = false

  /// nil when the C library has no converter for the encoding.
  init?(_ encoding: LegacyEncoding) {
    guard let index = encoding.index else { return nil }
    self.encoding = encoding
    self.index = index
  }

  /// Decodes one chunk. Answers nil at the first malformed sequence if `isFatal`, and starts over.
  mutating func decode(_ bytes: UnsafeRawBufferPointer, isLast: Bool, isFatal: Bool) -> [UInt16]? {
    units = []
    units.reserveCapacity(bytes.count + 4)
    isMalformed = false
    for byte in bytes {
      take(byte)
      if isMalformed && isFatal { break }
    }
    if isLast { finish() }
    if isMalformed && isFatal {
      state = LegacyState()
      return nil
    }
    defer { units = [] }
    return units
  }

  /// The decoder's handler for one byte. A byte that the standard restores to the queue is taken again.
  mutating func take(_ byte: UInt8) {
    switch encoding {
    case .gb18030, .gbk: takeGB18030(byte)
    case .big5, .eucKR: takePair(byte)
    case .shiftJIS: takeShiftJIS(byte)
    case .eucJP: takeEUCJP(byte)
    case .iso2022JP: takeISO2022JP(byte)
    }
  }

  /// The end of the queue: what is incomplete is one error, and the next stream starts afresh.
  private mutating func finish() {
    if encoding == .iso2022JP {
      finishISO2022JP()
    } else if state != LegacyState() {
      fail()
    }
    state = LegacyState()
  }
}

// MARK: - Output

extension LegacyMultiByte {
  /// One U+FFFD, and the end of a fatal decoder.
  package mutating func fail() {
    isMalformed = true
    units.append(0xFFFD)
  }

  /// Writes a code point.
  mutating func emit(_ point: UInt32) {
    if point < 0x10000 {
      units.append(UInt16(truncatingIfNeeded: point))
    } else {
      units.append(UInt16(truncatingIfNeeded: 0xD7C0 + (point >> 10)))
      units.append(UInt16(truncatingIfNeeded: 0xDC00 | point & 0x3FF))
    }
  }

  /// Writes the code point at `pointer` of the index, or fails.
  mutating func emit(at pointer: Int, of index: LegacyIndex?) {
    let point = index?.codePoint(at: pointer) ?? 0
    if point == 0 { fail() } else { emit(point) }
  }

  /// JIS X 0208, by row and cell from 0.
  mutating func emitJIS0208(row: Int, cell: Int) {
    emit(at: row * 94 + cell, of: index)
  }
}

// MARK: - Two bytes

extension LegacyMultiByte {
  /// Big5 (11.1.1) and EUC-KR (13.1.1).
  private mutating func takePair(_ byte: UInt8) {
    if state.first != 0 {
      takeTrail(byte)
    } else if byte < 0x80 {
      emit(UInt32(byte))
    } else if 0x81...0xFE ~= byte {
      state.first = byte
    } else {
      fail()
    }
  }

  /// The second byte of a pair. One that completes no character and is ASCII stands for itself.
  private mutating func takeTrail(_ byte: UInt8) {
    let lead = Int(state.first)
    state.first = 0
    let pointer = trailPointer(lead: lead, trail: Int(byte))
    if encoding == .big5, let letter = Self.accented(pointer) {
      emit(letter.base)
      emit(letter.accent)
    } else if encoding == .shiftJIS, 8836...10715 ~= pointer {
      emit(UInt32(0xE000 - 8836 + pointer))  // the user-defined characters of Windows
    } else {
      emit(at: pointer, of: index)
      restoreAfterFailure(byte, pointer: pointer)
    }
  }

  /// Takes an ASCII trail again when the pair was no character.
  private mutating func restoreAfterFailure(_ byte: UInt8, pointer: Int) {
    if byte < 0x80 && index.codePoint(at: pointer) == 0 { emit(UInt32(byte)) }
  }

  /// The pointer of a pair into the index, -1 for a trail out of range.
  private func trailPointer(lead: Int, trail: Int) -> Int {
    switch encoding {
    case .big5:
      guard 0x40...0x7E ~= trail || 0xA1...0xFE ~= trail else { return -1 }
      return (lead - 0x81) * 157 + trail - (trail < 0x7F ? 0x40 : 0x62)
    case .eucKR:
      return 0x41...0xFE ~= trail ? (lead - 0x81) * 190 + trail - 0x41 : -1
    case .shiftJIS:
      guard 0x40...0x7E ~= trail || 0x80...0xFC ~= trail else { return -1 }
      return (lead - (lead < 0xA0 ? 0x81 : 0xC1)) * 188 + trail - (trail < 0x7F ? 0x40 : 0x41)
    default:
      guard 0x40...0x7E ~= trail || 0x80...0xFE ~= trail else { return -1 }
      return (lead - 0x81) * 190 + trail - (trail < 0x7F ? 0x40 : 0x41)
    }
  }

  /// The four pointers of Big5 that stand for a letter and an accent.
  private static func accented(_ pointer: Int) -> (base: UInt32, accent: UInt32)? {
    switch pointer {
    case 1133: (0xCA, 0x304)
    case 1135: (0xCA, 0x30C)
    case 1164: (0xEA, 0x304)
    case 1166: (0xEA, 0x30C)
    default: nil
    }
  }

  /// Shift_JIS (12.3.1).
  private mutating func takeShiftJIS(_ byte: UInt8) {
    if state.first != 0 { return takeTrail(byte) }
    switch byte {
    case 0...0x80: emit(UInt32(byte))
    case 0xA1...0xDF: emit(0xFF61 - 0xA1 + UInt32(byte))
    case 0x81...0x9F, 0xE0...0xFC: state.first = byte
    default: fail()
    }
  }
}

// MARK: - EUC-JP

extension LegacyMultiByte {
  /// EUC-JP (12.1.1).
  private mutating func takeEUCJP(_ byte: UInt8) {
    switch (state.first, byte) {
    case (0, 0..<0x80): emit(UInt32(byte))
    case (0, 0x8E), (0, 0x8F), (0, 0xA1...0xFE): state.first = byte
    case (0, _): fail()
    case (0x8E, 0xA1...0xDF):
      state.first = 0
      emit(0xFF61 - 0xA1 + UInt32(byte))
    case (0x8F, 0xA1...0xFE):
      state.first = byte
      state.isThreeBytes = true
    default: takeEUCJPTrail(byte)
    }
  }

  /// The last byte of a pair, or of a sequence of three (JIS X 0212).
  private mutating func takeEUCJPTrail(_ byte: UInt8) {
    let lead = state.first
    let isThreeBytes = state.isThreeBytes
    state = LegacyState()
    guard 0xA1...0xFE ~= lead, 0xA1...0xFE ~= byte else {
      fail()
      if byte < 0x80 { emit(UInt32(byte)) }
      return
    }
    emit(at: Int(lead - 0xA1) * 94 + Int(byte - 0xA1), of: isThreeBytes ? .jis0212 : index)
  }
}

// MARK: - gb18030

extension LegacyMultiByte {
  /// gb18030 (10.2.1), and GBK, which decodes alike.
  private mutating func takeGB18030(_ byte: UInt8) {
    if state.third != 0 {
      takeFourth(byte)
    } else if state.second != 0 {
      takeThird(byte)
    } else if state.first != 0 {
      if 0x30...0x39 ~= byte { state.second = byte } else { takeTrail(byte) }
    } else if byte <= 0x80 {
      emit(byte == 0x80 ? 0x20AC : UInt32(byte))
    } else if byte == 0xFF {
      fail()
    } else {
      state.first = byte
    }
  }

  private mutating func takeThird(_ byte: UInt8) {
    if 0x81...0xFE ~= byte {
      state.third = byte
    } else {
      restart(with: [state.second, byte])
    }
  }

  private mutating func takeFourth(_ byte: UInt8) {
    guard 0x30...0x39 ~= byte else { return restart(with: [state.second, state.third, byte]) }
    let row = Int(state.first - 0x81) * 10 + Int(state.second - 0x30)
    let pointer = (row * 126 + Int(state.third - 0x81)) * 10 + Int(byte - 0x30)
    state = LegacyState()
    let point = index.gb18030CodePoint(at: pointer)
    if point == 0 { fail() } else { emit(point) }
  }

  /// A sequence of four that went wrong is one error; all but its first byte are read again.
  private mutating func restart(with bytes: [UInt8]) {
    state = LegacyState()
    fail()
    for byte in bytes { take(byte) }
  }
}
