// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
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
  /// From the folder that was listed on: UTF-8, a zero byte behind each. As one text they cross at once.
  var paths: Bytes
  /// A letter for each: f, d, l or o.
  var kinds: String
  var sizes: [Double]?
  /// Milliseconds since 1970.
  var modified: [Double]?
  var identities: [String]?
}

/// Goes through folders, a page at a time.
final class Listing: @unchecked Sendable {
  // Sendable because one page is asked for after the other, never two at once.
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
  /// Entries that were read, and how many of them are handed over.
  private var entries = EntryTable()
  private var handed = 0
  private var isSorted = false

  private static let page = 4096

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
    while handed == entries.count, let next = folders.popLast() {
      (entries, handed) = (EntryTable(), 0)
      try read(next)
    }
    if handed == entries.count { return nil }
    let range = handed..<min(entries.count, handed + Self.page)
    handed = range.upperBound
    return entries.page(range, facts: needsFacts)
  }

  private func sortAll() throws {
    isSorted = true
    while let next = folders.popLast() { try read(next) }
    entries.sort(order, descending: options.descending == true)
  }

  /// Adds the entries of one folder that are wanted; its folders are noted.
  private func read(_ pending: Pending) throws {
    guard try enter(pending) else { return }
    let folder = descent.folder
    let isPlain = glob == nil && !needsFacts && options.recursive != true
    try DirectoryNames.each(of: folder) { name, kind in
      if Staging.isTemporary(name) { return }
      if isPlain, let kind { return entries.append(name, below: pending.prefix, kind, nil) }
      try add(Array(name), kind, of: folder, pending.prefix)
    }
  }

  private func add(_ name: [UInt8], _ told: FileKind?, of folder: OpenFile, _ prefix: [UInt8]) throws {
    let asks = needsFacts || told == nil
    let status = asks ? try folder.facts(of: name, folder.path) : nil
    // Gone since its name was read.
    if asks, status == nil { return }
    let kind = told ?? status.map { FileKind(mode: $0.st_mode) } ?? .other
    let below = prefix.isEmpty ? name : prefix + name
    if glob?.matches(below) ?? true {
      name.withUnsafeBytes { entries.append($0, below: prefix, kind, needsFacts ? status : nil) }
    }
    if kind == .folder, options.recursive == true {
      folders.append(Pending(depth: descent.depth, name: name, prefix: below + [UInt8(ascii: "/")]))
    }
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
