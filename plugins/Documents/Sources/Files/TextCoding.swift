// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Text in files: UTF-8 by Swift, every other encoding by the system's `iconv`.
enum TextCoding {
  static func isUTF8(_ encoding: String?) -> Bool {
    guard let encoding else { return true }
    return ["utf-8", "utf8"].contains(encoding.lowercased())
  }

  /// Reads text. A byte order mark of UTF-8 is left out.
  static func decode(_ bytes: Bytes, _ encoding: String?, _ path: FilePath) throws -> String {
    let text = isUTF8(encoding) ? bytes : try convert(bytes, from: encoding ?? "", to: "UTF-8", path)
    let string = text.withUnsafeBytes { memory -> String? in
      let start = memory.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      return String(validating: UnsafeRawBufferPointer(rebasing: memory[start...]), as: UTF8.self)
    }
    guard let string else {
      throw BridgeError(
        .invalidData,
        """
        '\(path.shown)' is not text in UTF-8; name its encoding, as {encoding: 'latin1'}, or read it as bytes
        """
      )
    }
    return string
  }

  static func encode(_ text: String, _ encoding: String?, _ path: FilePath) throws -> Bytes {
    let bytes = Bytes(Array(text.utf8))
    return isUTF8(encoding) ? bytes : try convert(bytes, from: "UTF-8", to: encoding ?? "", path)
  }

  /// The bytes that bring an encoding with states back to its first state, as ISO-2022-JP (RFC 1468) wants it
  /// at a text's end.
  private static func end(of converter: iconv_t) -> [UInt8] {
    var room = [CChar](repeating: 0, count: 64)
    var left = room.count
    room.withUnsafeMutableBufferPointer { target in
      var out = target.baseAddress
      _ = iconv(converter, nil, nil, &out, &left)
    }
    return room.prefix(room.count - left).map { UInt8(bitPattern: $0) }
  }

  private static func convert(_ bytes: Bytes, from: String, to: String, _ path: FilePath) throws -> Bytes {
    guard let converter = iconv_open(to, from), Int(bitPattern: converter) != -1 else {
      let name = isUTF8(from) ? to : from
      throw BridgeError(.invalidParameter, "the system knows no encoding '\(name)'; `iconv -l` lists them")
    }
    defer { iconv_close(converter) }
    var made: [UInt8] = []
    var room = [CChar](repeating: 0, count: 1 << 16)
    var input = bytes.withUnsafeBytes { Array($0.bindMemory(to: CChar.self)) }
    let isWhole = input.withUnsafeMutableBufferPointer { source -> Bool in
      var next = source.baseAddress
      var left = source.count
      repeat {
        var outLeft = room.count
        let result = room.withUnsafeMutableBufferPointer { target in
          var out = target.baseAddress
          return iconv(converter, &next, &left, &out, &outLeft)
        }
        let code = errno
        made += room.prefix(room.count - outLeft).map { UInt8(bitPattern: $0) }
        if result == -1, code != E2BIG { return false }
      } while left > 0
      return true
    }
    made += end(of: converter)
    guard isWhole else {
      throw BridgeError(.invalidData, "'\(path.shown)' holds what can't be turned from \(from) to \(to)")
    }
    return Bytes(made)
  }
}
