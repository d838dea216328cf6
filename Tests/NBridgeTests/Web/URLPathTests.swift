// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// Plain addresses go a way of their own, without the standard's machine; with a base they go through it.
@Suite struct URLPathTests {
  @Test func dotsInAPathAreResolvedAlikeOnBothWays() async {
    let seen = await ScriptHarness(plugins: []).run(
      """
      const dots = ["..", ".", "%2e", "%2E.", ".%2e", "%2e%2E"];
      const segments = ["a", ...dots, "", "b.c", "c:", "C|", "...", "..a", "%2f"];
      const starts = [
        "https://example.com/", "ftp://host:8080/", "ws://1.2.3.4/", "file:///", "http://EXAMPLE.com/"];
      const ends = ["", "/", "?q=/..", "#f/../", "?a#/.."];
      let count = 0;
      const others = new Set();
      for (const start of starts) for (const one of segments) for (const two of segments) {
        for (const three of segments) for (const end of ends) {
          const address = `${start}${one}/${two}/${three}${end}`;
          const [short, whole] = [new URL(address).href, new URL(address, "other:/").href];
          if (short !== whole) others.add(`${address}: ${short} where ${whole}`);
          count++;
        }
      }
      console.log(count, [...others].slice(0, 5).join());
      const long = "https://example.com" + "/a/..".repeat(1000) + "/b";
      console.log(new URL(long).href, new URL("https://example.com/a/./b/../c?d").pathname);
      """)
    #expect(seen.output == "68600 \nhttps://example.com/b /a/c\n", "\(seen)")
  }
}
