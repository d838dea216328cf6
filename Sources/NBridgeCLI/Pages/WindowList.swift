// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The windows of a program: their numbers, the pages that they show, and whether anybody can see one.
struct WindowList {
  private struct Shown {
    /// Its path in the app's folder.
    let page: String
    var isHidden = false
  }

  /// So many has a program at the most: each has a process of its own.
  static let most = 32

  private var windows: [Int: Shown]
  private var last: Int

  /// The one that a program begins with.
  init(_ number: Int, showing page: String) {
    windows = [number: Shown(page: page)]
    last = number
  }

  /// Whether no window can be seen.
  var isHidden: Bool { !windows.isEmpty && windows.values.allSatisfy(\.isHidden) }

  func isShowing(_ page: String) -> Bool { windows.values.contains { $0.page == page } }

  /// Another window. Answers its number, which none had before.
  ///
  /// - Throws: `unavailable` for one too many.
  mutating func open(_ page: String) throws -> Int {
    guard windows.count < Self.most else {
      throw BridgeError(
        .unavailable, "\(Self.most) windows are open, and there can be no more: close one of them")
    }
    last += 1
    windows[last] = Shown(page: page)
    return last
  }

  /// A window has gone. Answers the page that it showed.
  mutating func close(_ number: Int) -> String? { windows.removeValue(forKey: number)?.page }

  mutating func note(_ number: Int, isHidden: Bool) { windows[number]?.isHidden = isHidden }
}
