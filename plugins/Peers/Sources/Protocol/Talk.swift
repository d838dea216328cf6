// SPDX-License-Identifier: MIT

/// All that goes from one member to another and back, whatever way it takes.
struct Talk: Sendable {
  /// Counts how often this side began anew. 64 bits: nobody makes it count to their end.
  var epoch: UInt64 = 1
  var sends: [UInt32: SendPipe] = [:]
  var receives: [UInt32: ReceivePipe] = [:]
  /// The latest beginning of the other side.
  var theirEpoch: UInt64 = 0
  /// The number of the next message that may get lost.
  var nextOnce: UInt64 = 0
  /// Which of the other side's came.
  var once = ReplayWindow()
  /// Channels of the other side that are over, and whether all of them came.
  var over: [UInt32: Bool] = [:]
  /// How long an acknowledgement takes, smoothed (RFC 6298).
  var roundTrip: Microseconds = 200_000
  /// Since when the peer can't be reached.
  var lostAt: Microseconds?

  var isWaiting: Bool { sends.values.contains { !$0.isEmpty } }

  mutating func note(roundTrip sample: Microseconds) { roundTrip += (sample - roundTrip) / 8 }
}
