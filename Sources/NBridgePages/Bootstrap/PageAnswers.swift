// SPDX-License-Identifier: MIT

internal import NBridge

/// What answers in a page when its program asks it to run something: in no page but those of a program that
/// asks (``PageTabs``).
enum PageAnswers {
  /// A function of the page's host, which `js/remote.js` calls once it is there.
  static var script: String {
    """
    (page) => \(String(decoding: PackageResources.attached_js, as: UTF8.self))(globalThis, {
    libraries: \(PageLibraries.loader), modules: \(PageLibraries.script(of: "repl", "language")) }, page)
    """
  }
}

extension PageLibraries {
  /// What loads libraries in a page: `js/libraries.js`.
  static var loader: String { String(decoding: PackageResources.libraries_js, as: UTF8.self) }
}
