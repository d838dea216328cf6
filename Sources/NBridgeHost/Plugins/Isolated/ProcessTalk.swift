// SPDX-License-Identifier: MIT

internal import NBridgeIsolation
internal import NBridgePlugin
internal import NBridgeSystem

/// Listens to a plugin's process where no loop does: while it starts, stops or describes itself.
enum ProcessTalk {
  /// How listening ended.
  enum End {
    /// With the message that was waited for.
    case heard
    /// The other side has closed the channel.
    case gone
    case late
  }

  /// Takes messages until `take` answers that it has heard enough; any thread.
  static func listen(
    to process: any PluginProcess, _ reader: FrameReader, milliseconds: Int, _ take: (Frame) throws -> Bool
  ) throws -> End {
    let end = MonotonicTime.milliseconds + milliseconds
    while MonotonicTime.milliseconds < end {
      let left = Int32(clamping: end - MonotonicTime.milliseconds)
      guard process.channel.wait(milliseconds: left) else { continue }
      let look = reader.look(at: process.channel.socket.number)
      while let frame = try reader.nextMessage() { if try take(frame) { return .heard } }
      if look != .empty, look != .more { return .gone }
    }
    return .late
  }
}

extension FrameReader {
  /// The next message that is there as a whole. Throws a sentence about what the plugin sent.
  func nextMessage() throws(BridgeError) -> Frame? {
    do throws(FrameError) { return try next() } catch {
      switch error {
      case .tooLarge(let size):
        throw BridgeError(.tooLarge, "a message of \(size) bytes, and one may have \(FrameHead.largest)")
      case .noMessage: throw BridgeError(.unknownError, "what is no message")
      }
    }
  }
}

extension Frame {
  /// The failure that it holds.
  var failure: BridgeError { BridgeError(foreign: text) }
}

/// What a plugin's process writes to stderr: shown, and its end kept. Confined to one thread at a time.
final class ErrorPipe {
  private let pipe: Descriptor
  private let show: @Sendable ([UInt8]) -> Void
  private var end: [UInt8] = []

  private static let most = 4096
  /// So much of it at a time: the script has its turns.
  private static let atOnce = 16 << 10

  init(_ pipe: Descriptor, _ show: @escaping @Sendable ([UInt8]) -> Void) {
    (self.pipe, self.show) = (pipe, show)
  }

  /// Takes what is there. Answers whether there may be more some time.
  func read(isLast: Bool = false) -> Bool {
    var left = isLast ? 1 << 20 : Self.atOnce
    while left > 0, let bytes = try? pipe.read(atMost: min(left, 4096)) {
      if bytes.isEmpty { return false }
      left -= bytes.count
      show(bytes)
      end += bytes
      if end.count > Self.most { end.removeFirst(end.count - Self.most) }
    }
    return true
  }

  /// The last 20 lines.
  var lastLines: String {
    String(decoding: end, as: UTF8.self).split(separator: "\n").suffix(20).joined(separator: "\n")
  }
}
