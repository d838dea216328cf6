// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// What is found in texts of which nothing is certain.
@Suite struct NameFaultTests {
  /// Any beginning of a text, and any place in it.
  @Test func noTextIsTooBroken() {
    let text = """
      const a = 1, { b, c: [d = () => { a++ }] } = f(`${x}`), e = class { #g = 1; static { a = 2 } };
      for (const [k, v] of m) { [k] = v; ({ b } = o); } try { x } catch { let x } finally { a ||= 3 }
      yield* q; yield * q; f(...q, ...[...r]); for await (x of
      async function* h({ p } = {}, ...q) { await using r = p; label: switch (q) { case 1: p: { } } } ) ] }
      """
    let bytes = Array(text.utf8)
    for count in stride(from: 0, through: bytes.count, by: 3) {
      let names = NamedTokens(String(decoding: bytes[..<count], as: UTF8.self))
      for told in stride(from: 0, through: count + 2, by: 5) {
        for fault in [NameFault.assignment, .early, .destructured, .iterated, .spread] {
          for offset in names.offsets(of: fault, behind: told) { #expect(offset < count) }
        }
      }
    }
  }
}
