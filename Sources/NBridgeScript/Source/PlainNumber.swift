// SPDX-License-Identifier: MIT

extension Double {
  /// Without a fraction when there is none.
  package var formatted: String { self == rounded() && magnitude < 1e15 ? "\(Int(self))" : "\(self)" }
}
