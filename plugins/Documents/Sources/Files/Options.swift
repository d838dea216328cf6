// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Which file.
struct PathOptions: Codable {
  var path: String
  var directory: Directory?
}

/// Of which file something is to be told.
struct StatOptions: Codable {
  var path: String
  var directory: Directory?
  /// Whether a link is told of as itself, and not what it leads to. For `node:fs`.
  var asLink: Bool?
}

/// Which folder.
struct FolderOptions: Codable {
  var path: String?
  var directory: Directory?
}

/// The form of a file's content in a script. The plugin's own script chooses the action by it.
enum ContentFormat: String, Codable, CaseIterable, Sendable { case text, bytes, json, propertyList }

struct ReadOptions: Codable {
  var path: String
  var directory: Directory?
  var format: ContentFormat?
  var encoding: String?
  /// The number under which the script watches the progress.
  var progress: Int?
}

struct RangeOptions: Codable {
  var path: String
  /// Bytes from the file's start.
  var offset: Double
  var length: Double
  var directory: Directory?
}

struct ChunkOptions: Codable {
  var path: String
  var directory: Directory?
  /// Bytes of a piece: 1 to 64 Mi; by default 1 Mi.
  var size: Int?

  func checkedSize() throws -> Int {
    let size = size ?? 1 << 20
    guard 1...(64 << 20) ~= size else {
      throw BridgeError(.invalidParameter, "option.size must be from 1 to \(64 << 20), not \(size)")
    }
    return size
  }
}

struct HashOptions: Codable {
  var path: String
  var directory: Directory?
  var algorithm: HashAlgorithm?
  /// The script's own number for the operation, made from `control.progress`.
  var progress: Int?
}

struct WriteOptions: Codable {
  var path: String
  var directory: Directory?
  var content: Bytes?
  var text: String?
  var format: ContentFormat?
  var encoding: String?
  /// The indentation of JSON, as `JSON.stringify` takes it: the plugin's own script makes the text.
  var indent: Value?
  /// The value of a property list.
  var value: Value?
  var binary: Bool?
  var durable: Bool?
  var create: Bool?
  var overwrite: Bool?
  var identity: String?
  /// The permission bits of a file that is made, from which the umask is taken; by default 0o600. For
  /// `node:fs`.
  var mode: Int?
  /// Whether a link that stands there is followed, as by open(2). For `node:fs`.
  var asSystem: Bool?
  var progress: Int?

  var rules: WriteRules {
    WriteRules(
      durable: durable ?? true, create: create ?? true, overwrite: overwrite ?? true,
      accepts: identity.map { identity in { $0 == identity } }, mode: FileMode.of(mode, otherwise: 0o600))
  }
}

struct WriteRangeOptions: Codable {
  var path: String
  var offset: Double
  var content: Bytes
  var directory: Directory?
  var durable: Bool?
}

struct TruncateOptions: Codable {
  var path: String
  var size: Double
  var directory: Directory?
}

struct PieceOptions: Codable {
  var writer: Int
  var content: Bytes
}

struct PieceEnd: Codable {
  var writer: Int
}

struct MakeOptions: Codable {
  var path: String
  var directory: Directory?
  /// Whether folders above are made, and one that is there is left as it is; by default true.
  var parents: Bool?
  /// The permission bits of the folders that are made, from which the umask is taken; by default 0o700. For
  /// `node:fs`.
  var mode: Int?
  /// Whether the path may end in `.` or `..`, of which `mkdir(2)` says what they are. For `node:fs`.
  var asSystem: Bool?
}

/// Permission bits that a script may give: those of the owner, the group and the others.
enum FileMode {
  static func of(_ given: Int?, otherwise usual: UInt32) -> UInt32 {
    given.map { UInt32(truncatingIfNeeded: $0) & 0o777 } ?? usual
  }
}

struct TransferOptions: Codable {
  var from: String
  var to: String
  var directory: Directory?
  /// The directory that `to` is in; by default the one that `from` is in.
  var toDirectory: Directory?
  var overwrite: Bool?
  /// Whether only that is replaced which `rename(2)` replaces: a file by a file, an empty folder by a folder.
  /// `copy` copies nothing but a file then, and follows links. For `node:fs`.
  var asSystem: Bool?
  /// The script's own number for the operation, made from `control.progress`.
  var progress: Int?
}

/// Between the app's folders and a place outside.
struct OutsideOptions: Codable {
  var from: String
  var to: String
  /// The app's folder; by default `documents`.
  var directory: Directory?
  var overwrite: Bool?
  /// The script's own number for the operation, made from `control.progress`.
  var progress: Int?

  var transfer: TransferOptions {
    TransferOptions(from: from, to: to, directory: directory, overwrite: overwrite)
  }
}

struct ProgressOptions: Codable {
  var operation: Int
}

struct RemoveOptions: Codable {
  var path: String
  var directory: Directory?
  var permanently: Bool?
  /// What alone is removed for good: no folder, or an empty one. For `node:fs`.
  var only: RemovedKind?
}

/// What `unlink(2)` removes, and what `rmdir(2)` removes.
enum RemovedKind: String, Codable, CaseIterable, Sendable { case file, emptyFolder }

struct TrashOptions: Codable {
  var id: String
}

struct WatchOptions: Codable {
  var path: String?
  var directory: Directory?
  /// Whether folders below are watched too, the ones that come later included.
  var recursive: Bool?
}

extension FolderOptions {
  init(_ options: WatchOptions) { self.init(path: options.path, directory: options.directory) }
}
