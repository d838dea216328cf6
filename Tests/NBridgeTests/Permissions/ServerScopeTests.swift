// SPDX-License-Identifier: MIT

import Glibc
import NBridgeTesting
import Testing

@testable import NBridgeScript
@testable import NBridgeSystem

/// Entries that name servers: what they open and forbid has no second spelling.
@Suite struct ServerScopeTests {
  /// What this machine's server at port 9100 is called by the plugin, and another's.
  private static let own = "http.fetch:http://127.0.0.1:9100"
  private static let other = "http.fetch:http://a.test:9100"

  @Test(arguments: [
    "http://127.0.0.1:9100", "http://localhost:9100", "http://LOCALHOST.:9100", "http://a.localhost:9100",
    "http://[::1]:9100", "http://[0:0:0:0:0:0:0:1]:9100", "http://[::ffff:127.0.0.1]:9100",
    "http://127.1:9100", "http://0x7f.1:9100", "http://2130706433:9100", "http://127.0.0.2:9100",
    "http://127.0.0.1:09100", "http://0.0.0.0:9100", "http://[::]:9100", "http://127.0.0.1:9100/",
    "http://127.0.0.1:9100/*", "ws://localhost:9100", "http://localhost:*", "http://localhost*",
    "http://[::1]*", "http://[::1]:*", "http://127.0.0.1*", "http://local*", "http://localhost:9*",
    "http://*", "http*", "*",
  ])
  func thisMachineIsForbiddenByEachOfItsNames(_ scope: String) {
    #expect(ServerScope.problem("http.fetch:" + scope) == nil)
    let set = PermissionSet(["*", "!fetch:" + scope])
    #expect(!set.allows(Self.own), "\(scope)")
    #expect(PermissionSet(["fetch:" + scope]).allows(Self.own), "\(scope)")
    let isForAll = ["http://*", "http*", "*"].contains(scope)
    #expect(set.allows(Self.other) != isForAll, "\(scope)")
    #expect(set.allows("http.fetch:https://127.0.0.1:9100") != (scope == "http*" || scope == "*"))
  }

  @Test(arguments: [
    ("http://a.test.:9100", "http://a.test:9100"), ("http://A.TEST:9100", "http://a.test:9100"),
    ("http://a.test:80", "http://a.test"), ("https://a.test:443/", "https://a.test"),
    ("http://[::ffff:10.9.9.9]:9100", "http://10.9.9.9:9100"), ("http://0x0a.9.9.9", "http://10.9.9.9"),
    ("http://[FD00:0:0::1]", "http://[fd00::1]"), ("http://a.test:*", "http://a.test:9100"),
    ("http://a.test:*", "http://a.test"), ("http://[fd00::1]:*", "http://[fd00::1]:9"),
    ("http://api.*", "http://api.example.org"), ("wss://a.test", "https://a.test"),
  ])
  func otherServersAreForbiddenByEachSpelling(_ scope: String, _ origin: String) {
    #expect(ServerScope.problem("http.fetch:" + scope) == nil)
    #expect(!PermissionSet(["*", "!fetch:" + scope]).allows("http.fetch:" + origin))
    #expect(PermissionSet(["fetch:" + scope]).allows("http.fetch:" + origin))
    #expect(!PermissionSet(["fetch:" + scope]).allows("http.fetch:http://b.test:9100"))
  }

  @Test func allPortsOfAHostAreNotThoseOfALongerName() {
    let set = PermissionSet(["fetch:http://a.test:*", "fetch:http://[::1]*"])
    #expect(!set.allows("http.fetch:http://a.test.evil.example"))
    #expect(!set.allows("http.fetch:http://127.0.0.11"))
  }

  @Test(arguments: [
    "http://*.test:9100", "http://b\u{FC}cher.test", "http://a.test/path", "http://a.test/path*",
    "http://user@a.test", "http://a.test:port", "http://a.test:70000", "http://[::1", "http://[::1]x",
    "http://1.2.3.4.5", "http://256.1.1.1", "http://127.0.0.2*", "ftp://a.test", "a.test", "",
    "http://", "http://a b", "http://a.test:9*0", "http://a%2Etest", "http://a.test:0*",
  ])
  func whatIsNoOriginKeepsTheProgramFromStarting(_ scope: String) {
    #expect(ServerScope.problem("http.fetch:" + scope)?.contains("is no origin") == true, "\(scope)")
    #expect(!PermissionSet(["fetch:" + scope]).allows(Self.own), "\(scope)")
  }

  @Test(arguments: [
    ("127.0.0.1:9200", "127.0.0.1:9200"), ("localhost:9200", "127.0.0.1:9200"),
    ("[0:0:0:0:0:0:0:1]:9200", "[::1]:9200"), ("127.0.0.1:09200", "127.0.0.1:9200"),
    ("127.0.0.1:*", "127.0.0.1:9200"), ("127.*", "127.0.0.1:9200"), ("127.0.0.1:9*", "127.0.0.1:9200"),
    ("*", "127.0.0.1:9200"), ("127.1:9200", "127.0.0.1:9200"), ("unix:/tmp/a.sock", "unix:/tmp/a.sock"),
    ("unix:/tmp/*", "unix:/tmp/a.sock"), ("unix:*", "unix:/tmp/a.sock"),
  ])
  func whereAScriptMayListenIsSaidInAnySpelling(_ scope: String, _ address: String) {
    #expect(ServerScope.problem("http.serve:" + scope) == nil)
    #expect(PermissionSet(["http.serve:" + scope]).allows("http.serve:" + address))
    #expect(!PermissionSet(["*", "!http.serve:" + scope]).allows("http.serve:" + address))
    #expect(PermissionSet(["*", "!http.serve:" + scope]).allows("http.serve:10.0.0.1:7") == (scope != "*"))
  }

  @Test(arguments: [
    "127.0.0.1", "9200", "::1:9200", "http://127.0.0.1:9200", "unix:/tmp", "unix:tmp/a", "*:9200", "", "x*",
    "unix:/tmp/a*b", "127.00*", "0177.*", "256.*", "127.0.0.1:99999*", "127.0.0.1:0*",
  ])
  func whatIsNoAddressToListenAtKeepsTheProgramFromStarting(_ scope: String) {
    #expect(ServerScope.problem("http.serve:" + scope)?.contains("is no address to listen at") == true)
  }

  @Test func aServerAtAllAddressesIsForbiddenWithEachOfThem() {
    for scope in ["127.0.0.1:9200", "127.0.0.1:*", "[::1]:9200", "127.*"] {
      let set = PermissionSet(["*", "!http.serve:" + scope])
      for all in ["0.0.0.0", "[::]"] { #expect(!set.allows("http.serve:\(all):9200"), "\(scope)") }
      #expect(set.allows("http.serve:0.0.0.0:9201") != scope.hasSuffix("*"))
      // Who is given one address is not given all.
      #expect(!PermissionSet(["http.serve:" + scope]).allows("http.serve:0.0.0.0:9200"))
    }
  }

  @Test func aSocketIsTheSameByALinkOfItsFolder() throws {
    let folder = try FilesFolder(["real/f": ""])
    symlink(folder / "real", folder / "link")
    let set = PermissionSet(["*", "!http.serve:unix:" + folder / "link/s"])
    #expect(!set.allows("http.serve:unix:" + RealPath.inRealFolder(folder / "real/s")))
    #expect(RealPath.inRealFolder(folder / "link/s") == RealPath.inRealFolder(folder / "real/s"))
  }

  /// The scheme's own port, too, and the dot behind a whole name.
  @Test(arguments: [
    ("http://a.test:80*", "http://a.test"), ("http://a.test:8*", "http://a.test"),
    ("https://a.test:44*", "https://a.test"), ("http://localhost:80*", "http://127.0.0.1"),
    ("http://localhost.*", "http://127.0.0.1:9100"), ("http://a.test.*", "http://a.test:9100"),
    ("http://[2001:db8:0:0::1]:*", "http://[2001:db8::1]:9100"),
    ("http://[2001:db8::1]:80*", "http://[2001:db8::1]"),
  ])
  func aBeginningNamesWhatIsLeftOut(_ scope: String, _ origin: String) {
    #expect(ServerScope.problem("http.fetch:" + scope, isDenial: true) == nil)
    #expect(PermissionSet(["fetch:" + scope]).allows("http.fetch:" + origin))
    #expect(!PermissionSet(["*", "!fetch:" + scope]).allows("http.fetch:" + origin))
    #expect(PermissionSet(["*", "!fetch:" + scope]).allows("http.fetch:http://b.test:9"))
  }

  /// Other ways of writing an address of IPv4: an entry that forbids would miss it; names begin so, too.
  @Test(arguments: ["0x7f*", "0x7F.0*", "0177.*", "2130706433*", "127.00*", "256.*", "12306.*"])
  func aBeginningThatIsAnotherNumberForbidsNothingWithoutAWord(_ host: String) {
    #expect(ServerScope.problem("http.fetch:http://" + host, isDenial: true) != nil)
    #expect((ServerScope.problem("http.fetch:http://" + host) == nil) != host.hasPrefix("127."))
  }

  @Test(arguments: [
    "[*", "[:*", "[::*", "[::1*", "[::102*", "[fd00:*", "[::ffff:*", "[0:0:0:0:0:ffff:*", "[2001:0db8*",
    "[2001:db8:*", "[1:2:3:4:5:6:7:8*", "[::g]:*", "a..b*", "a.test..*", ".*", "a:65536*", "a:0*",
  ])
  func aBeginningThatNoOriginHasKeepsTheProgramFromStarting(_ host: String) {
    #expect(ServerScope.problem("http.fetch:http://" + host) != nil)
  }

  @Test(arguments: [
    "10.*", "192.168.0.*", "1password.*", "0x.org*", "2*", "[::1]*", "[fd00::1]:*", "[fd00::1]:80*", "a.*",
    "a*",
  ])
  func aBeginningThatOriginsHaveIsOne(_ host: String) {
    #expect(ServerScope.problem("http.fetch:http://" + host) == nil)
    #expect(ServerScope.problem("http.fetch:http://" + host, isDenial: true) == nil)
  }
}
