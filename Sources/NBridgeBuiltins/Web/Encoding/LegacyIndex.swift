// SPDX-License-Identifier: MIT

/// An index of the Encoding standard (section 5): code points by pointer.
///
/// Each is made when first needed, from the C library's converter, and kept: the largest takes 180 KB.
struct LegacyIndex: Sendable {
  private var points: [UInt32]
  /// gb18030's sequences of four bytes for U+0080 to U+FFFF, by pointer. Empty for the others.
  private var fourByte: [UInt16] = []

  /// The code point at `pointer`, 0 where there is none.
  func codePoint(at pointer: Int) -> UInt32 {
    points.indices ~= pointer ? points[pointer] : 0
  }

  /// The index gb18030 ranges code point of a sequence of four bytes, 0 where there is none.
  func gb18030CodePoint(at pointer: Int) -> UInt32 {
    switch pointer {
    case fourByte.indices: UInt32(fourByte[pointer])
    case 189_000...1_237_575: UInt32(0x10000 + pointer - 189_000)
    default: 0
    }
  }

  /// nil when the C library lacks any of them.
  static let jis0208 = makeJIS0208()
  static let jis0212 = makeJIS0212()
  static let eucKR = makeEUCKR()
  static let big5 = makeBig5()
  static let gb18030 = makeGB18030()

  /// Reads `count` code points; `code` answers the bytes of a pointer as one number.
  private init?(_ charset: String, count: Int, bytes: Int = 2, code: (Int) -> Int) {
    guard let reader = CharacterReader(charset) else { return nil }
    points = (0..<count).map { reader.codePoint(UInt32(code($0)), bytes: bytes) }
  }
}

// MARK: - Japanese and Korean

extension LegacyIndex {
  /// JIS X 0208 with the extensions of NEC and IBM, as Windows has it.
  private static func makeJIS0208() -> LegacyIndex? {
    var index = LegacyIndex("CP932", count: 11280) { pointer in
      let (lead, trail) = pointer.quotientAndRemainder(dividingBy: 188)
      return (lead + (lead < 0x1F ? 0x81 : 0xC1)) << 8 + trail + (trail < 0x3F ? 0x40 : 0x41)
    }
    // User-defined characters: Shift_JIS has them by rule, the others not at all.
    for pointer in 8836...10715 { index?.points[pointer] = 0 }
    return index
  }

  /// JIS X 0212.
  private static func makeJIS0212() -> LegacyIndex? {
    LegacyIndex("EUC-JP", count: 8836, bytes: 3) { 0x8FA1A1 + ($0 / 94) << 8 + $0 % 94 }
  }

  /// KS X 1001 and the rest of the Hangul syllables.
  private static func makeEUCKR() -> LegacyIndex? {
    LegacyIndex("CP949", count: 23940) { 0x8141 + ($0 / 190) << 8 + $0 % 190 }
  }
}

// MARK: - Big5

extension LegacyIndex {
  /// Big5 with the extensions of ETEN and the Hong Kong Supplementary Character Set.
  private static func makeBig5() -> LegacyIndex? {
    var index = LegacyIndex("BIG5-HKSCS", count: 19782) { pointer in
      let (lead, trail) = pointer.quotientAndRemainder(dividingBy: 157)
      return (lead + 0x81) << 8 + trail + (trail < 0x3F ? 0x40 : 0x62)
    }
    for (code, point) in big5Patches { index?.setBig5(code, point) }
    for offset in 0..<0x20 { index?.setBig5(UInt16(0xA3C0 + offset), UInt16(0x2400 + offset)) }
    return index
  }

  private mutating func setBig5(_ code: UInt16, _ point: UInt16) {
    let trail = Int(code & 0xFF)
    points[(Int(code >> 8) - 0x81) * 157 + trail - (trail < 0x7F ? 0x40 : 0x62)] = UInt32(point)
  }

  /// Where the standard's index has another character than glibc, or one where HKSCS-2008 has a duplicate.
  private static let big5Patches: [(UInt16, UInt16)] = [
    (0x8E69, 0x7BB8), (0x8E6F, 0x7C06), (0x8E7E, 0x7CCE), (0x8EAB, 0x7DD2), (0x8EB4, 0x7E1D),
    (0x8ECD, 0x8005), (0x8ED0, 0x8028), (0x8F57, 0x83C1), (0x8F69, 0x84A8), (0x8F6E, 0x840F),
    (0x8FCB, 0x89A6), (0x8FCC, 0x89A9), (0x8FFE, 0x8D77), (0x906D, 0x90FD), (0x907A, 0x92B9),
    (0x90DC, 0x975C), (0x90F1, 0x97FF), (0x91BF, 0x9F16), (0x9244, 0x8503), (0x92AF, 0x5159),
    (0x92B0, 0x515B), (0x92B1, 0x515D), (0x92B2, 0x515E), (0x92C8, 0x936E), (0x92D1, 0x7479),
    (0x9447, 0x6D67), (0x94CA, 0x799B), (0x95D9, 0x9097), (0x9644, 0x975D), (0x96ED, 0x701E),
    (0x96FC, 0x5B28), (0x9B76, 0x7201), (0x9B78, 0x77D7), (0x9B7B, 0x7E87), (0x9BC6, 0x99D6),
    (0x9BDE, 0x91D4), (0x9BEC, 0x60DE), (0x9BF6, 0x6FB6), (0x9C42, 0x8F36), (0x9C53, 0x4FBB),
    (0x9C62, 0x71DF), (0x9C68, 0x9104), (0x9C6B, 0x9DF0), (0x9C77, 0x83CF), (0x9CBC, 0x5C10),
    (0x9CBD, 0x79E3), (0x9CD0, 0x5A67), (0x9D57, 0x8F0B), (0x9D5A, 0x7B51), (0x9DC4, 0x62D0),
    (0x9EA9, 0x6062), (0x9EEF, 0x75F9), (0x9EFD, 0x6C4A), (0x9F60, 0x9B2E), (0x9F66, 0x9F17),
    (0x9FCB, 0x50ED), (0x9FD8, 0x5F0C), (0xA063, 0x880F), (0xA077, 0x62CE), (0xA0D5, 0x7468),
    (0xA0DF, 0x7162), (0xA0E4, 0x7250), (0xA145, 0x2027), (0xA14E, 0xFE51), (0xA15A, 0x2574),
    (0xA1C2, 0x00AF), (0xA1C3, 0xFFE3), (0xA1C5, 0x02CD), (0xA1E3, 0xFF5E), (0xA1F2, 0x2295),
    (0xA1F3, 0x2299), (0xA1FE, 0xFF0F), (0xA240, 0xFF3C), (0xA241, 0x2215), (0xA242, 0xFE68),
    (0xA244, 0xFFE5), (0xA246, 0xFFE0), (0xA247, 0xFFE1), (0xA2CC, 0x5341), (0xA2CE, 0x5345),
    (0xA3E0, 0x2421), (0xA3E1, 0x20AC), (0xC6CF, 0x5EF4), (0xC6D3, 0x65E0), (0xC6D5, 0x7676),
    (0xC6D7, 0x96B6), (0xC6DE, 0x3003), (0xC6DF, 0x4EDD), (0xFA5F, 0x5029), (0xFA66, 0x507D),
    (0xFABD, 0x5305), (0xFAC5, 0x5344), (0xFAD5, 0x537F), (0xFB48, 0x5605), (0xFBB8, 0x5A77),
    (0xFBF3, 0x5E75), (0xFBF9, 0x5ED0), (0xFC4F, 0x5F58), (0xFC6C, 0x60A4), (0xFCB9, 0x6490),
    (0xFCE2, 0x6674), (0xFCF1, 0x675E), (0xFDB7, 0x6C9C), (0xFDB8, 0x6E1D), (0xFDBB, 0x6E2F),
    (0xFDF1, 0x716E), (0xFE52, 0x732A), (0xFE6F, 0x745C), (0xFEAA, 0x74E9), (0xFEDD, 0x7809),
  ]
}

// MARK: - gb18030

extension LegacyIndex {
  /// GB 18030-2022, two bytes and four.
  private static func makeGB18030() -> LegacyIndex? {
    var index = LegacyIndex("GB18030", count: 23940) { pointer in
      let (lead, trail) = pointer.quotientAndRemainder(dividingBy: 190)
      return (lead + 0x81) << 8 + trail + (trail < 0x3F ? 0x40 : 0x41)
    }
    for (code, point) in gb18030Private { index?.setGB18030(code, point) }
    index?.makeFourByte()
    for (code, point) in gb18030Patches { index?.setGB18030(code, point) }
    return index
  }

  private mutating func setGB18030(_ code: UInt16, _ point: UInt16) {
    let trail = Int(code & 0xFF)
    points[(Int(code >> 8) - 0x81) * 190 + trail - (trail < 0x7F ? 0x40 : 0x41)] = UInt32(point)
  }

  /// Four bytes stand, in order, for whatever of the BMP two bytes did not in the edition of 2000.
  private mutating func makeFourByte() {
    var isTwoByte = [Bool](repeating: false, count: 0x10000)
    for point in points where point < 0x10000 { isTwoByte[Int(point)] = true }
    for surrogate in 0xD800...0xDFFF { isTwoByte[surrogate] = true }
    fourByte = (UInt16(0x80)...0xFFFF).filter { !isTwoByte[Int($0)] }
    // U+1E3F and U+E7C7 changed places in 2005.
    if let place = fourByte.firstIndex(of: 0x1E3F) { fourByte[place] = 0xE7C7 }
  }

  /// The characters of two bytes that were in the private use area in 2000, and mostly still are.
  private static let gb18030Private: [(UInt16, UInt16)] = [
    (0xA3A0, 0xE5E5), (0xA6D9, 0xE78D), (0xA6DA, 0xE78E), (0xA6DB, 0xE78F), (0xA6DC, 0xE790),
    (0xA6DD, 0xE791), (0xA6DE, 0xE792), (0xA6DF, 0xE793), (0xA6EC, 0xE794), (0xA6ED, 0xE795),
    (0xA6F3, 0xE796), (0xA8BC, 0xE7C7), (0xFE51, 0xE816), (0xFE52, 0xE817), (0xFE53, 0xE818),
    (0xFE59, 0xE81E), (0xFE61, 0xE826), (0xFE66, 0xE82B), (0xFE67, 0xE82C), (0xFE6C, 0xE831),
    (0xFE6D, 0xE832), (0xFE76, 0xE83B), (0xFE7E, 0xE843), (0xFE90, 0xE854), (0xFE91, 0xE855),
    (0xFEA0, 0xE864),
  ]

  /// The characters that have moved to their own code points since, and the ideographic space's second place.
  private static let gb18030Patches: [(UInt16, UInt16)] = [
    (0xA3A0, 0x3000), (0xA6D9, 0xFE10), (0xA6DA, 0xFE12), (0xA6DB, 0xFE11), (0xA6DC, 0xFE13),
    (0xA6DD, 0xFE14), (0xA6DE, 0xFE15), (0xA6DF, 0xFE16), (0xA6EC, 0xFE17), (0xA6ED, 0xFE18),
    (0xA6F3, 0xFE19), (0xA8BC, 0x1E3F), (0xFE59, 0x9FB4), (0xFE61, 0x9FB5), (0xFE66, 0x9FB6),
    (0xFE67, 0x9FB7), (0xFE6D, 0x9FB8), (0xFE7E, 0x9FB9), (0xFE90, 0x9FBA), (0xFEA0, 0x9FBB),
  ]
}
