// SPDX-License-Identifier: MIT

/// Takes the types off a piece of TypeScript, with esbuild. Nothing is checked or put together.
package enum TypeStripper {
  /// The JavaScript of `text`. Imports stay, used or not. Throws ``BundleError``.
  package static func strip(_ text: String) throws(BundleError) -> String {
    let answer = try transform(text)
    let errors = answer["errors"].array
    guard errors.isEmpty else {
      throw BundleError(errors.map { BundleError.Problem($0, DisplayPath(folder: "/")) })
    }
    guard
      let code = answer["code"].string ?? answer["code"].bytes.map({ String(decoding: $0, as: UTF8.self) })
    else {
      throw BundleError("esbuild gave no code")
    }
    return code
  }

  /// Whether `text` is the beginning of TypeScript, wrong only because it ends.
  package static func endsTooEarly(_ text: String) -> Bool {
    guard let answer = try? transform(text) else { return false }
    let errors = answer["errors"].array.compactMap { $0["text"].string }
    return !errors.isEmpty && errors.allSatisfy { $0.contains("end of file") }
  }

  private static func transform(_ text: String) throws(BundleError) -> EsbuildValue {
    let flags = [
      "--loader=ts", "--target=es2022", "--charset=utf8", "--log-level=silent", "--log-limit=0",
      #"""
      --tsconfig-raw={"compilerOptions":{"preserveValueImports":true,"importsNotUsedAsValues":"preserve"}}
      """#,
    ]
    let request: [String: EsbuildValue] = [
      "command": .string("transform"), "flags": .array(flags.map { .string($0) }), "inputFS": .bool(false),
      "input": .bytes(Array(text.utf8)),
    ]
    let esbuild = try EsbuildProcess.start()
    try esbuild.send(EsbuildPacket(id: 0, isRequest: true, value: .object(request)))
    return try esbuild.receive().value
  }
}
