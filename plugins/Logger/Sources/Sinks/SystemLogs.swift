// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A socket of the system's that takes a datagram for each record.
final class SystemLogSocket: @unchecked Sendable {
  // Sendable because a sink's thread alone uses it.
  private var file: Descriptor?
  private var sent = (chunk: -1, count: 0)
  private let path: String

  init(_ path: String) { self.path = path }

  /// Sends a chunk's datagrams; when the chunk is tried again, only the ones that did not go.
  func send(_ datagrams: [[UInt8]], of chunk: LogChunk) throws {
    if sent.chunk != chunk.first { sent = (chunk.first, 0) }
    for datagram in datagrams.dropFirst(sent.count) {
      try send(datagram)
      sent.count += 1
    }
    sent = (-1, 0)
  }

  /// - Throws: `unavailable` when no process listens there.
  private func send(_ datagram: [UInt8]) throws {
    let file = try file ?? connect()
    while Glibc.send(file.number, datagram, datagram.count, Int32(MSG_NOSIGNAL)) < 0 {
      switch errno {
      case EINTR: continue
      case EMSGSIZE where datagram.count > 4096:
        return try send(Array(datagram.prefix(datagram.count / 2)))
      case let error:
        self.file = nil
        throw BridgeError(.unavailable, "'\(path)' takes no records: \(SystemError.reason(of: error))")
      }
    }
  }

  private func connect() throws -> Descriptor {
    let folder = path.lastSlash.map { String(path[..<$0]) } ?? "."
    let name = path.pathNames.last.map(String.init) ?? path
    do {
      let made = try UnixSocket.make(.datagram)
      try UnixSocket.connect(made, name, in: folder)
      file = made
      return made
    } catch {
      throw BridgeError(.unavailable, "'\(path)' is not there: \(error.reason)")
    }
  }

  /// As many whole characters of a text as so many bytes hold.
  static func cut(_ text: String, to most: Int) -> [UInt8] {
    var bytes = Array(text.utf8.prefix(most + 1))
    guard bytes.count > most else { return bytes }
    // The bytes that continue a character (RFC 3629, 3) go, and the byte that it began with.
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    return bytes
  }

  /// As syslog numbers them (RFC 5424, 6.2.1).
  static func severity(_ level: LogLevel) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}

/// systemd's journal (systemd.io/JOURNAL_NATIVE_PROTOCOL).
final class JournalDestination: LogDestination {
  static let path = "/run/systemd/journal/socket"
  let kind = "journal"
  private let socket: SystemLogSocket
  private let identifier: String

  init(_ identifier: String, path: String = JournalDestination.path) {
    (self.identifier, socket) = (identifier, SystemLogSocket(path))
  }

  func write(_ chunk: LogChunk, _ level: LogLevel) throws {
    var datagrams: [[UInt8]] = []
    chunk.forEach(atLeast: level) { level, line in datagrams.append(datagram(level, RecordView(line))) }
    try socket.send(datagrams, of: chunk)
  }

  func sync() {}

  private func datagram(_ level: LogLevel, _ record: RecordView) -> [UInt8] {
    var bytes: [UInt8] = []
    // First, and cut: a datagram that is too long loses its end.
    Self.append(
      "MESSAGE", String(decoding: SystemLogSocket.cut(record.message, to: 48 << 10), as: UTF8.self),
      to: &bytes)
    Self.append("PRIORITY", "\(SystemLogSocket.severity(level))", to: &bytes)
    Self.append("SYSLOG_IDENTIFIER", identifier, to: &bytes)
    Self.append("NBRIDGE_SERVICE", record.service, to: &bytes)
    let place = record.place.split(separator: ":")
    if place.count == 2 {
      Self.append("CODE_FILE", String(place[0]), to: &bytes)
      Self.append("CODE_LINE", String(place[1]), to: &bytes)
    }
    if !record.function.isEmpty { Self.append("CODE_FUNC", record.function, to: &bytes) }
    for (name, value) in record.fields {
      let plain = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
      Self.append("NBRIDGE_" + String(plain.prefix(50)), RecordView.plain(value), to: &bytes)
    }
    return bytes
  }

  private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    bytes += Array(name.utf8)
    if value.utf8.contains(0x0A) {
      bytes.append(0x0A)
      withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += Array($0) }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += Array(value.utf8) + [0x0A]
  }
}

/// syslog's socket (RFC 3164 as the C library writes it).
final class SyslogDestination: LogDestination {
  static let path = "/dev/log"
  let kind = "syslog"
  private let socket: SystemLogSocket
  private let identifier: String
  /// Programs of a user (RFC 5424, 6.2.1).
  private static let facility = 1

  init(_ identifier: String, path: String = SyslogDestination.path) {
    (self.identifier, socket) = (identifier, SystemLogSocket(path))
  }

  func write(_ chunk: LogChunk, _ level: LogLevel) throws {
    var datagrams: [[UInt8]] = []
    chunk.forEach(atLeast: level) { level, line in
      let record = RecordView(line)
      var text =
        "<\(Self.facility * 8 + SystemLogSocket.severity(level))>\(Self.now) \(identifier)[\(getpid())]: "
      text += VisibleText.of(record.message)
      for (name, value) in record.fields { text += " \(VisibleText.of(name))=\(VisibleText.of(value))" }
      datagrams.append(SystemLogSocket.cut(text, to: 8192))
    }
    try socket.send(datagrams, of: chunk)
  }

  func sync() {}

  /// As RFC 3164, 4.1.2 wants it: local time, English names of months.
  private static var now: String {
    var (seconds, parts) = (time(nil), tm())
    localtime_r(&seconds, &parts)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let pad = { (value: Int32, filler: String) in value < 10 ? "\(filler)\(value)" : "\(value)" }
    return "\(months[Int(parts.tm_mon)]) \(pad(parts.tm_mday, " ")) "
      + [parts.tm_hour, parts.tm_min, parts.tm_sec].map { pad($0, "0") }.joined(separator: ":")
  }
}
