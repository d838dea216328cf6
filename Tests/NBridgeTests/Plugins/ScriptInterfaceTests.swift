// SPDX-License-Identifier: MIT

import NBridgeHost
import Testing

/// What is read from the TypeScript that a plugin declares for its script.
@Suite struct ScriptInterfaceTests {
  private func shown(_ member: ScriptInterface.Member) -> String {
    let parameters = member.parameters.map { list in
      "(" + list.map { "\($0.name)\($0.isOptional ? "?" : ""): \($0.type)" }.joined(separator: ", ") + ")"
    }
    return "\(member.name)\(member.isOptional ? "?" : "")\(parameters ?? ""): \(member.type)"
  }

  static let members: [(String, [String])] = [
    ("a(): void;", ["a(): void"]),
    ("a(b: string, c?: number): Promise<x>;", ["a(b: string, c?: number): Promise<x>"]),
    ("readonly a: string;", ["a: string"]),
    ("a?: { b: string; c: number };", ["a?: { b: string; c: number }"]),
    ("a(): void; b(): void", ["a(): void", "b(): void"]),
    ("a(x: 1): 1; a(x: 2): 2;", ["a(x: 1): 1", "a(x: 2): 2"]),
    ("get(key: string): any;", ["get(key: string): any"]), ("readonly readonly: 1;", ["readonly: 1"]),
    ("a<T extends { b: 1 }>(x: T): T;", ["a(x: T): T"]), ("'od-d'(): void;", ["od-d(): void"]),
    ("a(f: (x: 1, y: 2) => void, z: [1, 2]): void;", ["a(f: (x: 1, y: 2) => void, z: [1, 2]): void"]),
    ("a(...rest: string[]): void;", ["a(...rest?: string[]): void"]),
    ("a: (x: string) => number;", ["a(x: string): number"]),
    ("a: Fn;", ["a(m: string): void"]), ("a: Missing;", ["a: Missing"]), ("[Symbol.iterator](): x;", []),
    ("", []),
    // Without marks at the end, and over lines.
    ("/** One. */ a(): void\n/** Two. */ b(): void", ["a(): void", "b(): void"]),
    ("a(\n  b: string, // no\n  c: 1\n): void;", ["a(b: string, c: 1): void"]),
    // What is no TypeScript gives what can be read of it.
    ("a(b", ["a: any"]), ("}}; a(): void;", ["a(): void"]), (";;;", []), ("(", []), ("a", ["a: any"]),
  ]

  @Test(arguments: members)
  func membersAreRead(_ text: String, _ expected: [String]) {
    let interface = ScriptInterface(members: text, types: "type Fn = (m: string) => void;")
    #expect(interface.members.map(shown) == expected)
  }

  private static let types = """
    /** Which. */
    type Kind =
      | "a" | "b";
    type Loop = Loop | Loop; type Other = Kind | "c";
    interface Base { base?: number }
    interface Option<T> extends Base {
      /** The kind. */
      kind: Kind; on?: boolean
    }
    interface Option { more: string }
    declare class Nothing { x: 1 }
    """

  @Test(
    arguments: [
      ("Option", ["kind", "on", "more", "base"]), ("Option<string>", ["kind", "on", "more", "base"]),
      ("Omit<Option, \"kind\" | \"on\">", ["more", "base"]),
      ("Base & { extra: 1 }", ["base", "extra"]),
      ("Partial<Base>", ["base"]), ("false | { a: 1 }", ["a"]), ("(Base)", ["base"]), ("string", []),
      ("Loop", []),
      ("Kind", []), ("", []),
    ] as [(String, [String])])
  func typesHaveTheirMembers(_ type: String, _ names: [String]) {
    #expect(ScriptInterface(members: "", types: Self.types).members(of: type).map(\.name) == names)
  }

  @Test(arguments: [
    ("Kind", ["a", "b"]), ("Other", ["a", "b", "c"]), ("\"x\" | 'y' | null", ["x", "y"]),
    ("boolean", ["false", "true"]),
    ("true", ["false", "true"]), ("Loop", []), ("string", []),
  ])
  func typesHaveTheirValues(_ type: String, _ values: [String]) {
    #expect(ScriptInterface(members: "", types: Self.types).values(of: type).sorted() == values)
  }

  @Test func commentsHaveTheirParts() {
    let comment = MemberComment(
      """
      /**
       * Reads a file,
       * whole. Permission: `a.read`, to save `a.write`. And more.
       * @param option.kind Which `kind`.
       */
      """)
    #expect(
      comment.text == "Reads a file, whole. And more."
        && comment.parameters == ["option.kind": "Which `kind`."])
    #expect(comment.permission == "a.read, to save a.write" && comment.needed == "a.read")
    #expect(MemberComment("/** One. */").text == "One." && MemberComment("").text == "")
    #expect(MemberComment("/** Permission: `p.run:` and the path. */").permission == "p.run: and the path")
    #expect(MemberComment("/** Permission: `p.run:` and the path. */").needed == "p.run")
  }
}
