// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Puts a finished file or folder into a place that others may be changing, only if it holds what is
/// expected there.
///
/// Between a look and a rename other programs can change the place. Programs that take the same lock can't;
/// of all others, the exchange brings out what they put there: it is looked at, and put back when it was not
/// expected.
enum GuardedPlacement {
  /// - Parameters:
  ///   - temporary: the finished thing's name in `staging`; afterwards what stood in the place has it, or
  /// nothing.
  ///   - accepts: whether what stands there, nil for nothing, may be replaced.
  ///   - identity: tells what stands in a place.
  /// - Throws: ``BridgeError/Code/conflict``.
  static func put(
    _ temporary: [UInt8], of staging: OpenFile, at place: FilePlace, _ accepts: (String?) -> Bool,
    identity: (FilePlace) throws -> String?
  ) throws {
    let lock = FolderLock(place.folder)
    defer { lock.release() }
    let there = try identity(place)
    try check(place, there, accepts)
    let rename = { (flag: Int) in
      temporary.withCString { from in
        place.name.withCString { renameat2(staging.number, from, place.folder.number, $0, UInt32(flag)) }
      }
    }
    if there == nil {
      if rename(NB_RENAME_NOREPLACE) == 0 { return }
      throw errno == EEXIST ? conflict(place, isGone: false) : FileFailure.last("save", place.path)
    }
    let hand = FilePlace(folder: staging, name: temporary, path: place.path)
    let ours = try identity(hand)
    guard rename(NB_RENAME_EXCHANGE) == 0 else {
      if errno == ENOENT { throw conflict(place, isGone: true) }
      // A disk that can't exchange: the lock has to do.
      if errno == EINVAL, rename(0) == 0 { return }
      throw FileFailure.last("save", place.path)
    }
    // A thing whose identity can't be told is not the expected one.
    if let out = try? identity(hand), accepts(out) { return }
    _ = rename(NB_RENAME_EXCHANGE)
    if (try? identity(hand)) != ours { try keep(hand, beside: place) }
    throw conflict(place, isGone: false)
  }

  /// Another program came between the two exchanges: the thing in hand now is that program's, and stays under
  /// a name of its own.
  private static func keep(_ hand: FilePlace, beside place: FilePlace) throws {
    for attempt in 1...100 {
      let name = try ConflictName.path(for: place.path, attempt).split().name
      let done = hand.name.withCString { from in
        name.withCString {
          renameat2(hand.folder.number, from, place.folder.number, $0, UInt32(NB_RENAME_NOREPLACE))
        }
      }
      if done == 0 || errno != EEXIST { return }
    }
  }

  /// Throws when what stands in a place is not expected there.
  static func check(_ place: FilePlace, _ there: String?, _ accepts: (String?) -> Bool) throws {
    if !accepts(there) { throw conflict(place, isGone: there == nil) }
  }

  private static func conflict(_ place: FilePlace, isGone: Bool) -> BridgeError {
    BridgeError(
      .conflict,
      """
      '\(place.path.shown)' was \(isGone ? "removed" : "changed") meanwhile; \
      read what is there before you write
      """,
      details: try? Value(encoding: ["path": place.path.text]))
  }
}

/// A lock between processes on a folder's names, held for a moment only.
private struct FolderLock {
  private let lock: FileLock?

  /// In milliseconds. A process that holds the lock for longer is no program of ours, and is not waited for:
  /// the exchange notices what it does to the place.
  private static let patience = 2000

  init(_ folder: OpenFile) {
    // Opened anew: a lock belongs to what was opened, and another thread may have taken it on the same.
    let flags = O_RDONLY | Int32(NB_O_DIRECTORY)
    lock = (try? Descriptor.open(Array(".".utf8), in: folder.number, flags)).map { FileLock($0) }
    _ = lock?.take(within: Self.patience)
  }

  func release() { lock?.release() }
}
