// SPDX-License-Identifier: MIT

/// Zeros before a content in its row, so many that all of the content lies on overflow pages.
///
/// SQLite moves rows from page to page when it balances a tree, and leaves copies of them in the unused part
/// of a page that it packs anew, which `secure_delete` does not overwrite (measured: 1 of some 1,000 deleted
/// rows could still be read). Overflow pages belong to one row, are never moved, and are overwritten as a
/// whole when it is deleted.
enum Filler {
  static let pageSize = 1024

  // "Database File Format", 1.6: a row of P bytes, of which a leaf keeps P if that is at most X, else K if
  // that is at most X, else M. U is the page's size, as nothing is reserved.
  private static let maxOnLeaf = pageSize - 35  // X
  private static let leastOnLeaf = (pageSize - 12) * 32 / 255 - 23  // M
  private static let onOverflow = pageSize - 4

  /// How many zeros a row of `representations` needs whose content has `bytes`.
  static func size(item: Int64, type: String, bytes: Int) -> Int {
    guard bytes > 0 else { return 0 }
    // The number of a row is its key, which takes one byte of its header and none behind it; a file's name is
    // missing.
    let type = type.utf8.count
    let fixed =
      5 + number(13 + 2 * type) + number(12 + 2 * bytes) + integer(item) + type + integer(Int64(bytes))
    var filler = 0
    while true {
      let before = fixed + number(12 + 2 * filler) + filler
      let row = before + bytes
      let least = leastOnLeaf + (row - leastOnLeaf) % onOverflow  // K
      if row <= maxOnLeaf {
        filler += maxOnLeaf + 1 - row
      } else if before < leastOnLeaf {
        filler += leastOnLeaf - before
      } else if before < least, least <= maxOnLeaf {
        filler += leastOnLeaf + onOverflow - least  // up to where K is M again
      } else {
        return filler
      }
    }
  }

  /// Bytes of a header's number: seven bits each.
  private static func number(_ value: Int) -> Int { value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : 3 }

  /// Bytes of a whole number that is not negative.
  private static func integer(_ value: Int64) -> Int {
    value < 2 ? 0 : value < 1 << 7 ? 1 : value < 1 << 15 ? 2 : value < 1 << 23 ? 3 : 4
  }
}
