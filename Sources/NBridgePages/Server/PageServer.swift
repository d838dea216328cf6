// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
package import NBridge
internal import NBridgeHost
package import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// Serves a page and the files beside it, on this machine or beyond it, and gives each tab that opens it a
/// session with the plugins. Confined to the engine's thread.
package final class PageServer {
  /// What the program that serves hears.
  package struct Events {
    /// A link was used up; there is another one.
    package var newLink: () -> Void = {}
    /// A line of a page's console: its level, `log`, `info`, `warn`, `error` or `debug`, and the text.
    package var said: (String, String) -> Void = { _, _ in }
    /// A passphrase was said at an address: whether it was the right one.
    package var knocked: (String, Bool) -> Void = { _, _ in }
    /// A page in a window has a session: the window's number, the session's.
    package var joined: (Int, UInt32) -> Void = { _, _ in }
    /// That session has ended.
    package var left: (UInt32) -> Void = { _ in }
    /// A line of the record of a page that runs tests: a `TestRecord`, as JSON.
    package var tested: (String) -> Void = { _ in }

    package init() {}
  }

  package let port: Int
  package var events = Events()
  /// The file that is shown first.
  let page: String
  private let files: PageFiles
  private let runsTests: Bool
  private let bridge: BridgeText
  private let library: SoupServers
  private let soup: LibSoup
  private let server: OpaquePointer
  private var door: PageDoor
  /// Nil where a token lets in.
  private var gate: PassphraseGate?
  private let desk: SessionDesk
  private let listeners: [PageListener]
  private let loop: EventLoop
  /// Where pages in windows connect; nil without one.
  private var windowDoor: WindowDoor?

  /// - Parameters:
  ///   - page: the file that is shown first, a name in `folder`.
  ///   - port: 0 for one that is free.
  ///   - reach: how other machines' browsers come; nil where they don't.
  ///   - tests: what is run instead of a page of the folder; `page` is ``PageTests/page`` then.
  ///   - tabs: gets the pages that come, to ask them; nil where nobody asks, and no page would run it.
  /// - Throws: `unavailable` without libsoup, or where nothing can listen there.
  package init(
    page: String, folder: String, port: Int, reach: PageReach? = nil, tests: PageTests? = nil,
    tabs: PageTabs? = nil, settings: [String: Value], _ guests: Runtime.Guests
  ) throws {
    self.page = page
    loop = guests.loop
    do {
      files = try PageFiles(folder)
      guard tests != nil || files.has("/" + page) else {
        throw BridgeError(
          .notFound,
          "'\(page)' can't be served: it is hidden, no file, or a link that leads out of '\(folder)'")
      }
    } catch let error as SystemError {
      throw BridgeError(.notFound, "'\(folder)' can't be served: \(error.reason)")
    }
    (library, soup) = (try SoupServers.opened(), try LibSoup.opened())
    let sockets = try SoupSockets.opened()
    let catalog = try PageCatalog(guests.registry, settings: settings)
    bridge = BridgeText(catalog, tests: tests, isAsked: tabs != nil)
    runsTests = tests != nil
    desk = SessionDesk(guests, catalog.actions, sockets, tabs)
    guard let made = g_object_new_with_properties(library.type(), 0, nil, nil) else {
      throw BridgeError(.unavailable, "libsoup makes no server")
    }
    server = OpaquePointer(made)
    listeners = try Self.listen(reach, port, guests.loop)
    self.port = listeners.first?.port ?? port
    door = PageDoor(reach?.addresses ?? [.loopback], port: self.port, isGuarded: reach != nil)
    gate = reach.map { PassphraseGate($0.passphrase) }
    desk.events = { [unowned self] in events }
    desk.admits = { [unowned self] in door.take(ticket: $0, now: desk.now) }
    addHandlers()
    for listener in listeners {
      listener.take = { [library, server] stream, here, there in
        _ = library.accept(server, stream, here, there, nil)
      }
    }
  }

  /// At each address, at one port. A name may have numbers that this machine does not have; one is enough.
  private static func listen(_ reach: PageReach?, _ port: Int, _ loop: EventLoop) throws -> [PageListener] {
    let starts = ConnectionStarts(reach?.certificate.certificate)
    var listeners: [PageListener] = []
    var heard: Set<String> = []
    for address in reach?.addresses ?? [.loopback] {
      var failure: (any Error)?
      for number in address.numbers where !heard.contains(number) {
        let port = listeners.first?.port ?? port
        do {
          listeners.append(try PageListener(number, port: port, starts, loop))
          heard.insert(number)
        } catch { failure = error }
      }
      if let failure, heard.isDisjoint(with: address.numbers) { throw failure }
    }
    return listeners
  }

  deinit {
    desk.close()
    library.disconnect(server)
    g_object_unref(UnsafeMutableRawPointer(server))
  }

  /// Whether browsers of other machines come in, too, by a passphrase.
  package var isGuarded: Bool { gate != nil }

  /// What a person opens: it is worth one visit, or asks for the passphrase.
  package var link: String { links.first ?? "" }

  /// The same for each address.
  package var links: [String] {
    door.origins.map { gate == nil ? "\($0)/?token=\(door.token)" : "\($0)/" }
  }

  /// Has all pages save what is unsaved, at the program's end. Answers whether one still does.
  package func isEnding() -> Bool { desk.isEnding() }

  /// Whether a file of the page's folder can be shown, by its path from there on.
  package func has(_ path: String) -> Bool { files.has("/" + path) }

  /// Tells all pages that files have changed.
  package func tellChange(ofStyles: Bool) { desk.tellChange(ofStyles: ofStyles) }

  /// Lets pages in windows connect by a socket of their own. Answers its path.
  func openWindowDoor() throws -> String {
    let door = try windowDoor ?? WindowDoor(loop)
    windowDoor = door
    door.arrived = { [unowned self] link in if desk.isFull { link.close(0) } else { desk.take(link) } }
    return door.path
  }

  // MARK: - Handlers

  private func addHandlers() {
    library.removeSocketExtension(server, library.deflateType())
    let early: SoupServers.Handler = { _, message, _, _, data in
      if let message { PageServer.of(data)?.admit(message) }
    }
    let whole: SoupServers.Handler = { _, message, _, _, data in
      if let message { PageServer.of(data)?.answer(message) }
    }
    let socket: SoupServers.SocketHandler = { _, _, _, connection, data in
      if let connection { PageServer.of(data)?.desk.take(connection) }
    }
    // Its server is let go of before it goes.
    let own = Unmanaged.passUnretained(self).toOpaque()
    library.addEarlyHandler(server, nil, early, own, nil)
    // A path with a handler of its own has all handlers of its own.
    library.addEarlyHandler(server, Self.socketPath, early, own, nil)
    library.addHandler(server, nil, whole, own, nil)
    // It knows one origin only; `refusal` has looked at all of them before.
    let origin = gate == nil ? door.origins.first : nil
    library.addSocketHandler(server, Self.socketPath, origin, nil, socket, own, nil)
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> PageServer? {
    data.map { Unmanaged<PageServer>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let socketPath = "/.nbridge/socket"

  // MARK: - Who may ask

  /// The head of a request has come: what is not for it is refused before a socket could be opened.
  private func admit(_ message: OpaquePointer) {
    let request = PageRequest(message, library)
    let refusal = refusal(of: request)
    // What comes behind the head is read, and not kept.
    if refusal != nil || !isEntry(request) { library.setAccumulate(library.requestBody(message), 0) }
    if let refusal { refuse(message, refusal) }
  }

  /// Whether somebody says the passphrase.
  private func isEntry(_ request: PageRequest) -> Bool {
    gate != nil && request.method == "POST" && request.path == PassphraseForm.path
  }

  private func refusal(of request: PageRequest) -> Refusal? {
    // What is no text would be another path to libsoup than to us.
    guard request.path != nil else { return .missing("such file") }
    let isEntry = isEntry(request)
    guard isEntry || request.method == "GET" || request.method == "HEAD" else { return .method }
    guard let host = request.host, door.hosts.contains(host) else { return .host(door.origins) }
    let longest = isEntry ? PassphraseForm.largest : 0
    guard let length = request.length, 0...longest ~= length else { return .body }
    // Other sites' pages try no passphrases by the browsers that show them.
    if isEntry { return request.origin == door.origin(host) && request.isFromHere ? nil : .origin }
    if gate == nil, request.token != nil, request.path == "/" { return nil }
    guard door.isKnown(request.cookie) else { return .stranger }
    guard request.isFromHere else { return .origin }
    if request.path?.hasPrefix(Self.socketPath) == true {
      // libsoup's handlers are for all below their path.
      guard request.path == Self.socketPath else { return .missing(request.path ?? "") }
      if request.origin != door.origin(host) { return .origin }
      if desk.isFull { return .crowded }
    }
    return nil
  }

  // MARK: - Answers

  private func answer(_ message: OpaquePointer) {
    let request = PageRequest(message, library)
    if isEntry(request) { return takePassphrase(message, request) }
    if gate == nil, let token = request.token, request.path == "/", request.method == "GET" {
      return enter(message, token, request)
    }
    switch request.path {
    case "/": redirect(message)
    case PassphraseForm.path where gate != nil: redirect(message)
    case "/" + PageTests.page where runsTests:
      reply(message, ContentType.html, PageMarkup.withBridge(PageTests.markup))
    case "/favicon.ico" where !files.has("/favicon.ico"): library.setStatus(message, 204, nil)
    case PageMarkup.script:
      // Only the windows' program can say so.
      let window = windowDoor == nil ? nil : request.window
      let ticket = door.giveTicket(now: desk.now, window: window)
      reply(message, ContentType.script, Array(bridge.text(ticket: ticket).utf8))
    case let path?: serve(message, path)
    case nil: refuse(message, .missing("such file"))
    }
  }

  /// Somebody comes by the link.
  private func enter(_ message: OpaquePointer, _ token: String, _ request: PageRequest) {
    if let cookie = door.open(token) {
      set(message, "Set-Cookie", cookie)
      redirect(message)
      events.newLink()
    } else if door.isKnown(request.cookie) {
      redirect(message)
    } else {
      refuse(message, .stranger)
    }
  }

  /// Somebody has said a passphrase: the right one is worth the cookie, as a token is.
  private func takePassphrase(_ message: OpaquePointer, _ request: PageRequest) {
    var given: String?
    if let body = library.flatten(library.requestBody(message)) {
      var count: gsize = 0
      let memory = UnsafeRawBufferPointer(start: g_bytes_get_data(body, &count), count: Int(count))
      given = PassphraseForm.passphrase(in: memory)
      g_bytes_unref(body)
    }
    switch gate?.take(given ?? "", from: request.address, now: desk.now) {
    case .right:
      set(message, "Set-Cookie", door.admission)
      redirect(message)
      events.knocked(request.address, true)
    case .wait(let seconds):
      set(message, "Retry-After", "\(seconds)")
      ask(message, "There were wrong ones before: try again in \(seconds) s.", status: 429)
    case .wrong, nil:
      ask(message, "That is not the passphrase.", status: 403)
      events.knocked(request.address, false)
    }
  }

  /// Shows the page that asks for the passphrase.
  private func ask(_ message: OpaquePointer, _ remark: String, status: UInt32) {
    write(message, PassphraseForm.headers, ContentType.html, PassphraseForm.page(remark), status)
  }

  private func redirect(_ message: OpaquePointer) {
    set(message, "Location", "/" + page.escapedForPath)
    for (name, value) in policy(for: message) { set(message, name, value) }
    library.setStatus(message, 303, nil)
  }

  private func serve(_ message: OpaquePointer, _ path: String) {
    do throws(PageFiles.Problem) {
      // Other machines' browsers come over TLS only.
      let found = try files.find(path, isEncrypted: gate != nil)
      let range = takeRange(message)
      switch found.content {
      case .bytes(let bytes) where ContentType.isPage(found.type):
        reply(message, found.type, PageMarkup.withBridge(bytes))
      case .bytes(let bytes):
        reply(message, found.type, range, of: bytes.count) { part in
          bytes[part].withUnsafeBytes { memory in
            let copy = g_bytes_new(memory.baseAddress, gsize(memory.count))
            library.append(library.responseBody(message), copy)
            g_bytes_unref(copy)
          }
        }
      case .mapped(let file):
        reply(message, found.type, range, of: file.count) { part in
          file.withPart(part) { library.append(library.responseBody(message), $0) }
        }
      }
    } catch {
      refuse(message, error == .missing ? .missing(path) : .unreadable(path))
    }
  }

  private func refuse(_ message: OpaquePointer, _ refusal: Refusal) {
    if case .stranger = refusal, gate != nil { return ask(message, "", status: refusal.status) }
    reply(message, "text/plain; charset=utf-8", Array((refusal.text + "\n").utf8), status: refusal.status)
  }

  private func reply(_ message: OpaquePointer, _ type: String, _ body: [UInt8], status: UInt32 = 200) {
    write(message, policy(for: message), type, body, status)
  }

  /// What browsers may do with the answer, which is for the address that was asked.
  private func policy(for message: OpaquePointer) -> [(String, String)] {
    let asked = PageRequest(message, library).host
    let host = door.hosts.first { $0 == asked } ?? door.hosts.first ?? ""
    return PagePolicy.headers(host: host, isGuarded: gate != nil)
  }

  /// What part of a file is wanted, which libsoup is not to answer again. No file has a mark by which one
  /// would know its older self (If-Range).
  private func takeRange(_ message: OpaquePointer) -> String? {
    let headers = library.requestHeaders(message)
    defer { library.removeHeader(headers, "Range") }
    guard library.oneHeader(headers, "If-Range") == nil else { return nil }
    return library.oneHeader(headers, "Range").map { String(cString: $0) }
  }

  /// Answers with a file, or the part of it that is wanted.
  private func reply(
    _ message: OpaquePointer, _ type: String, _ wanted: String?, of size: Int, _ append: (Range<Int>) -> Void
  ) {
    let about = [("Content-Type", type), ("Accept-Ranges", "bytes")]
    for (name, value) in policy(for: message) + about { set(message, name, value) }
    switch PageRange(wanted, of: size) {
    case .whole:
      library.setStatus(message, 200, nil)
      // libsoup takes no empty piece.
      if size > 0 { append(0..<size) }
    case .part(let part):
      library.setStatus(message, 206, nil)
      set(message, "Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")
      append(part)
    case .nothing:
      library.setStatus(message, 416, nil)
      set(message, "Content-Range", "bytes */\(size)")
    }
    library.complete(library.responseBody(message))
  }

  private func write(
    _ message: OpaquePointer, _ headers: [(String, String)], _ type: String, _ body: [UInt8],
    _ status: UInt32
  ) {
    for (name, value) in headers { set(message, name, value) }
    // Those that libsoup has no words for.
    let reasons: [UInt32: String] = [421: "Misdirected Request", 429: "Too Many Requests"]
    library.setStatus(message, status, reasons[status])
    body.withUnsafeBytes { bytes in
      library.setResponse(
        message, type, SoupServers.copied, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        gsize(bytes.count))
    }
  }

  private func set(_ message: OpaquePointer, _ name: String, _ value: String) {
    library.replaceHeader(library.responseHeaders(message), name, value)
  }
}
