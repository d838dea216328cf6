// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// What `nbridge init` puts into a folder.
struct ProjectTemplate {
  /// The folder's name, which may hold anything.
  let name: String
  /// The script that was there before; nil for a folder without one, which gets an example.
  let main: String?
  /// What editors and compilers want to know of the plugins.
  let declarations: String

  /// The files, by path in the folder.
  func files() throws -> [(path: String, text: String)] {
    let common = [
      ("app.json", try JSONText.pretty(app)), ("tsconfig.json", Self.compiler),
      ("nbridge.d.ts", declarations), (".gitignore", Self.ignored), (".vscode/tasks.json", try tasks()),
      (".vscode/launch.json", try launch()),
    ]
    return main == nil ? common + Self.example : common
  }

  /// The script that starts the app.
  var start: String { main ?? "main.ts" }

  private struct App: Encodable {
    var id: String
    var name: String
    var version = "0.1.0"
    var main: String
    var permissions: [String]?
  }

  /// The id names the folder that the app's data lies in, so that two apps of one name must not have the
  /// same.
  private var app: App {
    let kept = name.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0.value == 0x2D) }
    let stem = String(String.UnicodeScalarView(kept).prefix(40))
    let id = "\(stem.isEmpty || stem.hasPrefix("-") ? "app" : stem)-\(RandomName.make().prefix(8))"
    return App(
      id: id.lowercased(), name: name, main: start, permissions: main == nil ? ["app.appInfo"] : nil)
  }

  private static let compiler = """
    {
      "compilerOptions": {
        "target": "es2022",
        "module": "esnext",
        "moduleResolution": "node",
        "moduleDetection": "force",
        "types": [],
        "strict": true,
        "noEmit": true,
        "allowJs": true
      },
      "exclude": ["node_modules"]
    }

    """

  private static let ignored = """
    node_modules/
    # Recordings hold what a script was given.
    *.rec

    """

  private static let example = [
    (
      "main.ts",
      """
      import { greeting } from "./greeting";

      const { name } = await nbridge.app.appInfo();
      console.log(greeting(name));

      """
    ),
    (
      "greeting.ts",
      """
      /** Says hello from a program. */
      export function greeting(name: string): string {
        return `Hello from ${name}!`;
      }

      """
    ),
    (
      "greeting.test.ts",
      """
      import { greeting } from "./greeting";

      test("a greeting names the program", () => {
        expect(greeting("tea")).toBe("Hello from tea!");
      });

      """
    ),
  ]
}

/// A word of a shell's line.
enum ShellWord {
  /// The word as a shell reads it: in quotes where it has anything that a shell might take for its own.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x2B...0x3A, 0x40...0x5A, 0x5F, 0x61...0x7A: true
      default: false
      }
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}

// MARK: - Editor

extension ProjectTemplate {
  private struct Tasks: Encodable {
    struct Task: Encodable {
      struct Group: Encodable {
        var kind: String
        var isDefault = true
      }
      var label: String
      var type = "process"
      var command = "nbridge"
      var args: [String]
      var group: Group?
      var problemMatcher: [String] = []
    }
    var version = "2.0.0"
    var tasks: [Task]
  }

  private func tasks() throws -> String {
    try JSONText.pretty(
      Tasks(tasks: [
        .init(label: "run", args: ["run", start], group: .init(kind: "build")),
        .init(label: "test", args: ["test"], group: .init(kind: "test")),
        .init(label: "check", args: ["check", "."]),
      ]))
  }

  private struct Launch: Encodable {
    struct Configuration: Encodable {
      var name: String
      var type = "node-terminal"
      var request = "launch"
      var command: String?
      var port: Int?
      var cwd = "${workspaceFolder}"
    }
    var version = "0.2.0"
    var configurations: [Configuration]
  }

  private func launch() throws -> String {
    try JSONText.pretty(
      Launch(configurations: [
        .init(name: "nbridge run", command: "nbridge run \(ShellWord.quoted(start))"),
        .init(name: "nbridge test", command: "nbridge test"),
        // To what was started with --inspect or --inspect-brk.
        .init(name: "attach to nbridge", type: "node", request: "attach", port: 9229),
      ]))
  }
}
