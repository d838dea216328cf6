// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

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
    back where it was closed. Keys: ^R loads again, ^W closes, ^Q closes all windows, ^+ ^- ^0 size, F11 full
    screen, ^P prints.
    """

  static let examples: [(line: String, does: String)] = [
    ("nbridge window www/notes", "shows the notes app"),
    ("nbridge window --watch --inspect --size 400x800 page.html", "while a page is written"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let page = try page(arguments)
    var options = try ProgramOptions.read(arguments, script: page.path)
    // Nothing is ever left to be done: it waits for the window.
    options.patience = nil
    let shown = try ShownWindow(arguments, page, options)
    return try ProgramOptions.run(options, arguments, window: shown.seat) { runtime in
      try runtime.runForGuests { guests in try shown.open(guests, data: try? runtime.folderForPages()) }
    }
  }

  /// The page that is shown. An app is its folder.
  static func page(_ arguments: ParsedArguments) throws -> ServedPage {
    let told = arguments.operands.first ?? "."
    let isApp = told.afterLastSlash == "app.json" && Path.exists(told)
    return try ServedPage(isApp ? RealPath.folder(of: told) ?? "." : told, arguments)
  }
}
