// SPDX-License-Identifier: MIT

/// A call or watch that is open: what the ledger knows of it.
public struct OpenCall: Sendable, CustomStringConvertible {
  /// Tells a program's open calls apart, also from calls that were open before.
  public let id: String
  /// `service.action`.
  public let name: String
  /// Whether it is a watch.
  public let isWatch: Bool
  /// Where the script made it, as `sample.js:3:5`; nil when the engine gave no frame.
  public let site: String?
  /// The service of the plugin that made it; nil for a script's.
  public let caller: String?
  /// How long it has been open, in milliseconds.
  public let milliseconds: Int

  package init(id: String, name: String, isWatch: Bool, site: String?, caller: String?, milliseconds: Int) {
    (self.id, self.name, self.isWatch) = (id, name, isWatch)
    (self.site, self.caller, self.milliseconds) = (site, caller, milliseconds)
  }

  /// `preference.watch (watch), open for 12 ms, made at sample.js:3:5`.
  public var description: String {
    let place =
      (site ?? caller.map { "the plugin '\($0)'" }).map {
        site == nil ? ", made by \($0)" : ", made at \($0)"
      } ?? ""
    return "\(name) (\(isWatch ? "watch" : "call")), open for \(milliseconds) ms\(place)"
  }
}
