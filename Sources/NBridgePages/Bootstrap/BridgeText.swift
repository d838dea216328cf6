// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgePage

/// The script by which a page gets `nbridge`: the bridge as it is, its parts, the facades, and a host that
/// plays the native side (`js/remote.js`). A file, so that a page needs no `eval`.
struct BridgeText {
  private let start: String

  /// - Parameter tests: what the page runs; nil where it is a page as any.
  init(_ catalog: PageCatalog, tests: PageTests?) {
    let parts = BridgeParts.all.map { "\"\($0.name)\": \($0.text)" }.joined(separator: ",\n")
    start = """
      \(String(decoding: PackageResources.remote_js, as: UTF8.self))({
      window: globalThis,
      relay: \(String(decoding: PackageResources.relay_js, as: UTF8.self)),
      intrinsics: (\(BridgeParts.intrinsics))(),
      parts: { __proto__: null, \(parts) },
      facades: { __proto__: null, \(catalog.facades) },
      catalog: \(catalog.json),
      tests: \(tests?.script ?? "undefined"),
      bridge() {
      \(String(decoding: NBridgePage.script, as: UTF8.self))
      },
      ticket:
      """
  }

  /// For one page: its ticket lets it open a session.
  func text(ticket: String) -> String { "\(start) \"\(ticket)\",\n});\n" }
}
