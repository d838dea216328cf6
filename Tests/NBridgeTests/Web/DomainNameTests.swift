// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeBuiltins

/// Domains as URLs have them (WHATWG URL, 3.3; Unicode UTS #46).
@Suite struct DomainNameTests {
  @Test(arguments: [
    ("example.com", "example.com"), ("EXAMPLE.Com", "example.com"),
    ("bücher.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
    ("βόλος.com", "xn--nxasmm1c.com"), ("münchen。de", "xn--mnchen-3ya.de"),
    ("☃.net", "xn--n3h.net"), ("日本語.jp", "xn--wgv71a119e.jp"), ("xn--bcher-kva", "xn--bcher-kva"),
    ("a..b", "a..b"), ("", ""), ("-a-", "-a-"), ("a_b", "a_b"), ("\u{AD}a", "a"),
    ("ｅｘａｍｐｌｅ", "example"), ("1.2.3", "1.2.3"),
    ("xn--fa-hia", "xn--fa-hia"), ("İ.com", "xn--i-9bb.com"), ("ا.com", "xn--mgb.com"),
  ])
  func domains(_ domain: String, _ ascii: String) { #expect(DomainName.toASCII(domain) == ascii) }

  @Test(arguments: ["xn--", "xn--a", "xn--ü", "xn--zn7c.com", "a\u{200D}b", "\u{301}a", "اa", "xn--\u{FFFD}"])
  func whatIsNoDomain(_ domain: String) { #expect(DomainName.toASCII(domain) == nil) }

  @Test(arguments: [64, 300, 70_000])
  func lengthsAreNotChecked(_ count: Int) {
    let label = String(repeating: "a", count: count)
    #expect(DomainName.toASCII(label) == label)
  }

  /// Of a name with so many labels ICU moves the rest for each of them.
  @Test(arguments: [".", "。"]) func soManyLabelsAreNoDomain(_ dot: String) {
    let label = "ü\(dot)"
    #expect(DomainName.toASCII(String(repeating: label, count: 20_000))?.hasPrefix("xn--tda.") == true)
    #expect(DomainName.toASCII(String(repeating: label, count: 200_000)) == nil)
  }

  @Test func whatTakesTooLongIsNone() {
    #expect(
      DomainName.toASCII(
        String(repeating: "a", count: (1 << 20) + 1)) == nil)
  }

  @Test(arguments: 0..<10)
  func whatIsADomainStaysOne(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let domain = random.text(
        of: [
          "a", "B", ".", "-", "ü", "ß", "日", "1", "xn--", "\u{200C}", "😀", "ا",
          "\u{301}",
        ], count: 0...10)
      guard let ascii = DomainName.toASCII(domain) else { continue }
      #expect(ascii.utf8.allSatisfy { $0 < 0x80 } && DomainName.toASCII(ascii) == ascii, "\(domain)")
    }
  }
}
