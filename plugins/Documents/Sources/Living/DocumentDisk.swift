// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin

/// The form of a document's content on the disk.
enum DocumentShape: String, Codable, CaseIterable, Sendable {
  case text, bytes, propertyList, package
}

/// Reads and writes the versions of a document in a place.
struct DocumentDisk: Sendable {
  let shape: DocumentShape
  /// The encoding of a text.
  let encoding: String?
  let staging: Staging

  // MARK: - Reading

  /// The identity of the thing in a place, whatever it is; nil for an empty place.
  func identity(_ place: FilePlace) throws -> String? {
    guard let status = try place.facts() else { return nil }
    guard shape == .package, FileKind(mode: status.st_mode) == .folder else {
      return FileMetadata.identity(status)
    }
    return try PackageFolder.identity(place.open(asFolder: true))
  }

  /// Reads a place until nothing changes meanwhile. A content that can't be read is a version with a problem.
  func read(_ place: FilePlace) throws -> DocumentVersion {
    for _ in 0..<10 {
      do {
        guard let identity = try identity(place) else { return DocumentVersion() }
        var version = readable(place)
        if try self.identity(place) == identity {
          version.identity = identity
          return version
        }
      } catch let error as BridgeError where error.code == .notFound { continue }
    }
    throw BridgeError(.ioError, "can't read '\(place.path.shown)': it is being changed all the time")
  }

  private func readable(_ place: FilePlace) -> DocumentVersion {
    do { return try content(place) } catch {
      let error = BridgeError(wrapping: error)
      return DocumentVersion(problem: DocumentProblem(code: error.code.rawValue, message: error.message))
    }
  }

  private func content(_ place: FilePlace) throws -> DocumentVersion {
    try demandKind(place)
    if shape == .package {
      return DocumentVersion(members: try PackageFolder.read(place.open(asFolder: true)))
    }
    let bytes = try WholeFile.read(place.open())
    switch shape {
    case .text: return DocumentVersion(text: try TextCoding.decode(bytes, encoding, place.path))
    case .propertyList: return DocumentVersion(value: try PropertyList.decode(bytes, place.path))
    case .bytes, .package: return DocumentVersion(content: bytes)
    }
  }

  private func demandKind(_ place: FilePlace) throws {
    guard let status = try place.facts() else { return }
    switch (FileKind(mode: status.st_mode), shape == .package) {
    case (.folder, true), (.file, false): return
    case (.file, true):
      throw BridgeError(.notDirectory, "can't open '\(place.path.shown)' as a package: it is a file")
    case (.folder, false): throw FileFailure.from(EISDIR, "open", place.path)
    case (.link, _):
      throw BridgeError(
        .invalidParameter, "can't open '\(place.path.shown)': it is a link; open what it leads to")
    case (.other, _): throw FileFailure.from(ENXIO, "open", place.path)
    }
  }

  // MARK: - Writing

  /// Throws for an encoding that the system does not know: better now than when there is something to save.
  func check(_ path: FilePath) throws {
    if shape == .text { _ = try TextCoding.encode("", encoding, path) }
  }

  /// Puts a content into a place, if what stands there is accepted. Answers the identity of what was put
  /// there, not of what may stand there by now.
  ///
  /// - Parameter old: where the unchanged members of a package are; nil when the script brings all of them.
  func put(
    _ options: SaveOptions, in place: FilePlace, membersFrom old: FilePlace? = nil,
    _ accepts: @escaping (String?) -> Bool
  ) throws -> String {
    if shape == .package {
      return try PackageFolder.save(options.members ?? [], from: old, to: place, staging, accepts)
    }
    let replacement = try Replacement(place, WriteRules(accepts: accepts), staging)
    try encoded(options, place.path).withUnsafeBytes { try replacement.append($0) }
    try replacement.commit()
    return FileMetadata.identity(try replacement.file.facts())
  }

  private func encoded(_ options: SaveOptions, _ path: FilePath) throws -> Bytes {
    switch shape {
    case .text: try TextCoding.encode(options.text ?? "", encoding, path)
    case .propertyList: try PropertyList.encode(options.value ?? .null, binary: options.binary ?? false, path)
    case .bytes, .package: options.content ?? Bytes([])
    }
  }
}
