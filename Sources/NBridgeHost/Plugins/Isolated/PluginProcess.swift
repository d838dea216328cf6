// SPDX-License-Identifier: MIT

package import NBridgeIsolation
package import NBridgeSystem

/// What runs an isolated plugin: a process, or in tests a thread with the same channel.
package protocol PluginProcess: AnyObject, Sendable {
  var channel: Channel { get }
  /// What it was granted; nil for what is not confined.
  var access: Set<PluginAccess>? { get }
  /// What it writes to stdout and stderr comes out here; nil where that is the program's own.
  var streams: (output: Descriptor, errors: Descriptor)? { get }
  /// Readable once it has ended; nil for what ends with its channel.
  var ended: Descriptor? { get }
  /// Begins. Messages may lie in the channel already.
  func launch() throws
  func signal(_ number: Int32)
  /// Its end, once it has ended.
  func reap(waiting: Bool) -> GroupedChild.Ending?
}
