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

  /// The address is put together when somebody asks for it, in the order of what was changed.
  @Test func anAddressHasWhatItsParametersHave() async {
    let seen = await ScriptHarness(plugins: []).run(
      """
      const url = new URL("http://a/b?c#d"), { searchParams } = url;
      searchParams.append("e", "1");
      url.hash = "";
      searchParams.append("f", "2 3");
      console.log(url.search, url.href, JSON.stringify(url));
      searchParams.set("e", "4");
      url.search = "?g";
      console.log(`${searchParams} ${url}`);
      searchParams.append("h", "5");
      url.href = "http://i/?j";
      console.log(`${searchParams} ${url} ${url.origin}`);
      searchParams.delete("j");
      console.log(url.href, new URL("k", url).href, structuredClone(`${url}`));
      const opaque = new URL("data:x   ?y");
      opaque.searchParams.delete("y");
      console.log(opaque.href, opaque.pathname + "|");
      const ended = new URL("data:x  ?y");
      ended.searchParams.delete("y");
      ended.searchParams.append("z", "1");
      console.log(ended.href);
      const many = new URL("http://a/");
      for (let i = 0; i < 30_000; i++) many.searchParams.append("k", i);
      console.log(many.href.length, many.searchParams.size);
      """)
    #expect(
      seen.output == """
        ?c=&e=1&f=2+3 http://a/b?c=&e=1&f=2+3 "http://a/b?c=&e=1&f=2+3"
        g= http://a/b?g
        j= http://i/?j http://i
        http://i/ http://i/k http://i/
        data:x x|
        data:x?z=1
        228899 30000

        """, "\(seen)")
  }

  /// In a time that grows as they do: with the square of it this would take minutes.
  @Test func manySegmentsAreTakenBack() async {
    let seen = await ScriptHarness(plugins: []).run(
      """
      const away = "a/".repeat(1000000);
      console.log(new URL("http://a/" + away + "../".repeat(1000000)).href,
        new URL("../".repeat(999999) + "b", "http://a/" + away).href);
      """)
    #expect(seen.output == "http://a/ http://a/a/b\n", "\(seen)")
  }
}
