// SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
import Glibc
import NBridge
import NBridgeHost
import NBridgePages
import NBridgePlugin
import NBridgeSystem
import NBridgeTesting
import StressPlugins
import Synchronization

/// A program that serves a page, on a thread of its own, and what a browser would have of it.
final class ServedProgram: Sendable {
  let port: Int
  let folder: String
  /// What it shows over TLS; nil where it serves this machine only.
  let certificate: String?
  static let passphrase = "correct horse & bättery"
  private let link: Mutex<String>
  private let controller: RuntimeControl
  private let questions: TabQuestions
  private let ended = DispatchSemaphore(value: 0)

  struct Started: Sendable {
    let port: Int
    let link: String
    let controller: RuntimeControl
    let questions: TabQuestions
  }

  /// - Parameters:
  ///   - files: of the page's folder, by name.
  ///   - hosts: where other machines' browsers come, too; nil for this machine's only.
  ///   - asks: whether pages are asked to run something.
  ///   - clock: of its loop.
  init(
    _ files: [String: String] = [:], permissions: [String]? = nil, hosts: [String]? = nil, asks: Bool = false,
    clock: any LoopClock = SystemClock()
  ) throws {
    folder = TemporaryFolder.make()
    let pair = hosts == nil ? nil : try TestCertificate(folder)
    certificate = pair?.certificate
    let page = ["index.html": "<!doctype html><p>page</p>"]
    for (name, text) in page.merging(files, uniquingKeysWith: { $1 }) {
      let path = "\(folder)/\(name)"
      let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
    let started = Mutex<Result<Started, any Error>?>(nil)
    let isUp = DispatchSemaphore(value: 0)
    let (folder, ended) = (folder, ended)
    PlainThread.start("nb-served", stackSize: 8 << 20) {
      var options = RuntimeOptions()
      options.container = folder + ".container"
      options.patience = nil
      options.clock = clock
      options.output = CapturedOutput()
      if let permissions { options.permissions = PermissionSet(permissions) }
      do {
        let runtime = try Runtime(options, plugins: [ProbePlugin(), AttackedPlugin()])
        _ = try runtime.runForGuests { guests in
          let reach = try pair.map {
            try PageReach(hosts: hosts ?? [], certificate: $0.certificate, key: $0.key) { Self.passphrase }
          }
          let tabs = PageTabs()
          let server = try PageServer(
            page: "index.html", folder: folder, port: 0, reach: reach, tabs: asks ? tabs : nil,
            settings: [:], guests)
          started.withLock {
            $0 = .success(
              Started(
                port: server.port, link: server.link, controller: runtime.controller,
                questions: TabQuestions(tabs, guests.loop)))
          }
          isUp.signal()
          return ([server], server.isEnding)
        }
      } catch {
        started.withLock { $0 = .failure(error) }
        isUp.signal()
      }
      ended.signal()
    }
    isUp.wait()
    guard let made = try started.withLock({ $0 })?.get() else {
      throw BridgeError(.unavailable, "not started")
    }
    port = made.port
    link = Mutex(made.link)
    controller = made.controller
    questions = made.questions
  }

  /// Has a tab run something.
  func ask(_ tab: Int, _ code: String) -> TabQuestions.Asked { questions.ask(tab, code) }

  /// The tabs that are there.
  var tabs: [PageTabs.Tab] { questions.all }

  /// Asks it to end.
  func stop() { controller.interrupt() }

  /// Ends it, and waits for that.
  func end() {
    stop()
    ended.wait()
    try? FileManager.default.removeItem(atPath: folder)
    try? FileManager.default.removeItem(atPath: folder + ".container")
    TestCertificate.remove(folder)
  }

  var host: String { "127.0.0.1:\(port)" }
  var origin: String { (certificate == nil ? "http://" : "https://") + host }
  /// As it is printed.
  var printed: String { link.withLock { $0 } }
  /// What the link says behind the address.
  var token: String { link.withLock { $0.split(separator: "=").last.map(String.init) ?? "" } }

  /// What a browser gets that has this cookie.
  func get(
    _ path: String, _ cookie: String? = nil, _ headers: [String: String] = [:], host: String? = nil,
    method: String = "GET", body: String = ""
  ) throws -> HTTPClient.Answer {
    var headers = headers
    if let cookie { headers["Cookie"] = cookie }
    return try HTTPClient.get(
      path, host ?? self.host, headers, method: method, body: body, port: port, certificate: certificate)
  }

  /// The cookie for the first visit.
  func enter() throws -> String {
    let answer = try certificate == nil ? get("/?token=\(token)") : say(Self.passphrase)
    guard let cookie = answer.header("Set-Cookie")?.split(separator: ";").first else {
      throw BridgeError(.unavailable, "no cookie: \(answer)")
    }
    return String(cookie)
  }

  /// What the page that asks for the passphrase gets when somebody has typed one.
  func say(_ passphrase: String, _ headers: [String: String] = [:], host: String? = nil) throws
    -> HTTPClient.Answer
  {
    let typed = passphrase.utf8.map { "%" + String(Int($0) + 0x100, radix: 16).suffix(2) }.joined()
    let body = "passphrase=" + typed
    var fields = [
      "Origin": origin, "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": "\(body.utf8.count)",
    ]
    for (name, value) in headers { fields[name] = value.isEmpty ? nil : value }
    return try get("/.nbridge/enter", nil, fields, host: host, method: "POST", body: body)
  }

  /// A ticket for a new session.
  func ticket(_ cookie: String) throws -> String {
    let script = try get("/.nbridge/bridge.js", cookie).body
    return String(script.split(separator: "\"").dropLast().last ?? "")
  }

  /// A page's socket, whose session is open.
  func join(_ cookie: String) throws -> PageClient {
    let client = try PageClient(port, cookie, certificate: certificate)
    _ = try client.greet(try ticket(cookie))
    return client
  }
}
