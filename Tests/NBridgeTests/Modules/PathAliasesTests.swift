// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// Where a project's settings send names that are no paths.
@Suite struct PathAliasesTests {
  private static let text = """
    { // a comment
      "compilerOptions": { "baseUrl": "src", /* x */ "paths": {
        "@/*": ["./app/*", "/else/*"], "exact": ["one"], "a*z": ["x/*.y"] } } }
    """

  @Test(arguments: [
    ("@/b/c", ["/p/src/@/b/c", "/p/src/app/b/c", "/else/b/c"]), ("exact", ["/p/src/exact", "/p/src/one"]),
    ("exactly", ["/p/src/exactly"]), ("abz", ["/p/src/abz", "/p/src/x/b.y"]),
    ("az", ["/p/src/az", "/p/src/x/.y"]), ("a", ["/p/src/a"]),
  ])
  func namesLead(_ name: String, _ places: [String]) {
    #expect(PathAliases(Self.text, in: "/p/")?.places(of: name) == places)
  }

  @Test(arguments: ["", "{}", "\"paths\"", "\"paths\": {", "{\"extends\": \"./a\"}"])
  func othersSendNoneAnywhere(_ text: String) { #expect(PathAliases(text, in: "/p/") == nil) }
}
