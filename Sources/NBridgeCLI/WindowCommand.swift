// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin

/// `nbridge window`: a page in a window of its own, with the plugins behind it.
enum WindowCommand: Command {
  static let name = "window"
  static let summary = "Shows a page in a window of its own, with the native plugins behind it."
  static let operands = "[PAGE|FOLDER]"

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
    calls what app.json allows. Keys: ^R loads again, ^W closes, ^+ ^- ^0 size, F11 full screen, ^P prints.
    """

  static let examples: [(line: String, does: String)] = [
    ("nbridge window www/notes", "shows the notes app"),
    ("nbridge window --watch --inspect --size 400x800 page.html", "while a page is written"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    if arguments.operands.count > 1 {
      throw UsageError("window takes one page or folder, not also '\(arguments.operands[1])'")
    }
    let page = try ServedPage(arguments.operands.first ?? ".", arguments)
    let look = try look(arguments)
    var options = try ProgramOptions.read(arguments, script: page.path)
    // Nothing is ever left to be done: it waits for the window.
    options.patience = nil
    return try ProgramOptions.run(options, arguments) { runtime in
      try runtime.runForGuests { guests in
        let server = try PageServer(
          page: page.name, folder: page.folder, port: 0, settings: options.settings, guests)
        let watcher = arguments.has("watch") ? try PageWatcher(page.folder, guests, server) : nil
        server.events.said = ServeTalk.teller(options.output)
        let data = try? runtime.folderForPages()
        let window = try WindowProcess(
          look, server, id: options.app.id, data: data, guests.loop, ended: guests.end)
        return ([server, window] + [watcher].compactMap { $0 }, server.isEnding)
      }
    }
  }

  private static func look(_ arguments: ParsedArguments) throws -> WindowProcess.Look {
    var look = WindowProcess.Look()
    look.title = arguments.last("title") ?? ""
    look.inspects = arguments.has("inspect")
    look.isAutomated = arguments.has("automation")
    look.needsNoSandbox = arguments.has("no-sandbox")
    guard let size = arguments.last("size") else { return look }
    let parts = size.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], (100...10_000).contains(width),
      (100...10_000).contains(height)
    else { throw UsageError("--size takes width and height in pixels, as 1000x700, not '\(size)'") }
    (look.width, look.height) = (width, height)
    return look
  }
}
