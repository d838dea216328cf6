// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// The files of a page's folder, and nothing outside of it: the kernel resolves each path there
/// (`openat2`). Names that begin with a dot are nobody's.
struct PageFiles {
  private let folder: Descriptor

  /// What is larger is no part of a page, in bytes.
  private static let largest = 512 << 20

  /// - Throws: `SystemError` for what is no folder.
  init(_ path: String) throws(SystemError) {
    folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
  }

  struct Found {
    let bytes: [UInt8]
    let type: String
  }

  enum Problem: Error { case missing, unreadable }

  /// Whether a file is there.
  func has(_ path: String) -> Bool { (try? find(path)) != nil }

  /// Finds the file of a URL's path, which begins with a slash and is decoded already.
  func find(_ path: String) throws(Problem) -> Found {
    var path = String(path.drop { $0 == "/" })
    if path.isEmpty || path.hasSuffix("/") { path += "index.html" }
    // What the app may do is no part of the page.
    if path == "app.json" { throw .missing }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }), !path.utf8.contains(0) else {
      throw .missing
    }
    do {
      // A pipe would keep the program waiting.
      let file = try Descriptor.open(Array(path.utf8), beneath: folder.number, O_RDONLY | O_NONBLOCK)
      var status = stat()
      guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw Problem.missing
      }
      guard let bytes = try file.readToEnd(atMost: Self.largest) else { throw Problem.unreadable }
      return Found(bytes: bytes, type: ContentType.of(path, bytes))
    } catch let error as SystemError {
      throw [EACCES, EPERM, EIO].contains(error.code) ? .unreadable : .missing
    } catch { throw .missing }
  }
}

/// What browsers are told of a file.
enum ContentType {
  static func of(_ path: String, _ bytes: [UInt8]) -> String {
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    let type = types[ending] ?? "application/octet-stream"
    return type == html && saysItsCharset(bytes) ? "text/html" : type
  }

  /// A page that names its own, or begins with the mark of UTF-16, knows better (HTML, 13.2.3.2).
  private static func saysItsCharset(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return true }
    return String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased().contains("charset=")
  }

  static func isPage(_ type: String) -> Bool { type == html || type == "text/html" }

  private static let types = [
    "html": html, "htm": html, "js": script, "mjs": script, "css": "text/css; charset=utf-8",
    "json": "application/json", "map": "application/json", "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8", "md": "text/plain; charset=utf-8", "xml": "text/xml",
    "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
    "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "ico": "image/x-icon",
    "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    "wasm": "application/wasm", "pdf": "application/pdf", "csv": "text/csv; charset=utf-8",
    "mp3": "audio/mpeg", "ogg": "audio/ogg", "wav": "audio/wav", "mp4": "video/mp4", "webm": "video/webm",
  ]

  static let html = "text/html; charset=utf-8"
  static let script = "text/javascript; charset=utf-8"
}
