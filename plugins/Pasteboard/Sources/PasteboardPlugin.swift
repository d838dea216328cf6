// SPDX-License-Identifier: MIT

internal import Glibc
public import NBridgePlugin
internal import NBridgeStore
internal import NBridgeSystem
internal import Synchronization

/// Pasteboards: what one app copies and another pastes, shared by all of the user's programs.
public struct PasteboardPlugin: Plugin {
  /// `nbridge.pasteboard`.
  public static let manifest = PluginManifest(
    service: "pasteboard", version: "1.0.0",
    help: "Pasteboards: what one app copies and another pastes, shared by all of the user's programs.",
    script: PluginScript(
      files: [PackageResources.pasteboard_js], members: PackageResources.members_d_ts,
      types: PackageResources.types_d_ts))

  private let state = PasteboardState()

  /// Makes the plugin.
  public init() {}

  /// Takes away what lives as long as this process.
  public func stop() { state.stop() }

  /// The plugin's actions.
  public var body: PluginBody {
    contentBody
    knowingBody
    historyBody
  }

  @PluginBuilder private var contentBody: PluginBody {
    Action("write", "Puts items on a pasteboard.") { (options: WriteOptions, call) in
      try await PasteboardWriter(state.store(call.app)).write(options)
    }
    .hidden().permission("write")
    Action("open", "Looks for a pasteboard, makes it if asked to, and answers its name.") {
      (options: OpenOptions, call) -> String? in
      let name = try PasteboardName(options.unique == true ? "unique-\(RandomName.make())" : options.name)
      return try await state.store(call.app).perform(.writing, isSmall: true) { try $0.open(options, name) }
    }
    .hidden().speaks(of: "name").permission("write")
    Action("read", "What is on a pasteboard.") { (options: ReadOptions, call) in
      try await PasteboardReader(state.store(call.app)).read(options)
    }
    .hidden().permission("read")
    Action("clear", "Empties a pasteboard and answers its changeCount.") {
      (options: BoardOptions, call) -> Int in
      let name = try PasteboardName(options.name)
      return try await state.store(call.app).perform(.writing, isSmall: true) { try Int($0.clear(name)) }
    }
    .positional("name").orObject().permission("write").parameter("name", "The general pasteboard without it.")
    .errors(
      .permissionDenied, .ioError)
    Action("remove", "Takes a pasteboard of this app away and tells whether it was there.") {
      (options: BoardOptions, call) -> Bool in
      let name = try PasteboardName(options.name)
      return try await state.store(call.app).perform(.writing, isSmall: true) { try $0.remove(name) }
    }
    .positional("name").orObject().permission("write").errors(.permissionDenied, .ioError)
  }

  @PluginBuilder private var knowingBody: PluginBody {
    Action("types", "The types of what is on a pasteboard, the first item's first.") {
      (options: BoardOptions, call) in
      try await look(options.name, call) { try $0.board($1)?.types ?? [] }
    }
    .positional("name").orObject().permission("look").parameter("name", "The general pasteboard without it.")
    .errors(
      .permissionDenied, .ioError)
    Action("has", "Whether something of a type is on a pasteboard.") { (options: HasOptions, call) -> Bool in
      let type = try ContentType(options.type)
      return try await look(options.name, call) { try $0.board($1)?.types.contains(type.name) ?? false }
    }
    .positional("type").permission("look").errors(.permissionDenied, .ioError)
    Action("changeCount", "A number that grows with each change; 0 for a pasteboard that is not there.") {
      (options: BoardOptions, call) in
      try await look(options.name, call) { try Int($0.board($1)?.change ?? 0) }
    }
    .positional("name").orObject().permission("look").errors(.permissionDenied, .ioError)
    Action("info", "What is known of a pasteboard without reading it; null when it is not there.") {
      (options: BoardOptions, call) in
      try await look(options.name, call) { access, name in
        try access.board(name)?.info ?? (name.isGeneral ? Board(name: name.text, kind: .general).info : nil)
      }
    }
    .positional("name").orObject().permission("look").errors(.permissionDenied, .ioError)
    Action("list", "The pasteboards that are there and may be seen.") { call in
      try await state.store(call.app).perform(isSmall: true) { try $0.boards().map(\.info) }
    }
    .permission("look").errors(.ioError)
    Action("detectPatterns", "What kinds of text are on a pasteboard, without handing it over.") {
      (options: PatternOptions, call) -> [PatternKind] in
      let name = try PasteboardName(options.name)
      let found = try await state.store(call.app).perform(isSmall: false) { try $0.patterns(name) }
      return found.filter { options.patterns?.contains($0) ?? true }
    }
    .positional("patterns").permission("look").errors(.permissionDenied, .ioError)
    Immediate("limits", "What a pasteboard takes.") { call in PasteboardLimits.standard }.permission("look")
    Watch("watch", "Tells each change of a pasteboard, by this process or another, in order.") {
      (options: BoardOptions, call) in
      try state.changes(call.app, options.name.map { try PasteboardName($0).text } ?? PasteboardName.general)
    }
    .positional("name").orObject().permission("look").parameter("name", "The general pasteboard without it.")
    .errors(.ioError)
    Watch("watchAll", "Tells each change of any pasteboard.") { call in try state.changes(call.app, nil) }
      .permission("look").errors(.ioError)
  }

  @PluginBuilder private var historyBody: PluginBody {
    Action(
      "history",
      "Earlier contents of the general pasteboard, the latest first; get reads one by its changeCount."
    ) {
      (options: BoardOptions, call) in
      try await look(options.name, call) { try $0.history($1) }
    }
    .positional("name").orObject().permission("read").errors(.permissionDenied, .ioError)
    Action("clearHistory", "Forgets earlier contents and tells how many there were.") {
      (options: BoardOptions, call) -> Int in
      let name = try PasteboardName(options.name)
      return try await state.store(call.app).perform(.writing, isSmall: true) { access in
        try access.change { try access.board(name) == nil ? 0 : access.dropHistory(of: name.text) }
      }
    }
    .positional("name").orObject().permission("write").errors(.permissionDenied, .ioError)
  }

  private func look<R: Sendable>(
    _ name: String?, _ call: Call, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (StoreAccess, PasteboardName) throws -> R
  ) async throws -> R {
    let name = try PasteboardName(name)
    return try await state.store(call.app).perform(isSmall: true) { try body($0, name) }
  }
}

/// The store and the feed of a program, made when they are first used.
final class PasteboardState: Sendable {
  private let made = Mutex<(store: PasteboardStore?, feed: ChangeFeed?)>((nil, nil))

  func store(_ app: AppEnvironment) -> PasteboardStore {
    made.withLock { made in
      if let store = made.store { return store }
      let store = PasteboardStore(app) { [weak self] in self?.isUsed() }
      made.store = store
      return store
    }
  }

  /// From its first use on a process does its part in taking away what is over.
  private func isUsed() {
    PlainThread.start("nb-pasteboards") { [weak self] in
      if (try? self?.feed()) != nil { return }
      // The system has no inotify left (fs.inotify.max_user_instances).
      while let store = self?.made.withLock({ $0.feed == nil ? $0.store : nil }) {
        usleep(UInt32(2000 * Erasure.delay))
        if store.hasLog { _ = store.erase() }
      }
    }
  }

  private func feed() throws -> ChangeFeed? {
    try made.withLock { made in
      if let feed = made.feed { return feed }
      guard let store = made.store else { return nil }
      let feed = try ChangeFeed(store)
      made.feed = feed
      return feed
    }
  }

  func changes(_ app: AppEnvironment, _ name: String?) throws -> PasteboardChanges {
    let store = store(app)
    guard let feed = try feed() else { throw BridgeError(.cancelled, "the program ends") }
    return PasteboardChanges(
      store: store, feed: feed, name: name, start: try ChangeStart(store, of: name))
  }

  func stop() {
    let (store, feed) = made.withLock { made in
      defer { made = (nil, nil) }
      return made
    }
    feed?.stop()
    store?.close()
  }
}
