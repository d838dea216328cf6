// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A message on its way from one engine to another: a text that `wire.js` writes and reads, the bytes that it
/// has beside it, and the ports that go with it.
struct Parcel: Sendable {
  /// UTF-8.
  var text: [UInt8] = []
  var blocks: [Bytes] = []
  var ports: [PortTicket] = []
  /// Whether more than one engine gets it: then each has bytes of its own.
  var isForMany = false
}
