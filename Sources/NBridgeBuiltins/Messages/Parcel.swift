// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// A native object that an object of a script's stands for, and that engines may have together: what is
/// secret of a key.
package protocol ParcelThing: AnyObject, Sendable {
  /// What the other engine gets: whoever lets go of the one keeps the other.
  var shared: any ParcelThing { get }
}

extension ParcelThing {
  /// What the other engine's scripts know it by.
  func box(in context: JSContext) -> JSValue { context.makeBox(self) }
}

/// A message on its way from one engine to another: a text that `wire.js` writes and reads, the bytes that it
/// has beside it, the ports that go with it, and native objects.
struct Parcel: Sendable {
  /// UTF-8.
  var text: [UInt8] = []
  var blocks: [Bytes] = []
  var ports: [PortTicket] = []
  var things: [any ParcelThing] = []
  /// Whether more than one engine gets it: then each has bytes of its own.
  var isForMany = false
}
