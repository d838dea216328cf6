import NBridgePlugin

/// The formats of netpbm that need no library: `P6` (PPM: three bytes a pixel) and `P7` (PAM) with four.
enum PNM {
  static func decode(_ bytes: Bytes) throws -> Picture {
    var header = Header(bytes)
    let magic = try header.word()
    var (width, height) = (0, 0)
    switch magic {
    case "P6":
      (width, height) = (try header.number(), try header.number())
      guard try header.number() == 255 else { throw refusal("has other than 8 bits a colour") }
    case "P7":
      var facts: [String: String] = [:]
      while case let name = try header.word(), name != "ENDHDR" { facts[name] = try header.word() }
      guard facts["DEPTH"] == "4", facts["MAXVAL"] == "255" else { throw refusal("is no RGB_ALPHA") }
      (width, height) = (Int(facts["WIDTH"] ?? "") ?? 0, Int(facts["HEIGHT"] ?? "") ?? 0)
    default: throw refusal("begins with neither P6 nor P7")
    }
    guard max(width, height) <= Picture.longestSide else {
      throw BridgeError(.tooLarge, "a side of a picture has at most \(Picture.longestSide) pixels")
    }
    let depth = magic == "P6" ? 3 : 4
    guard width > 0, height > 0, bytes.count - header.end >= width * height * depth else {
      throw refusal("is cut off")
    }
    let pixels = Bytes(capacity: width * height * 4) { target in
      bytes.withUnsafeBytes { all in
        let source = UnsafeRawBufferPointer(rebasing: all[header.end...])
        guard depth == 3 else {
          return target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source.prefix(target.count)))
        }
        for index in 0..<width * height {
          for colour in 0..<3 { target[index * 4 + colour] = source[index * 3 + colour] }
          target[index * 4 + 3] = 255
        }
      }
      return width * height * 4
    }
    return Picture(width: width, height: height, pixels: pixels)
  }

  static func encode(_ picture: Picture, _ format: Format) throws -> Bytes {
    let (width, height) = (picture.width, picture.height)
    let header =
      format == .ppm
      ? "P6\n\(width) \(height)\n255\n"
      : "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    let depth = format == .ppm ? 3 : 4
    return Bytes(capacity: header.utf8.count + width * height * depth) { target in
      target.copyBytes(from: header.utf8)
      let body = UnsafeMutableRawBufferPointer(rebasing: target[header.utf8.count...])
      picture.pixels.withUnsafeBytes { source in
        guard format == .ppm else { return body.copyMemory(from: source) }
        for index in 0..<width * height {
          for colour in 0..<3 { body[index * 3 + colour] = source[index * 4 + colour] }
        }
      }
      return target.count
    }
  }

  private static func refusal(_ why: String) -> BridgeError {
    BridgeError("not_a_picture", "the picture \(why)")
  }

  /// Reads words that white space separates; `#` begins a comment.
  private struct Header {
    private let bytes: Bytes
    /// Where the pixels begin once the last word has been read.
    private(set) var end = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    mutating func word() throws -> String {
      var word: [UInt8] = []
      while end < bytes.count, word.count < 32 {
        let byte = bytes[end]
        end += 1
        if byte == UInt8(ascii: "#"), word.isEmpty {
          while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        } else if byte > UInt8(ascii: " ") {
          word.append(byte)
        } else if !word.isEmpty {
          return String(decoding: word, as: UTF8.self)
        }
      }
      throw PNM.refusal("has no whole header")
    }

    mutating func number() throws -> Int { Int(try word()) ?? 0 }
  }
}
