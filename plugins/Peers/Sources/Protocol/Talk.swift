// SPDX-License-Identifier: MIT

/// All that goes from one member to another and back, whatever way it takes.
struct Talk: Sendable {
  /// Counts how often this side began anew. 64 bits: no peer makes it count to their end.
  var epoch: UInt64 = 1
  var sends: [UInt32: SendPipe] = [:]
  var receives: [UInt32: ReceivePipe] = [:]
  /// The latest beginning of the other side.
  var theirEpoch: UInt64 = 0
  /// The number of the next message that may get lost.
  var nextOnce: UInt64 = 0
  /// Channels of the other side that are over, and whether all of them came.
  private(set) var over: [UInt32: Bool] = [:]
  /// All that are numbered below are over, too, unless they are open.
  private(set) var overBelow: UInt32 = 0
  /// How long an acknowledgement takes, smoothed (RFC 6298).
  var roundTrip: Microseconds = 200_000
  /// Since when the peer can't be reached.
  var lostAt: Microseconds?

  /// A channel of the other side is over.
  mutating func end(_ channel: UInt32, isWhole: Bool) {
    over[channel] = isWhole
    // Channels are numbered upwards: the lowest were over long ago. They stay over: an attacker that recorded
    // one can't open it again.
    guard over.count > 1024, let oldest = over.keys.min() else { return }
    over[oldest] = nil
    overBelow = max(overBelow, oldest + 1)
  }

  /// Whether a channel that is not open is over, and if it is, whether all of it came, as far as that is
  /// known.
  func ended(_ channel: UInt32) -> Bool? {
    over[channel] ?? (channel != 0 && channel < overBelow ? false : nil)
  }

  /// The other side began anew: it counts from the beginning.
  mutating func beginAnew(_ epoch: UInt64) {
    theirEpoch = epoch
    (receives, over, overBelow) = ([:], [:], 0)
  }

  var isWaiting: Bool { sends.values.contains { !$0.isEmpty } }

  mutating func note(roundTrip sample: Microseconds) { roundTrip += (sample - roundTrip) / 8 }
}
