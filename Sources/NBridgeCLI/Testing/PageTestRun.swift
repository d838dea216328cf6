// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem
internal import WindowPlugin

/// One file of tests in a page: the half of the process that has the plugins behind it.
enum PageTestRun {
  static func run(
    _ file: String, in front: TestFront, _ setup: TestSetup, _ options: RuntimeOptions,
    _ arguments: ParsedArguments
  ) throws -> ExitStatus {
    let (folder, name) = try place(of: file, options, front)
    let tests = PageTests(file: name, filter: setup.filter, maxFailures: setup.maxFailures)
    var options = options
    // What is wrong with an app.json was told once for all files.
    options.testing = setup
    options.testing?.countsCoverage = false
    let patience = options.patience
    // Nothing is ever left to be done: it waits for the page.
    options.patience = nil
    let seat = WindowSeat()
    return try ProgramOptions.run(options, arguments, window: seat) { runtime in
      try runtime.runForGuests { guests in
        let server = try PageServer(
          page: PageTests.page, folder: folder, port: 0, tests: tests, settings: options.settings, guests)
        let watch = PageTestWatch(setup, guests, patience: patience)
        server.events.tested = { watch.take($0) }
        server.events.said = { [output = options.output] level, text in
          if level == "error" || level == "warn" {
            output.writeError(text + "\n")
          } else {
            output.write(text + "\n")
          }
        }
        let shown =
          front == .window
          ? try window(server, options, seat, guests, watch)
          : [try TestBrowser(server.link, guests.loop) { watch.isGone("the browser", $0) }]
        return (shown + [server, watch], server.isEnding)
      }
    }
  }

  /// The folder that is served, the app's, and the file's path in it.
  private static func place(
    of file: String, _ options: RuntimeOptions, _ front: TestFront
  ) throws -> (folder: String, name: String) {
    guard file.hasSuffix(".js") || file.hasSuffix(".mjs") else {
      throw BridgeError(
        .unavailable,
        "'\(file)' can't run in \(front): a page loads scripts as they are, .js and .mjs; leave it to "
          + "headless")
    }
    let path = RealPath(file)?.string ?? file
    let own = String(path[..<(path.lastSlash ?? path.startIndex)])
    let app = options.bundle.flatMap { RealPath($0)?.string } ?? own
    let folder = path.hasPrefix(app + "/") ? app : own
    return (folder, String(path.dropFirst(folder.count + 1)))
  }

  private static func window(
    _ server: PageServer, _ options: RuntimeOptions, _ seat: WindowSeat, _ guests: Runtime.Guests,
    _ watch: PageTestWatch
  ) throws -> [AnyObject] {
    var opened = WindowDesk.Look()
    opened.fields = ["width": "1000", "height": "700"]
    let desk = WindowDesk(seat, opened, page: PageTests.page, server, guests)
    let listener = WindowProcess.Listener { [weak desk] message in
      desk?.take(message)
    } ended: { [seat] _ in
      seat.disconnect()
      watch.isGone("the window", "")
    }
    var look = WindowProcess.Look()
    look.fields = opened.fields
    let window = try WindowProcess(look, server, id: options.app.id, data: nil, guests.loop, listener)
    desk.connect(window)
    return [window, desk]
  }
}

/// Takes the record of a page's tests, and ends the program with it. Confined to the engine's thread.
final class PageTestWatch {
  private let setup: TestSetup
  private let guests: Runtime.Guests
  /// When the page said something last, in microseconds.
  private var last: Int
  private var isOver = false

  private static let second = 1_000_000

  /// - Parameter patience: how long the page may say nothing, in seconds; nil for ever.
  init(_ setup: TestSetup, _ guests: Runtime.Guests, patience: Double?) {
    (self.setup, self.guests) = (setup, guests)
    last = guests.loop.clock.now
    if let patience { look(Int(min(patience, 1e9) * Double(Self.second)), patience) }
  }

  private func look(_ limit: Int, _ patience: Double) {
    guests.loop.schedule(at: guests.loop.clock.now + min(limit, Self.second)) { [weak self] in
      guard let self, !isOver else { return }
      guard guests.loop.clock.now - last >= limit else { return look(limit, patience) }
      fail("the page has said nothing for \(patience) s: a loop that holds it, or tests that are not found")
    }
  }

  /// Takes a line of the record.
  func take(_ line: String) {
    last = guests.loop.clock.now
    guard let record = try? Value(text: Array(line.utf8)).decode(TestRecord.self) else {
      let failure = TestLine.Failure(name: "Error", message: "a line of the record is damaged")
      return setup.record(.failed(failure))
    }
    setup.record(record.comparingTexts())
    if record == .finished { end(0) }
  }

  /// What showed the page has ended.
  func isGone(_ what: String, _ said: String) {
    if !isOver { fail("\(what) has ended before the tests had" + (said.isEmpty ? "" : ": \(said)")) }
  }

  private func fail(_ reason: String) {
    setup.record(.failed(TestLine.Failure(name: "Error", message: reason)))
    end(1)
  }

  private func end(_ status: Int32) {
    if !isOver { guests.end(status) }
    isOver = true
  }
}
