// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import Glibc
internal import NBridgePlugin

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

/// By what entries are sorted; `none` is the disk's order, which needs no memory for the whole list.
enum ListOrder: String, Codable, CaseIterable, Sendable { case name, modified, size, none }

/// What `list` answers for each name.
struct ListEntry: Codable, Sendable {
  var name: String
  /// From the folder that was listed on.
  var path: String
  var kind: FileKind
  var size: Double?
  var modified: Date?
  var identity: String?
}

/// Goes through folders, a page at a time.
final class Listing: @unchecked Sendable {
  // Sendable because one page is asked for after the other, never two at once.
  private let options: ListOptions
  private let glob: Glob?
  private let needsFacts: Bool
  /// Folders that are still to be read, the next one last.
  private var folders: [(folder: OpenFile, prefix: [UInt8])] = []
  /// Sorted ones that wait.
  private var sorted: [ListEntry]?

  static let page = 1024

  init(_ root: OpenFile, _ options: ListOptions) throws {
    self.options = options
    glob = options.glob.map { Glob($0) }
    let order = options.sort ?? .name
    needsFacts = options.facts == true || order == .modified || order == .size
    folders = [(try root.folder(FilePath(options.path ?? ""), to: "list"), [])]
  }

  /// The next entries; empty at the end.
  func next() throws -> [ListEntry] {
    if (options.sort ?? .name) == .none { return try unsorted() }
    var waiting = try sorted ?? all()
    let page = Array(waiting.suffix(Self.page).reversed())
    waiting.removeLast(page.count)
    sorted = waiting
    return page
  }

  private func unsorted() throws -> [ListEntry] {
    while let next = folders.popLast() {
      let found = try read(next.folder, next.prefix)
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Every entry, the last one first: pages are taken from the end.
  private func all() throws -> [ListEntry] {
    var entries: [ListEntry] = []
    while let next = folders.popLast() { entries += try read(next.folder, next.prefix) }
    let isUp = options.descending == true
    switch options.sort ?? .name {
    case .name, .none: entries.sort { isUp ? $0.path < $1.path : $0.path > $1.path }
    case .size: entries.sort { isUp ? ($0.size ?? 0) < ($1.size ?? 0) : ($0.size ?? 0) > ($1.size ?? 0) }
    case .modified:
      entries.sort { isUp ? Self.time($0) < Self.time($1) : Self.time($0) > Self.time($1) }
    }
    return entries
  }

  private static func time(_ entry: ListEntry) -> Double { entry.modified?.timeIntervalSince1970 ?? 0 }

  /// The entries of one folder that are wanted; its folders are noted.
  private func read(_ folder: OpenFile, _ prefix: [UInt8]) throws -> [ListEntry] {
    var entries: [ListEntry] = []
    for name in try DirectoryNames.read(folder) where !name.bytes.starts(with: Staging.prefix.utf8) {
      let below = prefix + name.bytes
      let isWanted = glob?.matches(below) ?? true
      let status = needsFacts || name.kind == nil ? try folder.facts(of: name.bytes, folder.path) : nil
      // Gone since its name was read.
      if status == nil, needsFacts || name.kind == nil { continue }
      let kind = name.kind ?? status.map { FileKind(mode: $0.st_mode) } ?? .other
      if isWanted { entries.append(entry(name.bytes, below, kind, status)) }
      if kind == .folder, options.recursive == true { try descend(folder, name.bytes, below) }
    }
    return entries
  }

  private func entry(_ name: [UInt8], _ below: [UInt8], _ kind: FileKind, _ status: stat?) -> ListEntry {
    var entry = ListEntry(name: FilePath.decode(name), path: FilePath.decode(below), kind: kind)
    guard needsFacts, let status, let path = try? FilePath(entry.path) else { return entry }
    let facts = FileFacts(status, path)
    (entry.size, entry.modified, entry.identity) = (facts.size, facts.modified, facts.identity)
    return entry
  }

  private func descend(_ folder: OpenFile, _ name: [UInt8], _ below: [UInt8]) throws {
    let path = try FilePath("").appending(name)
    do {
      folders.append(
        (try folder.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, to: "list"), below + [UInt8(ascii: "/")]))
    } catch let error as BridgeError where error.code == .notFound || error.code == .notDirectory {
      // Removed or replaced meanwhile.
    }
  }
}

/// The entries as events.
struct ListingEvents: AsyncSequence, Sendable {
  let start: @Sendable () throws -> Listing

  struct AsyncIterator: AsyncIteratorProtocol {
    let start: @Sendable () throws -> Listing
    var listing: Listing?
    var page: ArraySlice<ListEntry> = []

    mutating func next() async throws -> ListEntry? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> ListEntry? {
      if let entry = page.popFirst() { return entry }
      let (start, known) = (start, listing)
      let (listing, entries) = try await Blocking.run(isolation: actor) {
        let listing = try known ?? start()
        return (listing, try listing.next())
      }
      self.listing = listing
      page = entries[...]
      return page.popFirst()
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start: start) }
}
