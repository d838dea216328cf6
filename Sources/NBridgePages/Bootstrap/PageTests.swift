// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost

/// A file of tests that a page runs, instead of showing anything.
package struct PageTests {
  /// Where the page lies that runs it.
  package static let page = ".nbridge/tests.html"
  static let markup = Array(
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Tests</title>\n</html>\n".utf8)

  private let file: String
  private let filter: String?
  private let maxFailures: Int?

  /// - Parameters:
  ///   - file: its path in the folder that is served.
  ///   - filter: runs only tests whose title holds this.
  ///   - maxFailures: ends the file after so many tests that failed; nil for never.
  package init(file: String, filter: String?, maxFailures: Int?) {
    (self.file, self.filter, self.maxFailures) = (file, filter, maxFailures)
  }

  private static let runner = String(decoding: PackageResources.testing_js, as: UTF8.self)

  /// A function of the page's host, which `js/remote.js` calls once it is there; undefined in pages that the
  /// tests open.
  var script: String {
    """
    location.pathname !== "/\(Self.page)" ? undefined : (page) => \(Self.runner)(globalThis, {
    file: \(file.quotedForScript), filter: \(filter?.quotedForScript ?? "undefined"),
    maxFailures: \(maxFailures.map { "\($0)" } ?? "undefined"),
    libraries: \(PageLibraries.loader), modules: \(PageLibraries.script(of: "test")) }, page)
    """
  }
}
