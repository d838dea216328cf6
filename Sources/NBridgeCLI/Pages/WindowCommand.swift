// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem
internal import WindowPlugin

/// `nbridge window`: a page in a window of its own, with the plugins behind it.
enum WindowCommand: Command {
  static let name = "window"
  static let summary = "Shows a page in a window of its own, with the native plugins behind it."
  static let operands = "[PAGE|FOLDER|app.json] [ARGUMENT…]"

  static let options =
    [
      OptionSpec("title", value: "TEXT", "The window's title; without it, the page's."),
      OptionSpec("size", value: "SIZE", "How large the window is at first, in pixels; 1000x700 without it."),
      OptionSpec("watch", "Loads the page again when a file beside it changes, styles without that."),
      OptionSpec("inspect", "Lets F12 open WebKit's inspector."),
      OptionSpec("automation", "Lets a WebDriver drive the window, for tests."),
      OptionSpec("no-sandbox", "Goes on where the page's process can't be put into a sandbox."),
    ] + ProgramOptions.specs

  static let notes = """
    It needs a desktop, and WebKitGTK: see make window. The page has no network and no files but its own, and
    calls what app.json allows. "plugins": {"window": …} there gives the window its title, size, icon and
    menu; the page changes them by nbridge.window. Arguments come to the page as an event. The window comes
    back where it was closed. Keys: ^R loads again, ^W closes, ^+ ^- ^0 size, F11 full screen, ^P prints.
    """

  static let examples: [(line: String, does: String)] = [
    ("nbridge window www/notes", "shows the notes app"),
    ("nbridge window --watch --inspect --size 400x800 page.html", "while a page is written"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let page = try ServedPage(operand(arguments), arguments)
    var options = try ProgramOptions.read(arguments, script: page.path)
    // Nothing is ever left to be done: it waits for the window.
    options.patience = nil
    let settings = try WindowSettings(options.settings["window"])
    let asked = try asked(arguments)
    var look = try look(arguments, settings, folder: options.bundle)
    let seat = WindowSeat()
    return try ProgramOptions.run(options, arguments, window: seat) { runtime in
      try runtime.runForGuests { guests in
        let data = try? runtime.folderForPages()
        let words = Array(arguments.operands.dropFirst())
        var instance: WindowInstance?
        if settings.single == true, let data {
          instance = try WindowInstance(data, words, guests.loop) { words in
            if guests.isOver() { return false }
            seat.started(words)
            return true
          }
          guard instance != nil else {
            guests.end(ExitStatus.success.code)
            return ([], { false })
          }
        }
        if !words.isEmpty { seat.tell(WindowEvent(.arguments, arguments: words)) }
        let server = try PageServer(
          page: page.name, folder: page.folder, port: 0, settings: options.settings, guests)
        let watcher = arguments.has("watch") ? try PageWatcher(page.folder, guests, server) : nil
        server.events.said = ServeTalk.teller(options.output)
        let memory = settings.restores == false ? nil : data.map(WindowMemory.init)
        // What the app says is for the first time; what the command says, for this one.
        for fields in [memory?.fields ?? [:], asked] { look.fields.merge(fields) { $1 } }
        let window = try show(look, server, options, data, memory, seat, guests)
        let kept: [AnyObject?] = [server, window, watcher, instance]
        return (kept.compactMap(\.self), server.isEnding)
      }
    }
  }

  private static func operand(_ arguments: ParsedArguments) -> String {
    let told = arguments.operands.first ?? "."
    // An app is its folder.
    return told.afterLastSlash == "app.json" ? RealPath.folder(of: told) ?? "." : told
  }

  /// Starts the window, and joins it with the plugin.
  private static func show(
    _ look: WindowProcess.Look, _ server: PageServer, _ options: RuntimeOptions, _ data: String?,
    _ memory: WindowMemory?, _ seat: WindowSeat, _ guests: Runtime.Guests
  ) throws -> WindowProcess {
    let listener = WindowProcess.Listener { message in
      if message["event"] == "closed" { memory?.keep(message) }
      if message["event"] == "hidden" { guests.enterBackground(true) }
      if message["event"] == "shown" { guests.enterBackground(false) }
      seat.take(message)
    } ended: { status in
      seat.disconnect()
      guests.end(status)
    }
    let window = try WindowProcess(look, server, id: options.app.id, data: data, guests.loop, listener)
    let sender = WindowSender(window)
    seat.connect { [loop = guests.loop] message in loop.post { sender.send(message) } }
    return window
  }

  private static func look(
    _ arguments: ParsedArguments, _ settings: WindowSettings, folder: String?
  ) throws -> WindowProcess.Look {
    var look = WindowProcess.Look()
    look.fields = try ["width": "1000", "height": "700"].merging(settings.fields()) { $1 }
    if let icon = settings.icon { look.fields["icon"] = "\(folder ?? ".")/\(icon)" }
    look.inspects = arguments.has("inspect")
    look.isAutomated = arguments.has("automation")
    look.needsNoSandbox = arguments.has("no-sandbox")
    return look
  }

  /// What the command line says of the window.
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

/// The window, for closures of other threads. Used on the engine's thread only, to which they post.
private final class WindowSender: @unchecked Sendable {
  private weak var window: WindowProcess?
  init(_ window: WindowProcess) { self.window = window }
  func send(_ message: [String: String]) { window?.send(message) }
}
