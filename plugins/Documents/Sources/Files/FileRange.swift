// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin

/// Reading and writing in the middle of files.
enum FileRange {
  /// An offset or length: a whole number of bytes that a file can have.
  private static func bytes(_ value: Double, _ name: String, limit: Double = 0x1p53) throws -> Int {
    guard value >= 0, value <= limit, value == value.rounded() else {
      throw BridgeError(
        .invalidParameter, "option.\(name) must be a whole number of bytes, from 0 to \(Int(limit))")
    }
    return Int(value)
  }

  static func read(_ file: OpenFile, _ options: RangeOptions) throws -> Bytes {
    let status = try file.demandRegular("read")
    let offset = try bytes(options.offset, "offset")
    let length = try bytes(options.length, "length")
    let there = min(length, max(0, Int(status.st_size) - offset))
    guard there <= WholeFile.limit else {
      throw BridgeError(
        .tooLarge, "option.length is \(there), and at most \(WholeFile.limit) bytes cross at once")
    }
    return try Bytes(capacity: there) { try file.read(into: $0, at: offset) }
  }

  static func write(_ options: WriteRangeOptions, _ files: Files) throws {
    let offset = try bytes(options.offset, "offset")
    let file = try files.open(FilePath(options.path), options.directory, O_WRONLY, to: "write")
    _ = try file.demandRegular("write")
    try options.content.withUnsafeBytes { try file.write($0, at: offset) }
    if options.durable ?? true { try file.sync() }
  }

  static func truncate(_ options: TruncateOptions, _ files: Files) throws {
    let size = try bytes(options.size, "size")
    let file = try files.open(FilePath(options.path), options.directory, O_WRONLY, to: "truncate")
    _ = try file.demandRegular("truncate")
    guard ftruncate(file.number, off_t(size)) == 0 else { throw FileFailure.last("truncate", file.path) }
    try file.sync()
  }

  /// Writes at the end. One `write`: what several processes append does not mix.
  static func append(_ options: WriteOptions, _ files: Files, _ content: Bytes) throws {
    let path = try FilePath(options.path)
    let flags = O_WRONLY | O_APPEND | (options.create == false ? 0 : O_CREAT)
    let mode = FileMode.of(options.mode, otherwise: 0o600)
    let file = try files.open(path, options.directory, flags, mode: mode, to: "write")
    let before = Int(try file.demandRegular("write").st_size)
    try content.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        let count = Glibc.write(file.number, base + done, bytes.count - done)
        if count < 0 {
          if errno == EINTR { continue }
          let failure = FileFailure.last("write", path)
          // Half of it is worse than nothing, unless another writer has appended behind it.
          if try file.facts().st_size == before + done { _ = ftruncate(file.number, off_t(before)) }
          throw failure
        }
        done += count
      }
    }
    if options.durable ?? true { try file.sync() }
  }
}
