// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import AppPlugin
@testable import NBridgeSystem

/// A folder of one test, which goes with it.
final class AppFolder {
  let path = TemporaryFolder.make()
  deinit { TemporaryFolder.remove(path) }
  var shared: SharedFolders { SharedFolders(below: path) }
}

/// URLs, registered apps, running ones, and what goes between them.
@Suite struct HandOverMachineTests {
  // MARK: - Schemes

  @Test(arguments: [
    ("a:", "a"), ("Shop:item/7?x=ä", "shop"), ("a+b-c.d1:x", "a+b-c.d1"), ("https://example.org/", "https"),
    ("a::", "a"),
    ("", nil), (":x", nil), ("a", nil), ("1a:x", nil), ("+a:x", nil), ("a b:x", nil), ("a:x y", nil),
    ("a:\n", nil), ("a:\0", nil),
    ("a:\u{7F}", nil), ("é:x", nil), (" a:x", nil), ("a_b:x", nil), ("//x", nil), ("./a:x", nil),
    ("\u{212A}ey:x", nil), ("\u{130}d:x", nil),
  ])
  func aURLHasAScheme(_ url: String, _ scheme: String?) {
    #expect((try? URLScheme.of(url)) == scheme, "\(url)")
  }

  @Test func aURLHasALimitAndIsNeverShown() {
    #expect((try? URLScheme.of("a:" + String(repeating: "x", count: URLScheme.longestURL - 2))) == "a")
    for (url, code) in [
      ("a:" + String(repeating: "x", count: URLScheme.longestURL - 1), "too_large"),
      ("sec ret:x", "invalid_parameter"),
    ] {
      do {
        _ = try URLScheme.of(url)
        Issue.record("it was taken")
      } catch {
        #expect((error as? BridgeError)?.code.rawValue == code)
        #expect(!((error as? BridgeError)?.message.contains("ret:") ?? true))
      }
    }
    #expect(
      (try? URLScheme.of(String(repeating: "a", count: 64) + ":x")) != nil
        && (try? URLScheme.of(String(repeating: "a", count: 65) + ":x")) == nil)
  }

  @Test(arguments: [
    ("shop", true), ("x-y.z+1", true), ("Shop", false), ("", false), ("1a", false), ("http", false),
    ("javascript", false), ("file", false),
    ("wss", false), ("a/b", false), ("a;b", false), ("a\nb", false), ("mailto", false), ("mailtox", true),
    (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false),
  ])
  func anAppClaimsWhatIsNobodys(_ scheme: String, _ isGood: Bool) {
    #expect(((try? URLScheme.checkClaim(scheme)) != nil) == isGood)
  }

  // MARK: - What the desktop is told

  static func app(
    _ id: String, _ schemes: [String] = ["shop"], name: String = "Shop", program: String = "/usr/bin/nbridge"
  ) -> RegisteredApp {
    RegisteredApp(id: id, name: name, schemes: schemes, script: "/home/ada/shop.js", program: program)
  }

  /// The entry as the specification has it read: lines of keys, each value unescaped.
  static func entries(_ text: String) -> [(key: String, value: String)] {
    text.utf8.split(separator: 0x0A).dropFirst().map { line in
      let line = String(decoding: line, as: UTF8.self), equals = line.firstIndex(of: "=") ?? line.endIndex
      return (
        String(line[..<equals]), equals == line.endIndex ? "" : String(line[line.index(after: equals)...])
      )
    }
  }

  static func unescaped(_ value: String) -> String {
    var result = String.UnicodeScalarView(), isEscape = false
    for scalar in value.unicodeScalars {
      if isEscape {
        result.append(scalar == "n" ? "\n" : scalar == "r" ? "\r" : scalar)
        isEscape = false
      } else if scalar == "\\" {
        isEscape = true
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  @Test(arguments: [
    "Shop", "My \\ Shop", "a\nExec=rm -rf", "a\r\nExec=rm", "a\rb", "\n\n[Other]", "漢", "a=b;c", "\\n", "",
    "x\u{301}\n\u{301}Exec=y",
  ])
  func aNameIsOneValueWhateverIsInIt(_ name: String) {
    let entries = Self.entries(DesktopEntry(Self.app("a", name: name)).text)
    #expect(
      entries.map(\.key) == ["Type", "Name", "Exec", "MimeType", "NoDisplay", "Terminal"], "\(entries)")
    #expect(Array(Self.unescaped(entries[1].value).unicodeScalars) == Array(name.unicodeScalars))
  }

  /// `Exec` is unescaped as a value and then taken apart as a command: one program, whatever its path is.
  @Test(arguments: [
    "/usr/bin/nbridge", "/a b/nbridge", "/a\"b", "/a$HOME`x`", "/a\\b", "/100%", "/%u", "/a\nb", "/a\r\nb",
    "/a\"\u{301}b", "/a'b;c&d|e", "/a\\",
  ])
  func aProgramIsOneArgument(_ program: String) {
    let entries = Self.entries(DesktopEntry(Self.app("a", program: program)).text)
    #expect(entries.count == 6)
    let command = Array(Self.unescaped(entries[2].value).unicodeScalars)
    #expect(command.first == "\"")
    var argument = String.UnicodeScalarView(), at = 1
    while at < command.count, command[at] != "\"" {
      if command[at] == "\\" || command[at] == "%" && at + 1 < command.count && command[at + 1] == "%" {
        at += 1
      }
      argument.append(command[at])
      at += 1
    }
    #expect(Array(argument) == Array(program.unicodeScalars))
    var rest = String.UnicodeScalarView()
    rest.append(contentsOf: command[min(at + 1, command.count)...])
    #expect(String(rest) == " open %u", "\(program)")
  }

  // MARK: - Registered apps

  @Test func anAppIsRegisteredReplacedAndTakenOut() throws {
    let folder = AppFolder(), registry = AppRegistry(folder.shared)
    #expect(registry.all().isEmpty && !registry.unregister("org.a"))
    try registry.register(Self.app("org.a", ["shop", "buy"]))
    try registry.register(Self.app("org.b", ["sell"]))
    #expect(registry.all().map(\.id) == ["org.a", "org.b"] && registry.app(for: "buy")?.id == "org.a")
    try registry.register(Self.app("org.a", ["shop"]))
    #expect(registry.app(for: "buy") == nil && registry.app(for: "shop")?.schemes == ["shop"])
    #expect(registry.unregister("org.a") && !registry.unregister("org.a") && registry.app(for: "shop") == nil)
    try registry.register(Self.app("org.c", ["shop"]))
    #expect(registry.app(for: "shop")?.id == "org.c")
  }

  @Test func aSchemeBelongsToOneAppAndBothAreNamed() throws {
    let folder = AppFolder(), registry = AppRegistry(folder.shared)
    try registry.register(Self.app("org.a", ["shop"]))
    do {
      try registry.register(Self.app("org.b", ["other", "shop"]))
      Issue.record("two have it")
    } catch {
      let error = error as? BridgeError
      #expect(
        error?.code == .conflict
          && ["shop:", "org.a", "org.b"].allSatisfy { error?.message.contains($0) ?? false })
    }
    #expect(registry.all().map(\.id) == ["org.a"] && registry.app(for: "other") == nil)
    #expect(throws: BridgeError.self) { try registry.register(Self.app("org.c", ["ok", "http"])) }
  }

  @Test(arguments: ["../evil", "a/b", "/x", "", "a\0b"]) func anIdLeadsNowhereElse(_ id: String) throws {
    let folder = AppFolder(), registry = AppRegistry(folder.shared)
    #expect(throws: BridgeError.self) { try registry.register(Self.app(id)) }
    #expect(!registry.unregister(id) && registry.all().isEmpty)
    let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    #expect(all.allSatisfy { !$0.hasSuffix(".json") }, "\(all)")
  }

  @Test func filesThatAreNoRecordsAreLeftOut() throws {
    let folder = AppFolder(), registry = AppRegistry(folder.shared), apps = folder.shared.data + "/apps"
    try registry.register(Self.app("org.good"))
    let text = { (app: RegisteredApp) in Data(try Value(encoding: app).text) }
    try text(Self.app("org.other", ["x"])).write(to: URL(fileURLWithPath: apps + "/org.wrong.json"))
    for (name, bytes) in [
      ("a.json", "{"), ("b.json", ""), ("c.json", "[]"), ("d.txt", "{}"), ("e.json", "\u{0}"),
    ] {
      try Data(bytes.utf8).write(to: URL(fileURLWithPath: "\(apps)/\(name)"))
    }
    let outside = folder.path + "/outside.json"
    try text(Self.app("link", ["y"])).write(to: URL(fileURLWithPath: outside))
    #expect(symlink(outside, apps + "/link.json") == 0 && mkdir(apps + "/folder.json", 0o700) == 0)
    let huge = open(apps + "/huge.json", O_RDWR | O_CREAT, 0o600)
    #expect(ftruncate(huge, 1 << 40) == 0)
    close(huge)
    #expect(
      registry.all().map(\.id) == ["org.good"] && registry.app(for: "x") == nil
        && registry.app(for: "y") == nil)
  }

  // MARK: - Running apps

  /// A process that says that it runs: its file, locked.
  static func running(_ apps: RunningApps, _ claim: RunningApps.Claim, _ name: String, locks: Bool = true)
    throws -> Int32
  {
    try FileManager.default.createDirectory(
      atPath: apps.folder(of: claim.id), withIntermediateDirectories: true)
    let file = open("\(apps.folder(of: claim.id))/\(name).json", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let text = try Value(encoding: claim).text
    #expect(file >= 0 && write(file, text, text.count) == text.count)
    if locks { #expect(flock(file, LOCK_EX | LOCK_NB) == 0) }
    return file
  }

  @Test func whoRunsIsFoundAndWhatTheKilledLeftGoes() throws {
    let folder = AppFolder(), apps = RunningApps(shared: folder.shared)
    #expect(apps.instances(of: "a").isEmpty && apps.app(for: "shop") == nil)
    let claim = RunningApps.Claim(id: "a", name: "A", schemes: ["shop"], place: "/a")
    let living = try Self.running(apps, claim, "one")
    let dead = try Self.running(
      apps, RunningApps.Claim(id: "b", name: "B", schemes: ["sell"], place: "/b"), "two", locks: false)
    close(dead)
    #expect(apps.app(for: "shop")?.id == "a" && apps.app(for: "sell") == nil)
    #expect(
      apps.instances(of: "a").count == 1 && apps.instances(of: "b").isEmpty,
      "what nobody locks was taken away")
    close(living)
    #expect(apps.app(for: "shop") == nil && apps.instances(of: "a").isEmpty)
  }

  @Test func whoSaysToBeAnotherIsNobody() throws {
    let folder = AppFolder(), apps = RunningApps(shared: folder.shared)
    let claim = RunningApps.Claim(id: "a", name: "A", schemes: ["shop"], place: "/a")
    let file = try Self.running(apps, claim, "one")
    defer { close(file) }
    try FileManager.default.createDirectory(atPath: apps.folder(of: "b"), withIntermediateDirectories: true)
    #expect(link(apps.folder(of: "a") + "/one.json", apps.folder(of: "b") + "/one.json") == 0)
    let instance = try #require(apps.instances(of: "b").first)
    #expect(apps.isAlive(instance) && apps.claim(instance) == nil)
    // A thing that is no file does not hold up the reader.
    #expect(mkfifo(apps.folder(of: "b") + "/pipe.json", 0o600) == 0)
    #expect(symlink("/dev/zero", apps.folder(of: "b") + "/link.json") == 0)
    #expect(apps.app(for: "shop")?.id == "a" && apps.app(for: "none") == nil)
  }

  @Test func theLatestOfAnAppComesFirst() throws {
    let folder = AppFolder(), apps = RunningApps(shared: folder.shared)
    var files: [Int32] = []
    defer { for file in files { close(file) } }
    for (index, name) in ["old", "new", "middle"].enumerated() {
      files.append(
        try Self.running(apps, RunningApps.Claim(id: "a", name: "A", schemes: [], place: ""), name))
      let second = [100, 300, 200][index]
      let times = [timespec(tv_sec: second, tv_nsec: 0), timespec(tv_sec: second, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, apps.folder(of: "a") + "/\(name).json", times, 0) == 0)
    }
    #expect(apps.instances(of: "a").map(\.name) == ["new", "middle", "old"])
  }

  // MARK: - Messages

  static func pair() -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func aMessageComesAsItWent() throws {
    let (near, far) = Self.pair()
    let socket = LocalSocket(taking: near)
    defer { close(far) }
    for text in ["", "x", String(repeating: "é", count: 20_000)] {
      let value = try Value(encoding: ["url": text])
      #expect(LocalSocket.send(value, over: far))
      let text = socket.receive(milliseconds: 10_000)?.text
      #expect(text == value.text)
    }
    let isOwn = socket.isOwn
    #expect(isOwn)
  }

  @Test(
    arguments: [
      [], [1, 0, 0], [5, 0, 0, 0, 1, 2], [0xFF, 0xFF, 0xFF, 0xFF], [1, 0, 0x40, 0], [0, 0, 0, 0],
      [3, 0, 0, 0, 1, 2, 3],
    ] as [[UInt8]]) func whatIsNoMessageIsNone(_ bytes: [UInt8])
  {
    let (near, far) = Self.pair()
    let socket = LocalSocket(taking: near)
    if !bytes.isEmpty { #expect(write(far, bytes, bytes.count) == bytes.count) }
    close(far)
    let isNone = socket.receive(milliseconds: 10_000) == nil
    #expect(isNone)
  }

  @Test func whoSaysNothingIsNotWaitedForForEver() {
    let (near, far) = Self.pair()
    let socket = LocalSocket(taking: near)
    let begin = MonotonicTime.milliseconds
    var isNone = socket.receive(milliseconds: 30) == nil
    #expect(isNone && MonotonicTime.milliseconds - begin >= 30)
    // Nor for a sender that says a little now and then.
    #expect(write(far, [100, 0, 0], 3) == 3)
    isNone = socket.receive(milliseconds: 30) == nil
    #expect(isNone)
    // Not close() alone: a child that another test has just forked may hold a copy of this end.
    shutdown(far, Int32(SHUT_RDWR))
    close(far)
    #expect(!LocalSocket.send(.null, over: near))
    socket.waitForEnd()
  }

  static func isConnected(_ name: String, _ folder: String) throws -> Bool {
    if let socket = try LocalSocket.connected(name, in: folder, milliseconds: 10_000) {
      return socket.descriptor >= 0
    }
    return false
  }

  @Test func nobodyThereIsNoError() throws {
    let folder = AppFolder()
    #expect(try !Self.isConnected("none", folder.path))
    let listener = try LocalSocket.listening("here", in: folder.path)
    #expect(try Self.isConnected("here", folder.path))
    let descriptor = listener.number
    #expect(descriptor >= 0)
    #expect(throws: BridgeError.self) { _ = try LocalSocket.listening("here", in: folder.path) }
    #expect(throws: BridgeError.self) { _ = try LocalSocket.listening("x", in: folder.path + "/none") }
  }
}
