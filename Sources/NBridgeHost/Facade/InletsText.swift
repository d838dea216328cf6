// SPDX-License-Identifier: MIT

package import NBridgePlugin

extension Declaration {
  /// The options that are streams or functions, as JSON: `{"rows":"stream"}`. What hears of progress has the
  /// name that no option has.
  package var inletsText: String? {
    guard var kinds = try? options.schema().inlets else { return nil }
    if !progress.isNone { kinds[""] = .listener }
    let members = kinds.sorted { $0.key < $1.key }.map {
      "\($0.key.quotedForScript):\"\($0.value.rawValue)\""
    }
    return "{\(members.joined(separator: ","))}"
  }
}
