// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgePlugin
internal import NBridgeTerminal

/// The page that a prompt serves, and the tab of it in which what is entered runs. Confined to the session's
/// thread.
final class PagePrompt {
  static let options = [
    OptionSpec(
      "serve", value: "PAGE", "Serves a page or folder as nbridge serve does; .page enters one of its tabs."),
    OptionSpec("port", value: "N", "With --serve: listens at this port; without it, at one that is free."),
    OptionSpec("open", "With --serve: opens the page in the browser of the desktop."),
    OptionSpec("watch", "With --serve: loads the page again when a file beside it changes."),
  ]

  /// The tab that what is entered runs in; nil for the prompt's own engine.
  private(set) var attached: Int?
  private let session: InteractiveSession
  private let output: any ScriptOutput
  private let tabs = PageTabs()
  private let talk: ServeTalk
  private let opensBrowser: Bool

  /// The page that a command line wants to be served; nil for none.
  static func page(_ arguments: ParsedArguments) throws -> ServedPage? {
    guard let operand = arguments.last("serve") else {
      for option in ["port", "open", "watch"] where arguments.has(option) {
        throw UsageError("--\(option) is for a page that the prompt serves: --serve PAGE names it")
      }
      return nil
    }
    return try ServedPage(operand, arguments)
  }

  /// Serves it as long as the session is there.
  ///
  /// - Throws: where it can't be served.
  init(
    _ page: ServedPage, _ session: InteractiveSession, _ options: RuntimeOptions, _ arguments: ParsedArguments
  ) throws {
    (self.session, output) = (session, options.output)
    opensBrowser = arguments.has("open")
    let port = try ServeCommand.port(arguments)
    var talk: ServeTalk?
    try session.serve { [tabs] guests in
      let server = try PageServer(
        page: page.name, folder: page.folder, port: port, tabs: tabs, settings: options.settings, guests)
      let watcher = arguments.has("watch") ? try PageWatcher(page.folder, guests, server) : nil
      talk = ServeTalk(page, server, options.output, until: "as long as this prompt is open")
      return ([server] + [watcher].compactMap { $0 }, server.isEnding)
    }
    guard let talk else { throw BridgeError(.unavailable, "'\(page.path)' was not served") }
    self.talk = talk
    tabs.left = { [unowned self] in left($0) }
  }

  /// Says where the page is.
  func begin() { talk.begin(opensBrowser: opensBrowser) }

  /// What stands before an entry.
  var mark: String { attached.map { "page \($0)> " } ?? "> " }

  private func left(_ number: Int) {
    guard attached == number else { return }
    attached = nil
    output.write(
      "nbridge: page \(number) has gone: its tab was closed, or loads again; what you enter runs in the "
        + "prompt itself again (.page lists the tabs)\n")
  }

  // MARK: - .page

  /// What `.page` answers to its operand; it may have entered a tab then, or left it.
  func answer(to operand: String) -> String {
    let all = tabs.all
    if operand == "off" {
      guard let number = attached else { return "what you enter runs in the prompt itself already\n" }
      attached = nil
      return "what you enter runs in the prompt itself again, and no more in page \(number)\n"
    }
    guard operand.isEmpty else { return enter(operand, all) }
    if all.isEmpty { return "no tab is connected yet: open the link above in a browser\n" }
    if all.count == 1, attached == nil { return enter("\(all[0].number)", all) }
    return all.map(line).joined() + (attached == nil ? ".page \(all[0].number) enters the first\n" : "")
  }

  private func enter(_ operand: String, _ all: [PageTabs.Tab]) -> String {
    guard let tab = all.first(where: { "\($0.number)" == operand }) else {
      let there = all.map { "\($0.number)" }.joined(separator: ", ")
      let hint = all.isEmpty ? "no tab is connected" : "there is \(there)"
      return "'\(operand)' is no tab of the page: \(hint); .page off leaves one\n"
    }
    attached = tab.number
    return "what you enter runs in this page now, .page off ends that\n" + line(tab)
  }

  private func line(_ tab: PageTabs.Tab) -> String {
    let mark = tab.number == attached ? "*" : " "
    let frame = tab.isFrame ? " (a frame)" : ""
    let link = tab.isLinked ? "" : " (its link is cut just now)"
    let place = TextWidth.visible(tab.place)
    return "\(mark) \(tab.number)  \(place)\(frame)  \(TextWidth.visible(tab.title))\(link)\n"
  }

  // MARK: - Entries

  /// Runs an entry in the tab, and waits for what it comes to; nil where it is the prompt's own.
  func evaluate(_ text: String) -> InteractiveSession.Result? {
    guard let number = attached else { return nil }
    do {
      let entry = try session.portable(text)
      var outcome: PageTabs.Outcome?
      let asked = try tabs.ask(
        number,
        PageTabs.Entry(
          code: entry.code, names: entry.names, constants: entry.constants, width: session.width,
          colours: session.colours)
      ) { outcome = $0 }
      while outcome == nil {
        session.turn()
        if session.hasEnded { return .ended(session.finish()) }
        if outcome == nil, session.clearInterrupt() {
          tabs.forget(asked, of: number)
          output.write("nbridge: the page goes on with it; only its tab can end that\n")
          return .interrupted([])
        }
      }
      return Self.result(outcome)
    } catch let error as BridgeError {
      return .failed("\(error.message)\n")
    } catch { return .failed("\(error)\n") }
  }

  private static func result(_ outcome: PageTabs.Outcome?) -> InteractiveSession.Result {
    switch outcome {
    case .value(let shown): .value(shown)
    case .failed(let shown): .failed(shown + "\n")
    case .gone: .failed("the page went before it told what came of it\n")
    case .nothing, nil: .nothing
    }
  }
}
