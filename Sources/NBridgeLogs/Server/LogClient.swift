// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import LoggerPlugin
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// One connection. Used by the server's thread.
final class LogClient {
  private let file: Int32
  private let isLocal: Bool
  private var intake = LogIntake()
  private var name: String?
  private var hasEnded = false
  private(set) var mustAnswer = false
  private static let piece = 256 << 10
  private static let longestName = 256

  init(_ file: Int32, isLocal: Bool) { (self.file, self.isLocal) = (file, isLocal) }
  deinit { if file >= 0 { close(file) } }

  /// How much it holds of a line that has no end yet, in bytes.
  var held: Int { intake.held }

  /// Ends that line.
  func cut(_ archive: LogArchive) {
    intake.cut { event, line in handle(event, line, archive) }
  }

  /// Whether it is a program that greeted.
  var isKnown: Bool { name != nil }

  /// Reads once; false when it is over.
  func read(_ archive: LogArchive) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 16) { buffer in
      let count = recv(file, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN || errno == EINTR { return true }
      guard count > 0 else {
        finish(archive)
        return false
      }
      take(
        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer.bindMemory(to: UInt8.self))[..<count]),
        archive)
      return true
    }
  }

  func take(_ bytes: UnsafeBufferPointer<UInt8>, _ archive: LogArchive) {
    var intake = self.intake
    self.intake = LogIntake()
    intake.take(bytes) { event, line in handle(event, line, archive) }
    self.intake = intake
  }

  func finish(_ archive: LogArchive) {
    intake.finish { event, line in handle(event, line, archive) }
    guard let name else { return }
    if !hasEnded { noteLoss(archive) }
    archive.leave(name)
  }

  private func handle(_ event: LogIntake.Event, _ line: UnsafeBufferPointer<UInt8>, _ archive: LogArchive) {
    switch event {
    case .hello(let hello):
      guard name == nil, hello.source.utf8.count <= Self.longestName, hello.app.utf8.count <= Self.longestName
      else {
        return
      }
      // A client that comes over TCP may be any program: it is not taken for one of this user's.
      let name = isLocal ? hello.source : "tcp:" + hello.source
      guard (try? archive.join(name, app: isLocal ? hello.app : "tcp:" + hello.app, pid: hello.pid)) != nil
      else { return }
      self.name = name
      mustAnswer = true
    case .record(let number, let rank):
      if let name { _ = archive.add(number, rank, line, of: name) }
    case .foreign(let rank, let json):
      guard let source = try? archive.source(isLocal ? "socket" : "tcp", app: "socket", pid: 0) else {
        return
      }
      json.withUnsafeBufferPointer { archive.add(source.id, rank, $0) }
    case .end: hasEnded = true
    case .lost: noteLoss(archive)
    }
  }

  /// The program was killed, or crashed.
  private func noteLoss(_ archive: LogArchive) {
    hasEnded = true
    guard let name, let source = try? archive.source(name, app: "", pid: 0) else { return }
    let text =
      "\(source.app) (process \(source.pid)) ended without a word: what it logged last may be missing"
    var json = Array(
      "{\"time\":\"\(WallTime.now())\",\"level\":\"notice\",\"service\":\"logs\",\"message\":".utf8)
    JSONText.append(text, to: &json)
    json.append(UInt8(ascii: "}"))
    json.withUnsafeBufferPointer { archive.add(source.id, LogLevel.notice.rank, $0) }
  }

  /// Says how far its records are kept.
  func confirm(_ archive: LogArchive) {
    mustAnswer = false
    guard let name, file >= 0 else { return }
    let line = ViewerWire.next(archive.next(of: name))
    _ = send(file, line, line.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
  }
}
