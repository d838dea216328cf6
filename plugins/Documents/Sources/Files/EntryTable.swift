// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The entries of folders that are listed, however many: none has memory of its own.
struct EntryTable {
  /// What `stat` tells of an entry, as far as lists say it.
  struct Facts {
    let size: Double
    /// Milliseconds since 1970.
    let modified: Double
    let identity: String

    init(_ status: stat) {
      size = Double(status.st_size)
      modified = Double(status.st_mtim.tv_sec) * 1000 + Double(status.st_mtim.tv_nsec / 1_000_000)
      identity = FileMetadata.identity(status)
    }
  }

  private struct Entry {
    /// The first bytes of its path, in the order of paths: nearly all that sorting has to look at.
    var key: UInt64
    var start: Int
    var length: Int32
    /// The place of its facts.
    var facts: Int32
    var kind: FileKind

    var range: Range<Int> { start..<start + Int(length) }
  }

  private var text: [UInt8] = []
  private var entries: [Entry] = []
  private var facts: [Facts] = []

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  mutating func append(
    _ name: UnsafeRawBufferPointer, below prefix: [UInt8], _ kind: FileKind, _ known: stat?
  ) {
    let start = text.count
    text += prefix
    text += name
    if let known { facts.append(Facts(known)) }
    let key = text.withUnsafeBytes { Self.key(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    entries.append(
      Entry(
        key: key, start: start, length: Int32(text.count - start), facts: Int32(facts.count - 1), kind: kind))
  }

  private static func key(_ path: UnsafeRawBufferPointer) -> UInt64 {
    if path.count >= 8 { return UInt64(bigEndian: path.loadUnaligned(as: UInt64.self)) }
    var key: UInt64 = 0
    for index in 0..<8 { key = key << 8 | UInt64(index < path.count ? path[index] : 0) }
    return key
  }

  // MARK: - Order

  mutating func sort(_ order: ListOrder, descending: Bool) {
    switch order {
    case .name: sortByPath()
    case .size: entries.sort { [facts] in facts[Int($0.facts)].size < facts[Int($1.facts)].size }
    case .modified:
      entries.sort { [facts] in facts[Int($0.facts)].modified < facts[Int($1.facts)].modified }
    case .none: break
    }
    if descending { entries.reverse() }
  }

  /// The order of bytes, which is the order of characters in UTF-8.
  private mutating func sortByPath() {
    text.withUnsafeBytes { text in
      entries.sort { left, right in
        if left.key != right.key { return left.key < right.key }
        let shared = Int(min(left.length, right.length))
        // What is shorter than its key is equal in all of it.
        let order =
          shared <= 8 ? 0 : text.baseAddress.map { memcmp($0 + left.start, $0 + right.start, shared) } ?? 0
        return order == 0 ? left.length < right.length : order < 0
      }
    }
  }

  // MARK: - Pages

  /// Some entries as scripts get them.
  func page(_ range: Range<Int>, facts hasFacts: Bool) -> ListPage {
    let chosen = entries[range]
    var page = ListPage(
      paths: Bytes(paths(chosen)), kinds: String(decoding: chosen.map(\.kind.letter), as: UTF8.self))
    guard hasFacts else { return page }
    page.sizes = chosen.map { facts[Int($0.facts)].size }
    page.modified = chosen.map { facts[Int($0.facts)].modified }
    page.identities = chosen.map { facts[Int($0.facts)].identity }
    return page
  }

  private func paths(_ chosen: ArraySlice<Entry>) -> [UInt8] {
    var paths: [UInt8] = []
    paths.reserveCapacity(chosen.reduce(0) { $0 + Int($1.length) + 1 })
    for entry in chosen {
      paths += text[entry.range]
      paths.append(0)
    }
    if paths.withUnsafeBufferPointer({ PathText.isItself($0) }) { return paths }
    return chosen.flatMap { Array(PathText.decode(Array(text[$0.range])).utf8) + [0] }
  }
}
