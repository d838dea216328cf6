// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// How a folder is listed.
struct ListOptions: Codable, Sendable {
  var path: String?
  var directory: Directory?
  /// Whether folders below are gone through too; links are not followed.
  var recursive: Bool?
  /// A pattern over the paths below the folder.
  var glob: String?
  var sort: ListOrder?
  var descending: Bool?
  /// Whether each entry has its size, times and identity.
  var facts: Bool?
}

/// The order in which entries are sorted; `none` is the disk's order, which needs no memory for the whole
/// list.
enum ListOrder: String, Codable, CaseIterable, Sendable { case name, modified, size, none }

/// Some entries, column by column: an event for each entry would cost more than reading the disk.
struct ListPage: Codable, Sendable {
  /// From the folder that was listed on.
  var paths: [String] = []
  /// A letter for each: f, d, l or o.
  var kinds = ""
  var sizes: [Double]?
  /// Milliseconds since 1970.
  var modified: [Double]?
  var identities: [String]?
}

/// Goes through folders, a page at a time.
final class Listing: @unchecked Sendable {
  // Sendable because one page is asked for after the other, never two at once.
  private struct Entry {
    var path: [UInt8]
    var kind: FileKind
    var facts: Facts?
    var status: stat? { facts?.status }
  }

  /// Kept aside: sorting moves entries about, and `stat` is large.
  private final class Facts {
    let status: stat
    init(_ status: stat) { self.status = status }
  }

  private struct Pending {
    /// The depth of the folder below the one that was asked for, which has 0.
    let depth: Int
    /// nil for the folder that was asked for.
    let name: [UInt8]?
    let prefix: [UInt8]
  }

  private let options: ListOptions
  private let order: ListOrder
  private let glob: Glob?
  private let needsFacts: Bool
  /// Folders that are still to be read, the next one last. Each is opened when its turn comes.
  private var folders: [Pending]
  private var descent: Descent
  /// Entries that were read and are not handed over yet.
  private var waiting: ArraySlice<Entry> = []
  private var isSorted = false

  private static let page = 2048

  init(_ root: OpenFile, _ options: ListOptions) throws {
    self.options = options
    glob = options.glob.map { Glob($0) }
    order = options.sort ?? .name
    needsFacts = options.facts == true || order == .modified || order == .size
    descent = Descent(try root.folder(FilePath(options.path ?? ""), to: "list"), to: "list")
    folders = [Pending(depth: 0, name: nil, prefix: [])]
  }

  /// The next entries; nil at the end.
  func next() throws -> ListPage? {
    if order != .none, !isSorted { try sortAll() }
    while waiting.isEmpty, let next = folders.popLast() { waiting = try read(next)[...] }
    if waiting.isEmpty { return nil }
    defer { waiting = waiting.dropFirst(Self.page) }
    return page(waiting.prefix(Self.page))
  }

  private func sortAll() throws {
    isSorted = true
    var all: [Entry] = []
    while let next = folders.popLast() { all += try read(next) }
    switch order {
    case .name, .none: all.sort { Self.isBefore($0.path, $1.path) }
    case .size: all.sort { ($0.status?.st_size ?? 0) < ($1.status?.st_size ?? 0) }
    case .modified: all.sort { Self.time($0) < Self.time($1) }
    }
    if options.descending == true { all.reverse() }
    waiting = all[...]
  }

  /// The order of bytes, which is the order of characters in UTF-8.
  private static func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let order = left.withUnsafeBytes { one in
      right.withUnsafeBytes { other -> Int32 in
        guard let first = one.baseAddress, let second = other.baseAddress else { return 0 }
        return memcmp(first, second, min(one.count, other.count))
      }
    }
    return order == 0 ? left.count < right.count : order < 0
  }

  private static func time(_ entry: Entry) -> Double {
    entry.status.map { Double($0.st_mtim.tv_sec) * 1000 + Double($0.st_mtim.tv_nsec / 1_000_000) } ?? 0
  }

  private func page(_ entries: ArraySlice<Entry>) -> ListPage {
    var page = ListPage()
    page.paths = entries.map { PathText.decode($0.path) }
    page.kinds = String(decoding: entries.map { $0.kind.letter }, as: UTF8.self)
    guard needsFacts else { return page }
    page.sizes = entries.map { Double($0.status?.st_size ?? 0) }
    page.modified = entries.map { Self.time($0) }
    page.identities = entries.map { $0.status.map { FileMetadata.identity($0) } ?? "" }
    return page
  }

  /// The entries of one folder that are wanted; its folders are noted.
  private func read(_ pending: Pending) throws -> [Entry] {
    guard try enter(pending) else { return [] }
    let folder = descent.folder
    let prefix = pending.prefix
    var entries: [Entry] = []
    for name in try DirectoryNames.read(folder) where !Staging.isTemporary(name.bytes) {
      let below = prefix.isEmpty ? name.bytes : prefix + name.bytes
      let asks = needsFacts || name.kind == nil
      let status = asks ? try folder.facts(of: name.bytes, folder.path) : nil
      // Gone since its name was read.
      if asks, status == nil { continue }
      let kind = name.kind ?? status.map { FileKind(mode: $0.st_mode) } ?? .other
      if glob?.matches(below) ?? true {
        entries.append(Entry(path: below, kind: kind, facts: needsFacts ? status.map { Facts($0) } : nil))
      }
      if kind == .folder, options.recursive == true {
        folders.append(Pending(depth: descent.depth, name: name.bytes, prefix: below + [UInt8(ascii: "/")]))
      }
    }
    return entries
  }

  /// Goes to a folder whose turn has come. Answers false when it was removed or replaced meanwhile.
  private func enter(_ pending: Pending) throws -> Bool {
    while descent.depth > pending.depth { try descent.leave() }
    guard let name = pending.name else { return true }
    do {
      try descent.enter(name)
      return true
    } catch let error as BridgeError where error.code == .notFound || error.code == .notDirectory {
      return false
    }
  }
}

/// The pages as events.
struct ListPages: AsyncSequence, Sendable {
  let start: @Sendable () throws -> Listing

  struct AsyncIterator: AsyncIteratorProtocol {
    let start: @Sendable () throws -> Listing
    var listing: Listing?

    mutating func next() async throws -> ListPage? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> ListPage? {
      let (start, known) = (start, listing)
      let (listing, page) = try await Blocking.run(isolation: actor) {
        let listing = try known ?? start()
        return (listing, try listing.next())
      }
      self.listing = listing
      return page
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start: start) }
}
