// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Files that an export may replace: never files of other apps, and none that decides about the app.
@Suite struct ExportFaultTests {
  static let helpers = """
    container() { mkdir -p "$1/Documents" "$1/Library/Preferences"; echo SECRET > "$1/Documents/diary"; }

    """

  func run(_ files: [String: String], _ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(Self.helpers + line)
  }

  static let exporter = """
    const d = nbridge.documents; await d.makeDirectory("mine"); await d.write("mine/x", "mine");
    for (const path of nbridge.args.slice(1)) for (const from of ["mine", "mine/x"])
      await d.export(from, nbridge.args[0] + "/" + path, { overwrite: true }).then(() => console.log(path,
        "went"), (e) => console.log(path, e.code, e.details?.path === nbridge.args[0] + "/" + path));
    """

  @Test func anExportReplacesNoFolderWithAnotherAppsContainerInIt() throws {
    let result = try run(
      ["s.js": Self.exporter],
      """
      container out/proj/deep/other; container out/itself; mkdir -p out/proj/plain/x
      nbridge run --container c --permissions "documents.*,documents.export:$PWD/out" s.js "$PWD/out" proj \
      proj/deep proj/deep/other itself proj/plain
      cat out/proj/deep/other/Documents/diary out/itself/Documents/diary; ls -A out out/proj c/.staging
      """)
    let refused = ["proj", "proj/deep", "proj/deep/other", "itself"].map {
      "\($0) permission_denied true\n\($0) permission_denied true\n"
    }
    #expect(
      result.output
        == refused.joined()
        + "proj/plain went\nproj/plain "
        + "went\nSECRET\nSECRET\nc/.staging:\n\nout:\nitself\nproj\n\nout/proj:\ndeep\nplain\n",
      "\(result)")
  }

  @Test func aFolderWithTheAppsOwnContainerInItIsNotTakenForAnothers() throws {
    let result = try run(
      ["s.js": Self.exporter],
      """
      mkdir -p out/old/x; nbridge run --container out/old/x/c --permissions \
      "documents.*,documents.export:$PWD/out" s.js "$PWD/out" old
      cat out/old/x/c/Documents/mine/x
      """)
    // The kernel puts no folder into itself.
    #expect(result.output.hasSuffix("mine") && !result.output.contains("permission_denied"), "\(result)")
  }

  static let policies = """
    const d = nbridge.documents, out = nbridge.args[0];
    await d.makeDirectory("pol"); await d.write("pol/policy.json", '{"rules":[{"outcome":"pass"}]}');
    for (const path of nbridge.args.slice(1))
      for (const from of ["pol/policy.json", "pol"]) await d.export(from, out + "/" + path,
        { overwrite: true }).then(() => console.log(path, "replaced"), (e) => console.log(path, e.code));
    """
  static let asks = #"""
    try { await nbridge.auth.evaluatePolicy({ policy: "passcode", reason: "r" });
      console.log("LET IN") } catch (e) { console.log(e.code) }
    """#

  /// Whichever name on the way to the policy were replaced, the next run would read another.
  @Test(arguments: [
    ("ln -s ../secure/p.json out/link.json", "out/link.json", ["link.json"]),
    ("ln -s ../secure out/folder", "out/folder/p.json", ["folder"]),
    ("ln -s second out/first; ln -s ../secure/p.json out/second", "out/first", ["first", "second"]),
    ("mkdir -p out/a/b; ln -s ../secure/p.json out/l", "out/a/b/../../l", ["l", "a", "a/b"]),
    ("mkdir -p out/in; cp secure/p.json out/in", "out/in/p.json", ["in", "in/p.json"]),
  ])
  func noNameThatLeadsToThePolicyIsReplaced(_ make: String, _ policy: String, _ names: [String]) throws {
    let result = try run(
      ["s.js": Self.policies, "ask.js": Self.asks, "secure/p.json": #"{"rules":[{"outcome":"fail"}]}"#],
      """
      mkdir -p out; \(make); chmod go-w secure/p.json
      allow="auth.*,documents.*,documents.export:$PWD/out"
      nbridge run --container c --permissions "$allow" --auth-policy "$PWD/\(policy)" s.js "$PWD/out" \
      \(names.joined(separator: " "))
      nbridge run --container c --permissions "$allow" --auth-policy "$PWD/\(policy)" ask.js
      """)
    let refused = names.map { "\($0) permission_denied\n\($0) permission_denied\n" }.joined()
    #expect(result.output == refused + "authentication_failed\n", "\(result)")
  }

  @Test func aLinkToThePolicyInTheAppsOwnContainerIsRefused() throws {
    let result = try run(
      ["ask.js": Self.asks, "secure/p.json": #"{"rules":[{"outcome":"pass"}]}"#],
      """
      mkdir -p c/Documents; ln -s ../../secure/p.json c/Documents/l; chmod go-w secure/p.json
      nbridge run --container c --auth-policy c/Documents/l ask.js
      """)
    #expect(!result.output.contains("LET IN"), "\(result)")
    #expect(
      "\(result.output)\(result.errors)".contains("permission_denied")
        || result.errors.contains("where scripts can write"), "\(result)")
  }
}
