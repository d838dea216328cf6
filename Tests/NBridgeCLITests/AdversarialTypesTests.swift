// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// A plugin whose names and texts are as bad as they can be.
@Suite struct AdversarialTypesTests {
  /// Services whose interfaces would be named like those that all declarations stand on, or like each
  /// other's.
  static let plugins: [any Plugin] = [
    WorstPlugin(), NamedPlugin<ValueName>(), NamedPlugin<WatchName>(), NamedPlugin<HandleName>(),
    NamedPlugin<ErrorName>(), NamedPlugin<DefaultName>(), NamedPlugin<WorstVaultName>(),
  ]

  @Test func strictProgramsCompile() throws {
    let found = try problems(of: Self.program)
    #expect(found == "", "\(found)")
  }

  /// Else everything might be `any`.
  @Test func mistakesAreFound() throws {
    let mistakes = [
      "nbridge.worst.new({ class: 'none' });", "nbridge.worst.delete('a', 5);",
      "nbridge.worst.many({ limit: 'x' });", "nbridge.worst.many({ limit: 5, constructor: 3 });",
      "const page: NBridgeWorstPage = { size: 'x' };", "nbridge.value.then;",
      "(await nbridge.worst.open()).nothing;",
    ]
    let found = try problems(of: mistakes.joined(separator: "\n") + "\nexport {};\n")
    for (index, mistake) in mistakes.enumerated() {
      #expect(found.contains("program.ts(\(index + 1),"), "\(mistake): \(found)")
    }
  }

  private static let program = #"""
    const made = await nbridge.worst.new({ class: 'say "*/"' , "content-type": "x", "9": 1 });
    const page: NBridgeWorstPage = made.page;
    const other: NBridgeWorstPage2 = await nbridge.worst.many({ limit: 5 });
    await nbridge.worst.many({ limit: 5, constructor: "x", toString: 3 });
    const size: number | undefined = page.size, text: string = other.text;
    await nbridge.worst.delete("a", "b", "c", "d", "e");
    const vault: NBridgeWorstVaultObject = await nbridge.worst.open();
    const numbers: number[] = [await vault.delete(), await nbridge.value.get(), await nbridge.watch.get()];
    numbers.push(await nbridge.handle.get(), await nbridge.error.get(), await nbridge.default.get());
    numbers.push(await nbridge.worstVault.get());
    try { await nbridge.worst.delete("a", "b"); } catch (error) {
      const failure = error as NBridgeErrorOf<"worst.delete">;
      console.log(failure.code === "quote\"*/", size, text);
    }
    export {};

    """#

  private func problems(of script: String) throws -> String {
    let runner = try CommandRunner()
    defer { runner.remove() }
    guard try runner.shell("command -v tsc").status == 0 else {
      return "there is no tsc: run make setup EXTRA=node-typescript"
    }
    let types = try PluginContract.typeScript(Self.plugins.map { PluginContract($0) })
    try runner.write(["program.ts": script, "nbridge.d.ts": types])
    return try runner.shell(
      "tsc --strict --noEmit --target es2022 --lib es2022,dom --module es2022 nbridge.d.ts program.ts"
    ).output
  }

  /// The same names at run time, in both ways.
  @Test(arguments: PluginWay.allCases) func theyAreCalled(_ way: PluginWay) async {
    await ScriptHarness.$way.withValue(way) {
      let result = await ScriptHarness(plugins: Self.plugins).run(
        #"""
        const w = nbridge.worst;
        console.log(JSON.stringify(await w.delete("a", "b", "c", "d", "e")));
        console.log((await w.new({ class: 'say "*/"', "content-type": "x", "9": 1 })).page.size);
        const vault = await w.open();
        console.log(await vault.delete(), await nbridge.value.get(), await nbridge.watch.get());
        """#)
      #expect(
        result.output == #"""
          {"content-type":"a","content_type":"b","class":"c","quo\"te\n":"d","option":"e"}
          10
          1 1 1

          """#, "\(result.errors)")
    }
  }

  /// What a page loads must not run what stands in a help text.
  @Test func facadesRunNoHelp() throws {
    let text = try PluginContract.facades([PluginContract(WorstPlugin())])
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("throw") } == [])
    let table = try PluginContract(WorstPlugin()).table()
    #expect(table.split(separator: "\n").allSatisfy { $0.hasPrefix("|") && $0.hasSuffix("|") })
  }
}

private protocol ServiceName: Sendable { static var name: String { get } }
private enum ValueName: ServiceName { static let name = "value" }
private enum WatchName: ServiceName { static let name = "watch" }
private enum HandleName: ServiceName { static let name = "handle" }
private enum ErrorName: ServiceName { static let name = "error" }
private enum DefaultName: ServiceName { static let name = "default" }
/// Its interface would be named like that of a type of the other's objects.
private enum WorstVaultName: ServiceName { static let name = "worstVault" }

private struct NamedPlugin<Name: ServiceName>: Plugin {
  static var manifest: PluginManifest { PluginManifest(service: Name.name, version: "1.0.0", help: "Named.") }
  var body: PluginBody { Immediate("get", "Gets.") { _ in 1 } }
}

private struct WorstPlugin: Plugin {
  static let manifest = PluginManifest(
    service: "worst", version: "1.0.0 */ version", help: "Ends */ a comment.\nthrow 1; // \u{2028}throw 2;")

  enum Class: String, Codable, CaseIterable {
    case quote = "say \"*/\"", slash = "a\\", line = "b\nc", plain, ends = "u\u{2028}v\u{7F}"
  }
  struct New: Codable, Sendable {
    var `class`: Class
    var contentType: String
    var nine: Int
    var proto: [String: Int]?
    enum CodingKeys: String, CodingKey {
      case `class`
      case contentType = "content-type"
      case nine = "9"
      case proto = "__proto__"
    }
  }
  struct Made: Codable, Sendable { var page: Page }
  struct Page: Codable, Sendable { @Default var size = 10 }
  enum Other {
    /// Another one of the same name.
    struct Page: Codable, Sendable { var text: String }
  }
  struct Limit: Codable, Sendable {
    /// Its value would end the comment that tells it.
    @Default var mark = "*/ throw"
    var limit: Int
    /// Every object has them, also one that leaves them out.
    var constructor: String?
    var toString: Int?
  }
  struct Words: Codable, Sendable {
    var contentType: String
    var contentTypeToo: String
    var `class`: String?
    var quote: String?
    var option: String?
    enum CodingKeys: String, CodingKey {
      case contentType = "content-type"
      case contentTypeToo = "content_type"
      case `class`
      case quote = "quo\"te\n"
      case option
    }
  }
  final class Vault: HandleObject {
    static let handle = HandleType("vault", "Ends */ a comment.\nThen goes on.")
  }

  var body: PluginBody {
    Immediate("new", "Makes */ one.\n@returns nothing | something") { (options: New, _) in
      Made(page: Page())
    }
    .parameter("class", "Which */ class.\nOne of several.")
    Immediate("many", "Many.") { (options: Limit, _) in Other.Page(text: "x") }
      .range("limit", 1...100)
    Immediate("delete", "Deletes.") { (options: Words, _) in options }
      .positional("content-type", "content_type", "class", "quo\"te\n", "option")
      .errors("quote\"*/").permission("`*/")
    Immediate("open", "Opens.") { call in call.hold(Vault()) }
    Handles(Vault.self) { Immediate("delete", "Deletes.") { (_: Vault, _) in 1 } }
  }
}
