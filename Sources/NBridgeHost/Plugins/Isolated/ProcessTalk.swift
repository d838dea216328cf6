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

  /// What it prints meanwhile must not fill its pipe for ever.
  private static let interval = 50

  /// Takes messages until `take` answers that it has heard enough; any thread.
  ///
  /// - Parameter meanwhile: called again and again.
  static func listen(
    to process: any PluginProcess, _ reader: FrameReader, milliseconds: Int, meanwhile: () -> Void = {},
    _ take: (Frame) throws -> Bool
  ) throws -> End {
    let end = MonotonicTime.milliseconds + milliseconds
    while MonotonicTime.milliseconds < end {
      let left = Int32(clamping: min(interval, end - MonotonicTime.milliseconds))
      let hasCome = process.channel.wait(milliseconds: left)
      meanwhile()
      guard hasCome else { continue }
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
