// SPDX-License-Identifier: MIT

/// Which pages of a program can be seen in browsers: an app is in the background when none can. One without
/// pages stays as it was.
struct PagePresence {
  /// By the numbers of their sessions.
  private var pages: [UInt32: Bool] = [:]
  private var isHidden = false

  /// A page is there, can be seen, or can't be seen any more. Answers what became of the app; nil for
  /// nothing new.
  mutating func note(_ page: UInt32, isSeen: Bool) -> Bool? {
    pages[page] = isSeen
    return look()
  }

  /// A page has gone.
  mutating func leave(_ page: UInt32) -> Bool? {
    pages.removeValue(forKey: page) == nil ? nil : look()
  }

  private mutating func look() -> Bool? {
    let isHiddenNow = pages.isEmpty ? isHidden : !pages.values.contains(true)
    guard isHiddenNow != isHidden else { return nil }
    isHidden = isHiddenNow
    return isHidden
  }
}
