// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge

/// The lines of stdin, waited for in the session's loop: timers, watches and output go on meanwhile.
final class InputLines {
  private let session: InteractiveSession
  private var bytes: [UInt8] = []
  /// Up to where no line end is.
  private var searched = 0
  private var isReadable = false
  private var hasEnded = false

  init(_ session: InteractiveSession) { self.session = session }

  /// The next line with its end; nil when there is no more, or the program has ended.
  func next() -> String? {
    while true {
      if let end = bytes[searched...].firstIndex(of: 0x0A) { return take(end + 1) }
      searched = bytes.count
      if hasEnded { return bytes.isEmpty ? nil : take(bytes.count) }
      guard waitUntilReadable() else { return nil }
      read()
    }
  }

  /// Whether the line behind an entry, as far as it has come already, can only go on with it: `.map(…)`,
  /// `else`. A program that writes one statement at a time gets each answer at once.
  func continues(_ entry: String) -> Bool {
    readWhatIsThere()
    let next = String(decoding: bytes.prefix(256).prefix { $0 != 0x0A }, as: UTF8.self).trimmed
    let isMember =
      next.hasPrefix(".") && next.dropFirst().first.map { $0.isLetter || $0 == "_" || $0 == "#" } == true
    if isMember || next.hasPrefix("?.") {
      return !DotCommand.isOne(next) || next.contains("(") || next.contains("=")
    }
    let word = next.prefix { $0.isLetter }
    return ["else", "catch", "finally"].contains(word)
      && session.isComplete(
        entry + next.prefix(word.count) + (word == "catch" ? "{}" : word == "else" ? " 0" : "{}"))
  }

  private func readWhatIsThere() {
    var poller = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while !hasEnded, !bytes.contains(0x0A), poll(&poller, 1, 0) > 0 { read() }
  }

  private func take(_ count: Int) -> String {
    defer {
      bytes.removeFirst(count)
      searched = 0
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private func waitUntilReadable() -> Bool {
    isReadable = false
    let condition = GIOCondition(rawValue: G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
    let source = g_unix_fd_source_new(STDIN_FILENO, condition)
    let ready: @convention(c) (Int32, GIOCondition, gpointer?) -> gboolean = { _, _, argument in
      guard let argument else { return 0 }
      Unmanaged<InputLines>.fromOpaque(argument).takeUnretainedValue().isReadable = true
      return 0
    }
    // Not retained: the source ends before this function does. GLib calls it with these three arguments.
    g_source_set_callback(
      source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passUnretained(self).toOpaque(), nil)
    g_source_attach(source, session.mainContext)
    defer {
      g_source_destroy(source)
      g_source_unref(source)
    }
    while !isReadable {
      session.turn()
      if session.hasEnded { return false }
    }
    return true
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
      let count = Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 || errno != EINTR && errno != EAGAIN {
        hasEnded = true
      }
    }
  }
}
