// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A number in a file that grows before and after each change of a store: it is odd while one is being made.
/// What was read while it was even holds as long as it is the same. Its writing wakes the processes that
/// watch its folder. Used by one thread at a time.
///
/// A number that no process can have counted to is damage: nothing is known to hold then, and the next change
/// begins anew.
///
/// Reading costs nothing but a look at memory that all processes share. (As SQLite's own index of a log: a
/// process that cuts the file off ends all that have it open. It lies where no script writes.)
package struct ChangeCounter: ~Copyable {
  private let folder: String
  private let path: String
  private var file: Descriptor?
  private var isWritable = false
  /// The file, mapped: it is read far more often than written.
  private var map: MemoryMap?
  /// Where it is mapped.
  private var number: UnsafeMutablePointer<UInt64>?
  /// No store has so many changes.
  private static let maximum: UInt64 = 1 << 62
  /// A process that begins anew begins up to so far behind: at a number that no process remembers something
  /// of.
  private static let furthest: UInt64 = 1 << 31

  /// When the file was last known to be where its path leads, in milliseconds of a coarse clock.
  private var checked = 0

  /// In a folder with nothing in it but its file. Opens nothing yet.
  package init(_ folder: String) {
    self.folder = folder
    path = folder + "/changed"
  }

  /// The number; nil when there is none, so that nothing is known to hold.
  package mutating func value() -> UInt64? {
    checkNowAndThen()
    if file == nil { reopen(makes: false) }
    // Acquired: what is read of the store afterwards is no older.
    let value = number.map { nb_load_acquire($0) }
    return value.flatMap { $0 <= Self.maximum ? $0 : nil }
  }

  /// A change begins. Only for the holder of the store's write lock: two can't. Answers the number before it.
  ///
  /// - Parameter least: what a new one begins at; asked for then only.
  package mutating func begin(least: () throws -> UInt64) throws -> UInt64 {
    checkNowAndThen()
    if file == nil || !isWritable { reopen(makes: true) }
    guard let number else { throw failure() }
    var value = nb_load_acquire(number)
    if value == 0 || value > Self.maximum { value = Self.beginning(try least()) }
    // Not by a system call: processes that wait for changes need not wake before there is one.
    nb_store(number, value % 2 == 0 ? value + 1 : value + 2)
    return value
  }

  /// An even number above another one. One that is damaged, too, counts as none.
  private static func beginning(_ least: UInt64) -> UInt64 {
    (least < maximum / 2 ? least / 2 : 0) * 2 + 2 + .random(in: 0..<furthest / 2) * 2
  }

  /// A change that began at a number is made, or was not to be. Answers the number after it.
  package mutating func end(_ begun: UInt64) throws -> UInt64 {
    let value = begun % 2 == 0 ? begun + 2 : begun + 3
    var number = value
    guard pwrite(file?.number ?? -1, &number, 8, 0) == 8 else { throw failure() }
    return value
  }

  /// Whether the file is still the one that others have: looked up every few milliseconds, which is what the
  /// clock tells apart.
  private mutating func checkNowAndThen() {
    let now = MonotonicTime.coarseNanoseconds / 1_000_000
    if now == checked { return }
    if let file, FileIdentity(descriptor: file.number) != FileIdentity(path) { close() }
    checked = now
  }

  private mutating func reopen(makes: Bool) {
    close()
    isWritable = true
    let more = O_NOFOLLOW | O_NONBLOCK
    do { file = try Descriptor.open(path, O_RDWR | (makes ? O_CREAT : 0) | more) } catch {
      if makes, error.code == ENOENT, mkdir(folder, 0o700) == 0 {
        file = try? Descriptor.open(path, O_RDWR | O_CREAT | more)
      }
    }
    if file == nil, !makes {
      file = try? Descriptor.open(path, O_RDONLY | more)
      isWritable = false
    }
    mapFile(makes: makes)
  }

  /// One that is new is at 0.
  private mutating func mapFile(makes: Bool) {
    var status = stat()
    guard let file, fstat(file.number, &status) == 0 else { return }
    if status.st_size < 8 {
      // With a place on the disk: on one that is full the first write to the memory would end the process.
      guard makes, posix_fallocate(file.number, 0, 8) == 0 else { return close() }
    }
    do {
      let made = try MemoryMap(file.number, count: 8, isWritable: isWritable)
      number = made.start.assumingMemoryBound(to: UInt64.self)
      map = consume made
    } catch { close() }
  }

  private func failure() -> BridgeError {
    BridgeError.system("write", path)
  }

  /// Closes the file until it is needed again.
  package mutating func close() {
    number = nil
    map = nil
    file = nil
  }
}
