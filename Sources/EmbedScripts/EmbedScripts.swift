// SPDX-License-Identifier: MIT

import Foundation
import PackagePlugin

/// Puts a module's JavaScript into the program as texts, `Scripts.fetch_js` for `…/js/fetch.js`. (SwiftPM's
/// own `embedInCode` writes lists of numbers, which take the compiler a minute and a half for a megabyte.)
@main struct EmbedScripts: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target.sourceModule else { return [] }
    let scripts = Self.scripts(below: target.directoryURL)
    let writer = context.package.directoryURL.appending(path: "Sources/EmbedScripts/embed.sh")
    let output = context.pluginWorkDirectoryURL.appending(path: "Scripts.swift")
    return [
      .buildCommand(
        displayName: "Embedding the scripts of \(target.name)", executable: URL(filePath: "/bin/sh"),
        arguments: [writer.path(), output.path()] + scripts.map { $0.path() },
        inputFiles: [writer] + scripts, outputFiles: [output])
    ]
  }

  /// In the order of their names, so that the same scripts make the same text.
  private static func scripts(below folder: URL) -> [URL] {
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let files = found?.compactMap { $0 as? URL } ?? []
    return files.filter { $0.pathExtension == "js" }.sorted { $0.path() < $1.path() }
  }
}
