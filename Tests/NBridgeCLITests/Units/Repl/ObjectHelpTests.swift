// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import NBridgeCLI

/// What the prompt tells of objects that a plugin answers.
@Suite struct ObjectHelpTests {
  @Test func helpTellsOfAnObjectsMethods() async throws {
    let all = try await SessionBench.prompt([".help desk"], adding: [DeskPlugin()]).text
    #expect(all.contains("  desk.open ") && all.contains("  desk.drawer.put "), "\(all)")
    let put = try await SessionBench.prompt([".help desk.drawer.put"], adding: [DeskPlugin()]).text
    #expect(put.hasPrefix("drawer.put(text: string): number\n"), "\(put)")
    #expect(put.contains("needs desk.put"), "\(put)")
    let open = try await SessionBench.prompt([".help desk.open"], adding: [DeskPlugin()]).text
    #expect(open.hasPrefix("open(): Drawer\n"), "\(open)")
  }

  @Test func whatIsCalledByNameAreActionsOnly() async throws {
    let told = try await SessionBench.prompt([".call desk.drawer.put text=a"], adding: [DeskPlugin()]).text
    #expect(told.contains("is a method of an object that an action answers"), "\(told)")
  }
}

private final class Drawer: HandleObject {
  static let handle = HandleType("drawer", "A drawer.")
}

private struct DeskPlugin: Plugin {
  static let manifest = PluginManifest(service: "desk", version: "1.0.0", help: "A desk.")
  struct Text: Codable, Sendable { var text: String }

  var body: PluginBody {
    Immediate("open", "Opens the drawer.") { call in call.hold(Drawer()) }
    Handles(Drawer.self) {
      Immediate("put", "Puts a text in.") { (_: Drawer, options: Text, _) in options.text.count }
        .positional("text")
    }
  }
}
