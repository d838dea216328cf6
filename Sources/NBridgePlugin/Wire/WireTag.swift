// SPDX-License-Identifier: MIT

internal import Glibc

/// How a value that JSON lacks travels: as `{"$nb":[tag, …]}`. `www/nbridge.js` has the other half.
///
/// | tag | stands for | payload |
/// | --- | --- | --- |
/// | `u` | `undefined` | none |
/// | `n` | a number JSON lacks | `"NaN"`, `"Infinity"`, `"-Infinity"`, `"-0"` |
/// | `i` | a BigInt | its decimal digits |
/// | `d` | a Date | milliseconds since 1970, null when invalid |
/// | `b` | bytes | the index beside the text, the view's name |
/// | `m` | a Map | an array of `[key, value]` |
/// | `s` | a Set | an array of members |
/// | `o` | an object that itself has a key `$nb` | the object |
/// | `h` | an object that a plugin keeps; in answers only | its number, the service, the type |
/// | `c` | a stream or function of the script's; in options only | the index beside the text, its name |
package enum WireTag: UInt8, Sendable {
  case undefined = 0x75
  case number = 0x6E
  case bigInt = 0x69
  case date = 0x64
  case bytes = 0x62
  case map = 0x6D
  case set = 0x73
  case object = 0x6F
  case handle = 0x68
  case channel = 0x63

  /// The key that marks a tagged value.
  package static let key: StaticString = "$nb"
}

/// The bounds of what crosses the bridge, the same on both sides.
package enum WireLimit {
  /// The deepest nesting of arrays and objects.
  package static let depth = 512
  /// The longest text of one option or result, in UTF-16 units. Bytes beside it don't count.
  package static let text = 64 << 20
}

extension WireTag {
  /// Whether a tagged value may stand in a text. Looks for `$nb` by its dollar, which is rare.
  package static func mayStand(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress else { return false }
    let end = base + text.count
    var at = base
    while let found = memchr(at, 0x24, end - at) {
      at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
      if at + 1 < end, at[0] == 0x6E, at[1] == 0x62 { return true }
    }
    return false
  }
}
