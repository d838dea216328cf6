// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin
internal import WindowPlugin

/// The windows of a program: which there are, what they show, and what of them is kept for the next start.
/// Stands between their program and the plugin. Confined to the engine's thread.
final class WindowDesk {
  /// How a window is, where neither the script nor an earlier start says it.
  struct Look {
    /// As windows are told: size, icon, menu.
    var fields: [String: String] = [:]
    /// Where it is kept how they were; nil for nowhere.
    var memory: String?
  }

  private let seat: WindowSeat
  private let look: Look
  private let guests: Runtime.Guests
  private unowned let server: PageServer
  private weak var process: WindowProcess?
  private var windows: WindowList
  /// The page that the app begins with.
  private let main: String
  private var isInBackground = false

  init(
    _ seat: WindowSeat, _ look: Look, page: String, _ server: PageServer, _ guests: Runtime.Guests
  ) {
    (self.seat, self.look, main, self.server, self.guests) = (seat, look, page, server, guests)
    windows = WindowList(WindowSeat.first, showing: page)
  }

  /// The first window's program is there.
  func connect(_ process: WindowProcess) {
    self.process = process
    let desk = DeskSender(self)
    seat.connect { [loop = guests.loop] message in loop.post { desk.send(message) } }
    server.events.joined = { [seat] window, session in seat.joined(window, session: session) }
    server.events.left = { [seat] session in seat.left(session: session) }
  }

  /// How the first window was when it was closed.
  var keptOfFirst: [String: String] { memory(of: main)?.fields ?? [:] }

  /// How a page's window was when it was closed; nothing while another one shows it, too.
  private func kept(of page: String) -> [String: String] {
    windows.isShowing(page) ? [:] : memory(of: page)?.fields ?? [:]
  }

  private func memory(of page: String) -> WindowMemory? {
    look.memory.flatMap { WindowMemory($0, page: page == main ? nil : page) }
  }

  // MARK: - What windows say

  func take(_ message: [String: String]) {
    let number = message["window"].flatMap { Int($0) } ?? WindowSeat.first
    switch message["event"] {
    case "closed":
      if let page = windows.close(number) { memory(of: page)?.keep(message) }
    case "hidden": windows.note(number, isHidden: true)
    case "shown": windows.note(number, isHidden: false)
    default: break
    }
    noteBackground()
    seat.take(message)
  }

  /// An app that nobody can see any window of is in the background.
  private func noteBackground() {
    guard windows.isHidden != isInBackground, !guests.isOver() else { return }
    isInBackground.toggle()
    guests.enterBackground(isInBackground)
  }

  // MARK: - What they are asked

  fileprivate func ask(_ message: [String: String]) {
    guard message["do"] == "open" else { return process?.send(message) ?? () }
    do { try open(message) } catch let error as BridgeError {
      seat.take(["answer": message["number"] ?? "", "error": error.message, "code": error.code.rawValue])
    } catch { seat.take(["answer": message["number"] ?? "", "error": "\(error)"]) }
  }

  private func open(_ message: [String: String]) throws {
    let given = message["page"] ?? ""
    let page = try PagePath(given)
    guard server.has(page.path) else {
      throw BridgeError(.notFound, "option.page '\(given)': there is no such file in the app's folder")
    }
    guard let process else { throw BridgeError(.closed, "the windows have been closed") }
    var fields = look.fields
    // What the script says is for this time.
    for more in [kept(of: page.path), message] { fields.merge(more) { $1 } }
    let number = try windows.open(page.path)
    fields["window"] = "\(number)"
    fields["page"] = process.address(of: page)
    seat.opened(number)
    process.send(fields)
  }
}

/// The desk, for closures of other threads. Used on the engine's thread only, to which they post.
private final class DeskSender: @unchecked Sendable {
  private weak var desk: WindowDesk?
  init(_ desk: WindowDesk) { self.desk = desk }
  func send(_ message: [String: String]) { desk?.ask(message) }
}
