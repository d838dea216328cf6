// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin
internal import WindowPlugin

/// The window of a program: how it is to be, and what joins it with its page's server and with the plugin.
struct ShownWindow {
  /// The plugin's way to it.
  let seat = WindowSeat()
  private let page: ServedPage
  private let options: RuntimeOptions
  private let settings: WindowSettings
  /// What the command line says of it, which comes before all else.
  private let asked: [String: String]
  private let look: WindowProcess.Look
  /// What stands behind the page on the command line.
  private let words: [String]
  private let watches: Bool

  /// - Throws: ``UsageError`` and ``BridgeError`` that say what is wrong with options and settings.
  init(_ arguments: ParsedArguments, _ page: ServedPage, _ options: RuntimeOptions) throws {
    (self.page, self.options) = (page, options)
    settings = try WindowSettings(options.settings["window"])
    asked = try Self.asked(arguments)
    look = try Self.look(arguments, settings, folder: options.bundle)
    words = Array(arguments.operands.dropFirst())
    watches = arguments.has("watch")
  }

  /// Opens it; where the app has one already, gives that the arguments, and ends the program.
  ///
  /// - Parameter data: where the app's page keeps things; nil for nowhere.
  func open(_ guests: Runtime.Guests, data: String?) throws -> (kept: [AnyObject], isEnding: () -> Bool) {
    var instance: WindowInstance?
    if settings.single == true, let data {
      guard let made = try takePlace(in: data, guests) else {
        guests.end(ExitStatus.success.code)
        return ([], { false })
      }
      instance = made
    }
    if !words.isEmpty { seat.tell(WindowEvent(.arguments, arguments: words)) }
    let server = try PageServer(
      page: page.name, folder: page.folder, port: 0, settings: options.settings, guests)
    let watcher = watches ? try PageWatcher(page.folder, guests, server) : nil
    server.events.said = ServeTalk.teller(options.output)
    let desk = WindowDesk(seat, desk(data), page: page.name, server, guests)
    let window = try show(server, data, desk, guests)
    let kept: [AnyObject?] = [server, window, desk, watcher, instance]
    return (kept.compactMap(\.self), server.isEnding)
  }

  /// Nil where another program of the app has the place.
  private func takePlace(in folder: String, _ guests: Runtime.Guests) throws -> WindowInstance? {
    try WindowInstance(folder, words, guests.loop) { [seat] words in
      if guests.isOver() { return false }
      seat.started(words)
      return true
    }
  }

  /// How windows are that the page opens: as the first, but for what app.json says of that one's page.
  private func desk(_ data: String?) -> WindowDesk.Look {
    var look = WindowDesk.Look()
    look.fields = Self.size
    for name in ["icon", "menu"] { look.fields[name] = self.look.fields[name] }
    look.memory = settings.restores == false ? nil : data
    return look
  }

  /// Starts the first window, and joins it with the plugin.
  private func show(
    _ server: PageServer, _ data: String?, _ desk: WindowDesk, _ guests: Runtime.Guests
  ) throws -> WindowProcess {
    let listener = WindowProcess.Listener { [weak desk] message in
      desk?.take(message)
    } ended: { [seat] status in
      seat.disconnect()
      guests.end(status)
    }
    var look = look
    // What the app says is for the first time; what the command says, for this one.
    for fields in [desk.keptOfFirst, asked] { look.fields.merge(fields) { $1 } }
    let window = try WindowProcess(look, server, id: options.app.id, data: data, guests.loop, listener)
    desk.connect(window)
    return window
  }

  private static let size = ["width": "1000", "height": "700"]

  private static func look(
    _ arguments: ParsedArguments, _ settings: WindowSettings, folder: String?
  ) throws -> WindowProcess.Look {
    var look = WindowProcess.Look()
    look.fields = try size.merging(settings.fields()) { $1 }
    if let icon = settings.icon { look.fields["icon"] = "\(folder ?? ".")/\(icon)" }
    look.inspects = arguments.has("inspect")
    look.isAutomated = arguments.has("automation")
    look.needsNoSandbox = arguments.has("no-sandbox")
    return look
  }

  private static func asked(_ arguments: ParsedArguments) throws -> [String: String] {
    var fields: [String: String] = [:]
    if let title = arguments.last("title") { fields["title"] = title }
    guard let size = arguments.last("size") else { return fields }
    let parts = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], (100...10_000).contains(width),
      (100...10_000).contains(height)
    else { throw UsageError("--size takes width and height in pixels, as 1000x700, not '\(size)'") }
    (fields["width"], fields["height"]) = ("\(width)", "\(height)")
    return fields
  }
}
