// SPDX-License-Identifier: MIT

import FoundationEssentials
import NBridgeHost
import NBridgePlugin
import NBridgeSystem
import NBridgeTesting
import TestSupport
import Testing

@testable import NBridgePages

/// Pages for browsers of other machines: over TLS, and for who knows the passphrase.
@Suite struct PassphraseTests {
  @Test func thePassphraseIsWorthTheCookie() throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let asked = try program.get("/")
    #expect(asked.status == 401 && asked.body.contains("action=\"/.nbridge/enter\""), "\(asked)")
    #expect(asked.header("Content-Security-Policy")?.hasPrefix("default-src 'none'; ") == true, "\(asked)")
    #expect(asked.header("Referrer-Policy") == "same-origin")
    let answer = try program.say(ServedProgram.passphrase)
    let cookie = try #require(answer.header("Set-Cookie"), "\(answer)")
    #expect(answer.status == 303 && answer.header("Location") == "/index.html")
    #expect(cookie.hasPrefix("__Host-nbridge-\(program.port)-"))
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure"))
    let page = try program.get("/index.html", String(cookie.prefix { $0 != ";" }))
    #expect(page.status == 200 && page.body.contains("bridge.js"))
    let policy = page.header("Content-Security-Policy") ?? ""
    #expect(policy.contains(" wss://\(program.host) ") && !policy.contains(" ws://"), "\(policy)")
  }

  @Test func callsGoOverTLS() throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([page.call("hello", #"{"name":"t"}"#, slot: 0)])
    #expect(try page.next().text == "Hello, t!")
  }

  /// Nobody is to be let in by what stands in a terminal, a history or a log.
  @Test func noTokenLetsIn() throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    #expect(program.printed == "https://\(program.host)/")
    let answer = try program.get("/?token=\(String(repeating: "0", count: 64))")
    #expect(answer.status == 401 && answer.header("Set-Cookie") == nil, "\(answer)")
    var door = PageDoor([.loopback], port: 1, isGuarded: true)
    let token = door.token
    #expect(door.open(token) == nil)
    var open = PageDoor([.loopback], port: 1, isGuarded: false)
    let worth = open.token
    #expect(open.open(worth)?.contains("Secure") == false)
  }

  @Test(arguments: ["/index.html", "/.nbridge/bridge.js", "/.nbridge/socket", "/.nbridge/enter", "/app.json"])
  func withoutItThereIsNothingButTheQuestion(_ path: String) throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let answer = try program.get(path, "__Host-nbridge-\(program.port)-00000000=0")
    #expect(answer.status == 401 && answer.body.contains("type=\"password\""), "\(answer)")
    #expect(answer.header("Set-Cookie") == nil)
  }

  @Test func wrongOnesAreMadeToWait() throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    var answer = try program.say("wrong")
    #expect(answer.status == 403 && answer.header("Set-Cookie") == nil, "\(answer)")
    // Each waits twice as long as the one before it: soon one comes too early.
    for _ in 0..<10 where answer.status == 403 { answer = try program.say("wrong") }
    #expect(answer.status == 429 && answer.body.contains("role=\"alert\""), "\(answer)")
    #expect(Int(answer.header("Retry-After") ?? "") ?? 0 > 0, "\(answer)")
  }

  @Test(arguments: [
    ("Origin", "https://evil.example", 403), ("Origin", "null", 403), ("Origin", "", 403),
    ("Origin", "http://127.0.0.1", 403), ("Sec-Fetch-Site", "cross-site", 403),
    ("Host", "evil.example", 421), ("Host", "127.0.0.1", 421), ("Content-Length", "5000", 413),
  ])
  func itIsTakenFromItsOwnPageOnly(_ name: String, _ value: String, _ status: Int) throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let isHost = name == "Host"
    // A body that is too long is read all the same before the answer comes.
    let filler = name == "Content-Length" ? String(repeating: "x", count: 5000) : ""
    let answer =
      filler.isEmpty
      ? try program.say(ServedProgram.passphrase, isHost ? [:] : [name: value], host: isHost ? value : nil)
      : try program.get(
        "/.nbridge/enter", nil, [name: value, "Origin": program.origin], method: "POST", body: filler)
    #expect(answer.status == status && answer.header("Set-Cookie") == nil, "\(answer)")
  }

  @Test func eachAddressIsTheOneThatWasGiven() throws {
    let program = try ServedProgram(hosts: ["127.0.0.1", "localhost"])
    defer { program.end() }
    let named = "localhost:\(program.port)"
    let answer = try program.say(
      ServedProgram.passphrase, ["Origin": "https://\(named)"], host: named)
    let cookie = try #require(answer.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
    #expect(answer.header("Content-Security-Policy")?.contains(" wss://\(named) ") == true, "\(answer)")
    #expect(try program.get("/index.html", cookie, host: "127.0.0.2:\(program.port)").status == 421)
    // A page of one address opens no socket of the other.
    #expect(throws: PageClient.Refused.self) {
      try PageClient(program.port, cookie, ["Host": named], certificate: program.certificate)
    }
    let both = ["Host": named, "Origin": "https://\(named)"]
    _ = try PageClient(program.port, cookie, both, certificate: program.certificate)
    #expect(throws: PageClient.Refused.self) {
      try PageClient(
        program.port, cookie, ["Origin": "http://\(program.host)"], certificate: program.certificate)
    }
  }

  /// Each would cost a thread that shakes hands, and the authorities of the system.
  @Test func clientsThatSayNothingHoldNobodyUp() throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let silent = try (0..<100).map { _ in try Wire(program.port) }
    #expect(try program.get("/").status == 401)
    withExtendedLifetime(silent) {}
  }

  /// RFC 8996.
  @Test(arguments: [("tls1", false), ("tls1_1", false), ("tls1_2", true), ("tls1_3", true)])
  func whatIsOlderThanTLSOneTwoGetsNoAnswer(_ version: String, _ isAnswered: Bool) throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let file = program.folder + ".told"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let request = "GET / HTTP/1.1\\r\\nHost: \(program.host)\\r\\nConnection: close\\r\\n\\r\\n"
    let ask = """
      printf '\(request)' | openssl s_client -quiet -\(version) -cipher ALL:@SECLEVEL=0 \
        -connect 127.0.0.1:\(program.port)
      """
    try ChildProcess.start("sh", ["-c", ask], streams: [1: .file(file), 2: .nothing]).wait()
    let told = try String(contentsOfFile: file, encoding: .utf8)
    #expect(told.hasPrefix("HTTP/1.1 401") == isAnswered && told.isEmpty != isAnswered, "\(told)")
  }

  /// Those of one address are no more than so many, whatever they say.
  @Test func oneAddressHasItsShareOfConnections() throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    var silent = try (0..<128).map { _ in try Wire(program.port) }
    let tooMany = try Wire(program.port)
    #expect((try? tooMany.receive())?.isEmpty != false)
    silent = []
    // The program hears of their ends one by one.
    let answers = (0..<100).lazy.map { _ in (try? program.get("/"))?.status }
    #expect(answers.contains(401) && silent.isEmpty)
  }

  /// libsoup's handlers are for all below their path, also for what we can't read.
  @Test(arguments: ["/.nbridge/socket/%ff", "/.nbridge/socket%ff", "/%ff"])
  func aPathThatIsNoTextIsNone(_ path: String) throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let answer = try program.get(
      path, program.enter(),
      [
        "Origin": "https://evil.example", "Upgrade": "websocket", "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
      ])
    #expect(answer.status == 404, "\(answer)")
  }

  @Test func withoutTLSThereIsNothingButAWordOfThat() throws {
    let program = try ServedProgram(hosts: [])
    defer { program.end() }
    let answer = try HTTPClient.get("/", program.host, port: program.port)
    #expect(answer.body == "This server speaks HTTPS, not HTTP: ask it with https:.\n", "\(answer)")
    // And the others go on.
    #expect(try program.get("/").status == 401)
  }

  @Test func onThisMachineNothingIsAskedFor() throws {
    let program = try ServedProgram()
    defer { program.end() }
    #expect(try program.say(ServedProgram.passphrase).status == 405)
    #expect(try program.get("/").body.hasPrefix("Open the link that nbridge serve has printed: "))
  }

  @Test func whatIsNoCertificateIsRefused() throws {
    let folder = TemporaryFolder.make()
    defer {
      for name in [folder, folder + ".other"] { TestCertificate.remove(name) }
      TemporaryFolder.remove(folder)
    }
    let pair = try TestCertificate(folder)
    let other = try TestCertificate(folder + ".other")
    func problem(_ certificate: String, _ key: String, _ hosts: [String] = []) -> String {
      do {
        _ = try PageReach(hosts: hosts, certificate: certificate, key: key) { "never asked for" }
        return ""
      } catch { return (error as? BridgeError)?.message ?? "\(error)" }
    }
    #expect(problem(pair.certificate, pair.key) == "")
    #expect(problem(pair.certificate, other.key).hasSuffix("the key is another certificate's"))
    #expect(problem(pair.key, pair.key).contains("are no certificate and key in PEM"))
    #expect(problem(pair.certificate + "x", pair.key).hasPrefix("--cert '\(pair.certificate)x': there is no"))
    #expect(problem(pair.certificate, folder).hasPrefix("--key: can't read"))
    let reach = try PageReach(
      hosts: ["127.0.0.1", "127.0.0.2", "localhost"], certificate: pair.certificate, key: pair.key
    ) { "" }
    #expect(reach.flaws == ["the certificate '\(pair.certificate)' is not for '127.0.0.2'"])
  }
}

/// What stands behind it, without a program.
@Suite struct PassphraseUnitTests {
  private static let second = 1_000_000

  @Test func eachWrongOneWaitsTwiceAsLong() {
    var gate = PassphraseGate("correct horse")
    var now = 5_000 * Self.second
    for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
      #expect(gate.take("wrong", from: "192.0.2.1", now: now) == .wrong)
      // The right one is not looked at either.
      #expect(gate.take("correct horse", from: "192.0.2.1", now: now) == .wait(seconds: wait))
      now += wait * Self.second
    }
    #expect(gate.take("correct horse", from: "192.0.2.2", now: now) == .right)
    #expect(gate.take("correct horse", from: "192.0.2.1", now: now) == .right)
    // What was right is forgotten.
    #expect(gate.take("wrong", from: "192.0.2.1", now: now) == .wrong)
    #expect(gate.take("wrong", from: "192.0.2.1", now: now) == .wait(seconds: 1))
  }

  @Test func tooManyOfAllTogetherWaitForAnHour() {
    var gate = PassphraseGate("correct horse")
    let now = 5_000 * Self.second
    for index in 0..<PassphraseGate.mostAnHour {
      #expect(gate.take("wrong", from: "198.51.100.\(index)", now: now) == .wrong)
    }
    #expect(gate.take("wrong", from: "203.0.113.1", now: now) == .wait(seconds: 3600))
    #expect(gate.take("correct horse", from: "203.0.113.2", now: now) == .wait(seconds: 3600))
    #expect(gate.take("correct horse", from: "203.0.113.2", now: now + 3600 * Self.second) == .right)
  }

  @Test func oneMachineWithManyAddressesIsOne() {
    var gate = PassphraseGate("correct horse")
    let now = 5_000 * Self.second
    #expect(gate.take("wrong", from: "2001:db8::1", now: now) == .wrong)
    #expect(gate.take("wrong", from: "2001:db8::ffff:2", now: now) == .wait(seconds: 1))
    #expect(gate.take("wrong", from: "2001:db8:0:1::1", now: now) == .wrong)
  }

  @Test(arguments: ["", "correct hors", "correct horse ", "correct horse\u{0}", "Correct horse"])
  func onlyTheSameIsRight(_ given: String) {
    var gate = PassphraseGate("correct horse")
    #expect(gate.take(given, from: "192.0.2.1", now: 0) == .wrong)
    let longest = String(repeating: "x", count: PassphraseGate.longest)
    var other = PassphraseGate(longest)
    #expect(other.take(longest + "x", from: "192.0.2.1", now: 0) == .wrong)
    #expect(other.take(longest, from: "192.0.2.2", now: 0) == .right)
  }

  @Test(
    arguments: [
      ("passphrase=a+b%26%C3%BC", "a b&ü"), ("passphrase=", ""), ("passphrase=a=b", "a=b"),
      ("passphrase", nil), ("word=a", nil), ("passphrase=a&b=c", nil), ("passphrase=%zz", nil),
      ("passphrase=%c", nil), ("passphrase=%ff", nil), ("", nil),
    ] as [(String, String?)])
  func itIsReadAsBrowsersSendIt(_ body: String, _ passphrase: String?) {
    #expect(PassphraseForm.passphrase(in: body.utf8) == passphrase)
  }

  @Test(arguments: [
    ("192.168.1.5", "192.168.1.5:8443"), ("[FD00:0::5]", "[fd00::5]:8443"), ("::1", "[::1]:8443"),
    ("LocalHost", "localhost:8443"),
  ])
  func addressesAreWrittenAsBrowsersDo(_ given: String, _ host: String) throws {
    #expect(try PageAddress(given).host(port: 8443, usual: 443) == host)
    #expect(try PageAddress(given).host(port: 443, usual: 443) == String(host.dropLast(5)))
  }

  @Test(arguments: [
    ("0.0.0.0", "every address"), ("::", "every address"), ("::ffff:1.2.3.4", "the IPv4 address"),
    ("localhost:80", "without a port"), ("1.2.3", "not '1.2.3'"), ("0x7f", "not '0x7f'"), ("", "not ''"),
    ("a b", "not 'a b'"), ("bücher.example", "in ASCII"), ("nobody.invalid", "leads nowhere"),
  ])
  func whatNoBrowserOpensIsNoAddress(_ given: String, _ reason: String) {
    let error = #expect(throws: BridgeError.self) { try PageAddress(given) }
    #expect(error?.message.contains(reason) == true, "\(given): \(error?.message ?? "")")
  }
}
