// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// URLPattern as scripts see it: what is expected follows the URL Pattern Standard.
@Suite struct URLPatternTests {
  static let harness = ScriptHarness(plugins: [])

  static let tools = #"""
    const names = ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash"];
    const shown = (make) => {
      try { const pattern = make(); return names.map((name) => pattern[name]).join(" "); }
      catch (error) { return error.name; }
    };
    const groups = (found) =>
      found && JSON.stringify(Object.assign({}, ...names.map((name) => found[name].groups)));
    const expect = (label, actual, expected) => {
      if (actual !== expected) console.log(`${label}\n  is       ${actual}\n  expected ${expected}`);
    };

    """#

  /// The script prints what is not as it expects.
  static func expectNothing(of script: String, _ location: SourceLocation = #_sourceLocation) async {
    let result = await harness.run(tools + script)
    #expect(
      result.output.isEmpty && result.status == .success, "\(result.output)\(result.errors)",
      sourceLocation: location)
  }

  @Test func aTextIsTakenApartIntoItsComponents() async {
    await Self.expectNothing(
      of: #"""
        for (const [list, expected] of [
          [["https://:user::secret@:sub.example.com:8*/books/:id(\\d+)\\?q=*#:part"],
            "https :user :secret :sub.example.com 8* /books/:id(\\d+) q=* :part"],
          [["http{s}?://example.com/*"], "http{s}? * * example.com  /* * *"],
          [["https://example.com:443"], "https * * example.com  * * *"],
          [["data\\:text/*"], "data * *   text/* * *"],
          [["https://{a.}?b/{c/}*d#e"], "https * * {a.}?b  /{c/}*d  e"],
          [["https://[\\:\\:AB]:8080/"], "https * * [\\:\\:ab] 8080 / * *"],
          [["a/:b?c", "https://h.example:8/x/y?z#w"], "https * * h.example 8 /x/a/:b?c * *"],
          [["?only=:this", "https://h.example/x"], "https * * h.example  /x only=:this *"],
          [["#part", "https://h.example/x?q"], "https * * h.example  /x q part"],
          [["/relative"], "TypeError"], [["https://a:1:2"], "TypeError"], [["x", "no base"], "TypeError"],
        ]) expect(JSON.stringify(list), shown(() => new URLPattern(...list)), expected);
        """#)
  }

  @Test func componentsAreMadeCanonical() async {
    await Self.expectNothing(
      of: #"""
        for (const [init, expected] of [
          [{}, "* * * * * * * *"],
          [{ protocol: "https:", port: "443" }, "https * * *  * * *"],
          [{ protocol: "HTTPS", hostname: "EXAMPLE.com" }, "https * * example.com * * * *"],
          [{ hostname: "m\u00fcller.example" }, "* * * xn--mller-kva.example * * * *"],
          [{ pathname: "/a/../b/\u00e9 {x}" }, "* * * * * /b/%C3%A9%20x * *"],
          [{ protocol: "about", pathname: "a/../b c" }, "about * * * * a/../b c * *"],
          [{ search: "?a b'", hash: "#c d" }, "* * * * * * a%20b%27 c%20d"],
          [{ username: "a b", password: "\u00e9" }, "* a%20b %C3%A9 * * * * *"],
          [{ pathname: "d", baseURL: "https://u:p@h.example:8/b/c?q#f" }, "https * * h.example 8 /b/d * *"],
          [{ search: "s", baseURL: "https://h.example/(b)?q#f" }, "https * * h.example  /\\(b\\) s *"],
          [{ pathname: "/:a{/:b}?" }, "* * * * * /:a/:b? * *"],
          [{ pathname: "/:a{b}" }, "* * * * * {/:a}b * *"],
          [{ pathname: "/([^\\/]+?)/(.*)" }, "* * * * * /([^\\/]+?)/* * *"],
          [{ port: "80a" }, "* * * * 80 * * *"], [{ port: "x" }, "TypeError"],
          [{ port: "65536" }, "TypeError"],
          [{ hostname: "a b" }, "TypeError"], [{ hostname: "[g]" }, "TypeError"],
          [{ protocol: "1" }, "TypeError"],
        ]) expect(JSON.stringify(init), shown(() => new URLPattern(init)), expected);
        """#)
  }

  @Test(arguments: [
    "(", "()", "(?:x", "(a(b))", "(\\u00e9)", "a\\\\", ":", "{a", "{a{b}}", "a}", ":x:x", "([)", "a??",
  ])
  func whatIsNoPatternIsATypeErrorThatShowsIt(_ pattern: String) async {
    await Self.expectNothing(
      of: """
        const pathname = "/\(pattern)";
        try { new URLPattern({ pathname }); expect(pathname, "a pattern", "an error"); }
        catch (error) {
          expect("name", error.name, "TypeError");
          expect("text", error.message.includes(`URLPattern: "${pathname}"`), true);
        }
        """)
  }

  @Test func groupsAreCapturedByTheirNamesAndNumbers() async {
    await Self.expectNothing(
      of: #"""
        for (const [pathname, input, expected] of [
          ["/books/:id(\\d+)", "/books/12", '{"0":"","id":"12"}'],
          ["/books/:id(\\d+)", "/books/x", null],
          ["/a/*/:b?", "/a/x/y", '{"0":""}'],
          ["/a/:b*", "/a/x/y", '{"0":"","b":"x/y"}'],
          ["/a/:b*", "/a", '{"0":""}'],
          ["/a/:b+", "/a", null],
          ["/a{-:b-}+", "/a-x--y-", '{"0":"","b":"x--y"}'],
          ["/([[a-z]--[aeiou]])", "/b", '{"0":""}'],
          ["/([[a-z]--[aeiou]])", "/e", null],
        ]) {
          const found = new URLPattern({ pathname, protocol: "https", hostname: "h.example" })
            .exec(`https://h.example${input}`);
          expect(`${pathname} of ${input}`, groups(found)?.replace('"0":"x"', '"0":""') ?? null, expected);
        }
        const optional = new URLPattern("/:a/(b)?", "https://h.example");
        const { pathname, inputs } = optional.exec("/x", "https://h.example");
        expect("missing", JSON.stringify(Object.keys(pathname.groups)), '["0","a"]');
        expect("undefined", pathname.groups[0], undefined);
        expect("inputs", inputs.join(), "/x,https://h.example");
        expect("input", pathname.input, "/x");
        const own = new URLPattern({ pathname: ":__proto__" }).exec({ pathname: "x" }).pathname.groups;
        expect("own", JSON.stringify(own), '{"__proto__":"x"}');
        """#)
  }

  /// Groups in a repetition hold what the standard's expression captures.
  @Test func repeatedGroupsAreCapturedWithWhatStandsBetweenThem() async {
    await Self.expectNothing(
      of: #"""
        for (const [component, pattern, input, expected] of [
          ["pathname", "/**/x", "/a/b/x", '{"0":"a/b"}'], ["pathname", "/**/x", "/x", "{}"],
          ["pathname", "/**/x", "/a", null], ["pathname", "(.*)+", "/a/b", '{"0":"/a/b"}'],
          ["pathname", "/{:a}*z", "/abzz", '{"a":"abz"}'], ["pathname", "/{:a}*z", "/z", '{"a":""}'],
          ["pathname", "/{:a}+z", "/z", null], ["pathname", "/:a*", "/x//y", null],
          ["pathname", "/a{-:b-}+*", "/a-x--y-z", '{"0":"z","b":"x--y"}'],
          ["pathname", "/{a*b}+c", "/axbaybc", '{"0":"xbay"}'],
          ["search", "{&:x}*:y", "&a&&b!", '{"x":"a&&","y":"b!"}'],
          ["hostname", "{:s.}*example", "a.b.example", '{"s":"a.b"}'],
          ["hostname", "{x:s-}+:t", "xa-xb-c", '{"s":"a-xb","t":"c"}'],
        ]) {
          const found = new URLPattern({ [component]: pattern }).exec({ [component]: input });
          expect(`${pattern} of ${input}`, found && JSON.stringify(found[component].groups), expected);
        }
        """#)
  }

  /// The standard's own expressions for these would take longer than anybody can wait.
  @Test func aRepeatedGroupIsSearchedInOneWay() async {
    await Self.expectNothing(
      of: #"""
        for (const [component, pattern, input] of [
          ["pathname", "/**/x", "/" + "a/".repeat(1000)], ["pathname", "/{:a}*z", "/" + "a".repeat(1000)],
          ["pathname", "/(.*)+z", "/" + "a".repeat(1000)],
          ["pathname", "/a{-:b-}+z", "/a" + "-".repeat(1000)],
          ["search", "{&:x}*!", "&".repeat(1000)], ["hash", "{:x, }+!", "a,%20".repeat(500)],
        ]) {
          const made = new URLPattern({ [component]: pattern });
          expect(pattern, made.test({ [component]: input }), false);
        }
        """#)
  }

  @Test func whatIsNoURLDoesNotMatchAndARecordIsMadeCanonicalFirst() async {
    await Self.expectNothing(
      of: #"""
        const pattern = new URLPattern({ hostname: "*.example", pathname: "/b/:c" });
        for (const [list, expected] of [
          [["https://h.example/b/c"], true], [["b/c", "https://h.example/"], true],
          [["b/c"], false], [["b/c", "no base"], false],
          [[{ hostname: "H.EXAMPLE", pathname: "/a/../b/c" }], true],
          [[{ hostname: "h.example", pathname: "c", baseURL: "https://x.example/b/" }], true],
          [[{ pathname: "c", baseURL: "https://h.example/b/" }], true],
          [[{ hostname: "a b", pathname: "/b/c" }], false], [[], false],
        ]) {
          expect(JSON.stringify(list), pattern.test(...list), expected);
          expect(`exec ${JSON.stringify(list)}`, pattern.exec(...list) !== null, expected);
        }
        let told;
        try { pattern.test({}, "https://h.example") } catch (error) { told = error.name }
        expect("a record and a base", told, "TypeError");
        const named = new URLPattern({ username: "u", password: "p" });
        expect("inherited", named.test({ pathname: "x", baseURL: "https://u:p@h.example" }), true);
        expect("not inherited", named.test({ username: "u", baseURL: "https://u:p@h.example" }), false);
        """#)
  }

  @Test func caseIsIgnoredBehindTheHostWhereThatIsAskedFor() async {
    await Self.expectNothing(
      of: #"""
        const list = ["https://h.example/A/:b\\?Q#F", { ignoreCase: true }];
        for (const pattern of [new URLPattern(...list),
          new URLPattern("/A/:b\\?Q#F", "https://h.example", list[1])]) {
          expect("any", pattern.test("https://h.example/a/X?q#f"), true);
          expect("host", pattern.test("https://h.example/b/X?q#f"), false);
        }
        expect("without", new URLPattern(list[0]).test("https://h.example/a/X?q#f"), false);
        expect("null", new URLPattern(null, null).test("https://h.example"), true);
        for (const wrong of [[{}, "https://h.example"], [{}, "https://h.example", {}], ["/a", "b:c", 1],
          ["a:b", undefined, {}]]) {
          expect(JSON.stringify(wrong), shown(() => new URLPattern(...wrong)), "TypeError");
        }
        """#)
  }

  /// What a pattern says of its components makes the same pattern again, whatever it was made of.
  @Test func aPatternIsMadeAgainOfItsComponents() async {
    await Self.expectNothing(
      of: #"""
        const pieces = [":a", ":b", "(a)", "(\\d+)", "*", "?", "+", "{", "}", "\\", "/", "//", ":", "@",
          "#", "[", "]", "..", "%2e", "https", "x", "ws:", "a", "1", "443", "\u00e9", " ", "(.*)", "([^/]+?)",
          "\\(", "|", "-", "data:"];
        let seed = 1, made = 0;
        const next = (count) => {
          seed = (seed * 1103515245 + 12345) & 0x7fffffff;
          return (seed >> 8) % count;
        };
        const text = () => Array.from({ length: next(8) + 1 }, () => pieces[next(pieces.length)]).join("");
        for (let round = 0; round < 4000; round++) {
          const some = names.filter(() => next(3) === 0);
          const input = next(2) ? text() : Object.fromEntries(some.map((name) => [name, text()]));
          let pattern;
          try {
            const base = typeof input === "string" ? ["https://h.example/x?q"] : [];
            pattern = new URLPattern(input, ...base);
          } catch (error) {
            expect(JSON.stringify(input), error.message.slice(0, 11), "URLPattern:");
            continue;
          }
          made++;
          const again = new URLPattern(Object.fromEntries(names.map((name) => [name, pattern[name]])));
          expect(JSON.stringify(input), shown(() => again), shown(() => pattern));
          pattern.exec(text(), "https://h.example/");
        }
        expect("enough", made > 500, true);
        """#)
  }

  @Test func itIsAnInterfaceOfTheWeb() async {
    await Self.expectNothing(
      of: #"""
        expect("keys", Object.keys(URLPattern.prototype).sort().join(),
          [...names, "hasRegExpGroups", "test", "exec"].sort().join());
        expect("tag", `${new URLPattern()}`, "[object URLPattern]");
        expect("length", URLPattern.length + URLPattern.prototype.test.length, 0);
        expect("plain", new URLPattern({ pathname: "/:a/*" }).hasRegExpGroups, false);
        expect("regexp", new URLPattern({ hash: "(a)" }).hasRegExpGroups, true);
        for (const use of [() => URLPattern.prototype.hash, () => URLPattern.prototype.test.call({}, "a:b"),
          () => structuredClone(new URLPattern()), () => URLPattern()]) {
          let told; try { use() } catch (error) { told = true } expect(`${use}`, told, true);
        }
        """#)
  }

  /// What a script does to the engine's prototypes reaches no pattern, nor what is matched as components.
  @Test func aChangedEngineChangesNothing() async {
    await Self.expectNothing(
      of: #"""
        URLPattern;
        const { push } = Array.prototype;
        RegExp.prototype.exec = RegExp.prototype.test = () => { throw new Error("exec") };
        for (const name of ["replace", "match", "split", "search"]) {
          Object.defineProperty(RegExp.prototype, Symbol[name], { value() { throw new Error(name) } });
        }
        for (const name of ["flags", "unicodeSets", "source"]) {
          Object.defineProperty(RegExp.prototype, name, { get() { throw new Error(name) } });
        }
        Object.defineProperty(Object.prototype, "baseURL", { value: "https://evil.example",
          configurable: true });
        delete Object.prototype.baseURL;
        Array.prototype[Symbol.iterator] = () => { throw new Error("iterator") };
        Object.defineProperty(Array.prototype, 0, { set() { throw new Error("0") }, configurable: true });
        globalThis.RegExp = globalThis.URL = undefined;
        const pattern = new URLPattern({ pathname: "/:a/(\\d+)", search: "q*" });
        const found = pattern.exec({ pathname: "/x/12", search: "q1" });
        delete Array.prototype[0];
        expect("a", found.pathname.groups.a, "x");
        expect("0", found.pathname.groups[0], "12");
        """#)
  }
}
