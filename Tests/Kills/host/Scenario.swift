// SPDX-License-Identifier: MIT

/// A plugin's operations under kills: `js/<plugin>.work.js` makes them, `js/<plugin>.check.js` looks at what
/// is there.
struct Scenario: Sendable {
  let plugin: String
  /// The app.json of the place.
  var app = "{ \"id\": \"kills\" }"
  /// More for the command line.
  var options: [String] = []
  /// Whether "b" takes what "a" sends, instead of working by itself.
  var isPair = false
  /// A folder of the place; the program that looks afterwards finds it as `shown`.
  var shows: String?
  /// Folders in which nothing is left by then.
  var swept: [String] = []
  /// The files whose bytes may be damaged, from the place on: files, or folders with their files.
  var stores: [String] = []
  /// A command of the program's that looks too, and must end with 0 where nothing was damaged.
  var verify: [String] = []

  static let all = [
    Scenario(
      plugin: "preference", app: "{ \"id\": \"kills\", \"preferences\": { \"own\": 1 } }",
      stores: ["c/Library/Preferences"]),
    Scenario(plugin: "documents", swept: ["c/.staging"]),
    Scenario(plugin: "pasteboard", stores: ["home/.shared/pasteboard"]),
    Scenario(plugin: "app", stores: ["c/Library/Application Support"]),
    Scenario(
      plugin: "logger",
      app: """
        { "id": "kills", "resources": ["shown"], "plugins": { "logger": { "sinks": [
          { "kind": "file", "name": "app.log", "format": "json", "maximumSize": 65536, "keep": 1000, \
        "compress": false }] } } }
        """, shows: "c/Library/Logs"),
    Scenario(
      plugin: "auth", options: ["--auth", "fail"], stores: ["home/.shared/auth", "home/.state"],
      verify: ["auth", "log", "--verify"]),
    Scenario(plugin: "peers", isPair: true),
  ]
}
