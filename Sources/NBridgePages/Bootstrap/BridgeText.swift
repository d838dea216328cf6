// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgePage

/// The script by which a page gets `nbridge`: the bridge as it is, its parts, the facades, and a host that
/// plays the native side (`js/remote.js`). A file, so that a page needs no `eval`.
struct BridgeText {
  private let start: String

  /// - Parameters:
  ///   - tests: what the page runs; nil where it is a page as any.
  ///   - isAsked: whether it runs what a person enters at the program's prompt.
  init(_ catalog: PageCatalog, tests: PageTests?, isAsked: Bool) {
    let parts = BridgeParts.all.map { "\"\($0.name)\": \($0.text)" }.joined(separator: ",\n")
    start = """
      \(String(decoding: PackageResources.remote_js, as: UTF8.self))({
      window: globalThis,
      pipe: \(String(decoding: PackageResources.pipe_js, as: UTF8.self)),
      relay: \(String(decoding: PackageResources.relay_js, as: UTF8.self)),
      intrinsics: (\(BridgeParts.intrinsics))(),
      parts: { __proto__: null, \(parts) },
      facades: { __proto__: null, \(catalog.facades) },
      catalog: \(catalog.json),
      tests: \(tests?.script ?? "undefined"),
      attached: \(isAsked ? PageAnswers.script : "undefined"),
      bridge() {
      \(String(decoding: NBridgePage.script, as: UTF8.self))
      },
      ticket:
      """
  }

  /// For one page: its ticket lets it open a session.
  func text(ticket: String) -> String { "\(start) \"\(ticket)\",\n});\n" }
}
