// SPDX-License-Identifier: MIT

/// A profile as a person reads it in a terminal: the functions that ran longest.
package struct ProfileTable {
  private let profile: ScriptProfile
  private let file: String

  /// - Parameter file: where the profile was written.
  package init(_ profile: ScriptProfile, file: String) { (self.profile, self.file) = (profile, file) }

  /// The text, with its line end.
  package var text: String {
    let count = profile.count
    var text =
      profile.isCut ? "nbridge: the profile is cut: a stack was too deep, or could not be read\n" : ""
    guard count > 0 else {
      return text + "nbridge: nothing was seen at work: \(file) has no functions\n"
    }
    text += "nbridge: \(count) samples, about one in 5 ms, in \(file)\n    itself     total  function\n"
    for (function, own, total) in profile.longest(10) {
      text +=
        Self.padded(FlameGraph.percent(own, of: count)) + Self.padded(FlameGraph.percent(total, of: count))
      text += "  \(profile.label(function))\n"
    }
    return text
  }

  private static func padded(_ text: String) -> String {
    String(repeating: " ", count: max(0, 10 - text.count)) + text
  }
}
