// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridge
import NBridgeTesting
import Testing

/// Files that a person names on the command line behind the script.
@Suite(.bothWays) struct ArgumentFileTests {
  /// Runs a script with the folder's files as they are, and words on its command line.
  func run(_ script: String, _ words: (String) -> [String]) async throws -> String {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try Data("one\ntwo\n".utf8).write(to: URL(fileURLWithPath: folder + "/data.txt"))
    try Data("secret".utf8).write(to: URL(fileURLWithPath: folder + "/other.txt"))
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/link", withDestinationPath: folder + "/data.txt")
    var harness = ScriptHarness(plugins: [DocumentsPlugin()])
    harness.container = folder + "/container"
    harness.options.arguments = words(folder)
    let head = """
      const d = nbridge.documents, [file] = nbridge.args, here = { directory: "arguments" };
      const tried = async (body) => {
        try { return await body() } catch (e) { return e.code + ": " + e.message }
      };

      """
    let result = await harness.run(head + script)
    return result.output + result.errors
  }

  @Test(arguments: ["data.txt", "link", "./data.txt", "container/../data.txt"])
  func aFileIsReadByItsWord(_ word: String) async throws {
    let output = try await run(
      """
      await d.write("x", "makes the container");
      console.log(JSON.stringify(await d.read(file, here)), (await d.stat(file, here)).size);
      for await (const line of d.lines(file, here)) console.log(line);
      console.log(await d.exists(file, here), (await d.readRange(file, 4, 3, here)).join());
      """
    ) { [$0 + "/" + word] }
    #expect(output == "\"one\\ntwo\\n\" 8\none\ntwo\ntrue 116,119,111\n")
  }

  @Test(arguments: ["other.txt", "", "data.txt ", "../data.txt", "data.txt\\0", "DATA.TXT"])
  func anotherWordIsNone(_ word: String) async throws {
    let output = try await run(
      "console.log(await tried(() => d.read(file.slice(0, -8) + '\(word)', here)))"
    ) { [$0 + "/data.txt"] }
    #expect(output.hasPrefix("permission_denied: can't read"), "\(output)")
    #expect(output.contains("not among the words behind the script"), "\(output)")
  }

  @Test(arguments: [
    "d.write(file, 'x', here)", "d.append(file, 'x', here)", "d.truncate(file, 0, here)",
    "d.remove(file, here)", "d.move(file, 'x', here)",
  ])
  func nothingIsWritten(_ call: String) async throws {
    let output = try await run(
      "console.log(await tried(() => \(call))); console.log(await d.read(file, here) === 'one\\ntwo\\n')"
    ) { [$0 + "/data.txt"] }
    #expect(output.hasPrefix("permission_denied: "), "\(output)")
    #expect(output.hasSuffix("\ntrue\n"), "\(output)")
  }

  @Test func whatNBridgeKeepsStaysClosed() async throws {
    let output = try await run(
      """
      await d.write("x", "y");
      console.log(await tried(() => d.read(file, here)));
      """
    ) { [$0 + "/container/Documents/x"] }
    #expect(output.hasPrefix("permission_denied: can't read"), "\(output)")
  }

  @Test func aFolderAndAPipeAreNoFiles() async throws {
    let output = try await run(
      "for (const word of nbridge.args) console.log((await tried(() => d.read(word, here))).split(':')[0])"
    ) { folder in
      mkfifo(folder + "/pipe", 0o600)
      return [folder, folder + "/pipe", folder + "/none"]
    }
    #expect(!output.contains("one") && output.split(separator: "\n").count == 3, "\(output)")
    #expect(output.hasSuffix("not_found\n"), "\(output)")
  }
}
