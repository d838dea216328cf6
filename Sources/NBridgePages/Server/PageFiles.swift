// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// The files of a page's folder, and nothing outside of it: the kernel resolves each path there
/// (`openat2`). Names that begin with a dot are nobody's.
struct PageFiles {
  private let folder: Descriptor

  /// What is larger is no page, or no file of a page over TLS, in bytes.
  private static let largest = 512 << 20
  /// From here on a file is sent as the kernel has it.
  private static let mapped = 256 << 10

  /// - Throws: `SystemError` for what is no folder.
  init(_ path: String) throws(SystemError) {
    folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
  }

  enum Content {
    case bytes([UInt8])
    case mapped(MappedFile)
  }

  struct Found {
    let content: Content
    let type: String
  }

  enum Problem: Error { case missing, unreadable }

  /// Whether a file is there.
  func has(_ path: String) -> Bool { (try? open(path)) != nil }

  /// Finds the file of a URL's path, which begins with a slash and is decoded already.
  ///
  /// - Parameter isEncrypted: whether this process reads what it sends.
  func find(_ path: String, isEncrypted: Bool) throws(Problem) -> Found {
    let (file, size, name) = try open(path)
    let type = ContentType.of(name)
    if !isEncrypted, size >= Self.mapped, type != ContentType.html, let mapped = MappedFile(file) {
      return Found(content: .mapped(mapped), type: type)
    }
    let bytes: [UInt8]?
    do { bytes = try file.readToEnd(atMost: Self.largest) } catch { throw Self.problem(error) }
    guard let bytes else { throw .unreadable }
    return Found(content: .bytes(bytes), type: ContentType.of(name, bytes))
  }

  private func open(_ path: String) throws(Problem) -> (file: Descriptor, size: Int, name: String) {
    var path = String(path.drop { $0 == "/" })
    if path.isEmpty || path.hasSuffix("/") { path += "index.html" }
    // What the app may do is no part of the page.
    if path == "app.json" { throw .missing }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }), !path.utf8.contains(0) else {
      throw .missing
    }
    let file: Descriptor
    do {
      // A pipe would keep the program waiting.
      file = try Descriptor.open(Array(path.utf8), beneath: folder.number, O_RDONLY | O_NONBLOCK)
    } catch { throw Self.problem(error) }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .missing }
    return (file, Int(status.st_size), path)
  }

  private static func problem(_ error: SystemError) -> Problem {
    [EACCES, EPERM, EIO].contains(error.code) ? .unreadable : .missing
  }
}

/// What browsers are told of a file.
enum ContentType {
  /// By the name's ending.
  static func of(_ path: String) -> String {
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return types[ending] ?? "application/octet-stream"
  }

  static func of(_ path: String, _ bytes: [UInt8]) -> String {
    let type = of(path)
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
