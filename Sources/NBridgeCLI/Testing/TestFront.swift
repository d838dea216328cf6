// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Where a file of tests runs: in a program, or in a page.
enum TestFront: String, CaseIterable {
  case headless, window, serve

  /// Reads what stands behind `--in`.
  static func list(_ text: String) throws -> [TestFront] {
    var fronts: [TestFront] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let front = TestFront(rawValue: String(part)) else {
        let near = NearestName.of(String(part), among: allCases.map(\.rawValue))
        throw UsageError(
          "--in takes headless, window and serve, with commas between, not '\(part)'"
            + (near.map { "; did you mean '\($0)'?" } ?? ""))
      }
      if !fronts.contains(front) { fronts.append(front) }
    }
    return fronts
  }

  /// - Throws: ``UsageError`` where this machine has none, with what helps.
  func check() throws {
    switch self {
    case .headless: return
    case .window:
      let names = ["DISPLAY", "WAYLAND_DISPLAY"]
      guard names.contains(where: { (name: String) in getenv(name).map { $0.pointee != 0 } ?? false }) else {
        throw UsageError(
          "--in window needs a desktop, and there is none: DISPLAY and WAYLAND_DISPLAY are not set. One for "
            + "tests only: apt-get install xvfb xauth; xvfb-run -a nbridge test --in window")
      }
    case .serve: _ = try TestBrowser.program()
    }
  }
}

/// A file of tests, and where it runs.
struct TestTarget {
  let file: String
  /// Nil where nobody asked for one.
  let front: TestFront?

  /// What the report calls it.
  var name: String { front.map { "\(file) in \($0)" } ?? file }
  /// What its process is told.
  var options: [String] { front.map { ["--in", $0.rawValue] } ?? [] }

  /// Each file in each place, one behind the other.
  static func all(_ files: [String], _ fronts: [TestFront]?) -> [TestTarget] {
    guard let fronts else { return files.map { TestTarget(file: $0, front: nil) } }
    return files.flatMap { file in fronts.map { TestTarget(file: file, front: $0) } }
  }
}
