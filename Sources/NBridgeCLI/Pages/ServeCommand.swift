// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem
internal import NBridgeTerminal

/// `nbridge serve`: a page in any browser, with the plugins behind it.
enum ServeCommand: Command {
  static let name = "serve"
  static let summary = "Serves a page to browsers, with the native plugins behind it."
  static let operands = "[PAGE|FOLDER]"

  static let options =
    [
      OptionSpec("port", value: "N", "Listens at this port; without it, at one that is free."),
      OptionSpec("open", "Opens the page in the browser of the desktop."),
      OptionSpec("watch", "Loads the page again when a file beside it changes, styles without that."),
    ] + ServedReach.options + ProgramOptions.specs

  static let notes = """
    A folder is served by the page that "main" of its app.json names, by its index.html, or by its only page.
    The link that is printed lets one browser in;
    then another is printed. Each tab has a session of its own, with the permissions of app.json.

    Only this machine's browsers, run by the same user, can connect. With --host other machines' can: over
    TLS, and after their person has typed the passphrase. The address of the page is then exactly what --host
    says. A person who knows the passphrase has what app.json allows the page.
    """

  static let examples: [(line: String, does: String)] = [
    ("nbridge serve www/sample.html", "prints a link; the page's buttons call the plugins"),
    ("nbridge serve --open --watch www", "opens it in the browser, and again after each change"),
    ("nbridge serve --permissions 'app.*' --port 8080 .", "lets the page call one plugin only"),
    (
      "nbridge serve --host 192.168.1.5 --cert box.pem --key box.key www/notes",
      "asks you for a passphrase, and lets in who says it in a browser of the network"
    ),
  ]

  /// 0 for one that is free.
  static func port(_ arguments: ParsedArguments) throws -> Int {
    let port = try arguments.number("port") ?? 0
    guard port <= 65535, port == port.rounded() else {
      throw UsageError("--port takes a number from 1 to 65535")
    }
    return Int(port)
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    if arguments.operands.count > 1 {
      throw UsageError("serve takes one page or folder, not also '\(arguments.operands[1])'")
    }
    let page = try ServedPage(arguments.operands.first ?? ".", arguments)
    let port = try port(arguments)
    var options = try ProgramOptions.read(arguments, script: page.path)
    // Nothing is ever left to be done: it waits for pages.
    options.patience = nil
    let reach = try ServedReach.read(arguments)
    return try ProgramOptions.run(options, arguments) { runtime in
      try runtime.runForGuests { guests in
        let server = try PageServer(
          page: page.name, folder: page.folder, port: port, reach: reach,
          settings: options.settings, guests)
        let watcher = arguments.has("watch") ? try PageWatcher(page.folder, guests, server) : nil
        for flaw in reach?.flaws ?? [] {
          options.output.writeError("nbridge: \(TextWidth.visible(flaw)): browsers will warn of it\n")
        }
        if let warning = arguments.last("key").flatMap(ServedReach.warning(ofKey:)) {
          options.output.writeError("nbridge: \(TextWidth.visible(warning))\n")
        }
        ServeTalk(page, server, options.output, until: "until ^C").begin(opensBrowser: arguments.has("open"))
        return ([server] + [watcher].compactMap { $0 }, server.isEnding)
      }
    }
  }
}

/// The page that is meant, and the folder that is served with it.
struct ServedPage {
  let folder: String
  let name: String
  var path: String { folder == "/" ? "/" + name : "\(folder)/\(name)" }

  /// - Throws: ``UsageError`` for what is no page, or a folder that has none, or several; and for options
  ///   that pages can't heed.
  init(_ operand: String, _ arguments: ParsedArguments) throws {
    if arguments.has("mock") {
      throw UsageError("--mock is for scripts; what a page calls is the plugins themselves")
    }
    guard Path.exists(operand) else { throw UsageError("there is no '\(operand)' to serve") }
    guard !Path.isFolder(operand) else {
      folder = operand.count > 1 && operand.hasSuffix("/") ? String(operand.dropLast()) : operand
      name = try (arguments.has("app") ? nil : Self.main(of: folder)) ?? Self.page(of: folder)
      return
    }
    guard ProgramFiles.isPage(operand) else {
      throw UsageError("serve is for pages; '\(operand)' is none (.html, .htm): nbridge run runs scripts")
    }
    let parts = operand.split(separator: "/", omittingEmptySubsequences: false)
    name = String(parts.last ?? "")
    let before = parts.dropLast().joined(separator: "/")
    folder = parts.count == 1 ? "." : before.isEmpty ? "/" : before
  }

  /// The page that the folder's app.json names to start the app; nil where it names a script, or nothing.
  private static func main(of folder: String) throws -> String? {
    guard try AppScript.hasApp(folder),
      let main = try AppManifest.find(forScript: folder + "/app.json", explicit: nil).main,
      ProgramFiles.isPage(main)
    else { return nil }
    let parts = main.split(separator: "/").filter { $0 != "." }
    guard !main.hasPrefix("/"), !parts.contains(".."), Path.exists("\(folder)/\(main)") else {
      throw UsageError(
        "'\(folder)/app.json' names '\(main)' as its \"main\", and there is no such page beside it or below")
    }
    return parts.joined(separator: "/")
  }

  private static func page(of folder: String) throws -> String {
    let pages = ScriptFile.names(in: folder).filter(ProgramFiles.isPage).sorted()
    if pages.contains("index.html") { return "index.html" }
    guard let page = pages.first else {
      throw UsageError("'\(folder)' has no page: an index.html, or another .html")
    }
    if pages.count > 1 {
      throw UsageError(
        "'\(folder)' has \(pages.count) pages and no index.html; name one, as \(folder)/\(page)")
    }
    return page
  }
}

/// What is said at the terminal while pages are served.
final class ServeTalk {
  private let page: ServedPage
  private unowned let server: PageServer
  private let output: any ScriptOutput
  /// How long it is served.
  private let until: String

  init(_ page: ServedPage, _ server: PageServer, _ output: any ScriptOutput, until: String) {
    (self.page, self.server, self.output, self.until) = (page, server, output, until)
  }

  func begin(opensBrowser: Bool) {
    server.events.said = Self.teller(output)
    let asks = server.isGuarded ? ", which asks for the passphrase" : ""
    output.write("nbridge: serving '\(page.path)' \(until); open this in a browser\(asks):\n")
    tellLink()
    server.events.newLink = { [self] in
      output.write("nbridge: a browser is in; for another one:\n")
      tellLink()
    }
    server.events.knocked = { [output] address, isRight in
      output.write("nbridge: \(isRight ? "a browser is in" : "a wrong passphrase came"), from \(address)\n")
      output.flush()
    }
    if opensBrowser { openBrowser() }
  }

  /// Prints what a page's console says.
  static func teller(_ output: any ScriptOutput) -> (String, String) -> Void {
    { level, text in
      // A page's own lines are known as such, each of them.
      let line = text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "page: \(TextWidth.visible(String($0)))\n" }.joined()
      if level == "error" || level == "warn" { output.writeError(line) } else { output.write(line) }
      output.flush()
    }
  }

  private func tellLink() {
    for link in server.links { output.write("  \(link)\n") }
    output.flush()
  }

  private func openBrowser() {
    do throws(ChildProcess.SpawnError) {
      // It ends by itself; nobody asks how.
      _ = try ChildProcess.start(
        "xdg-open", [server.link], streams: [1: .nothing, 2: .nothing], newSession: true)
    } catch {
      output.writeError(
        "nbridge: can't open a browser: \(error.reason); xdg-open comes with: apt-get install xdg-utils\n")
    }
  }
}
