// SPDX-License-Identifier: MIT

/// An object of a plugin that a script did not close: it is held still, or was collected.
struct OpenHandle: CustomStringConvertible {
  /// `service.type`.
  let type: String
  /// Where the script got it, as `sample.js:3:5`; nil when the engine gave no frame.
  let site: String?
  /// How many of the type were collected; 0 for one that is held.
  let collected: Int

  /// `sqlite.database (object), never closed, made at sample.js:3:5`.
  var description: String {
    if collected > 0 { return "\(type) (object), \(collected) collected before they were closed" }
    return "\(type) (object), never closed" + (site.map { ", made at \($0)" } ?? "")
  }
}
