// SPDX-License-Identifier: MIT

public import NBridgePlugin

/// The program a script is, and the machine it runs on.
public struct AppPlugin: Plugin {
  /// `nbridge.app`.
  public static let manifest = PluginManifest(
    service: "app", version: "1.0.0", help: "The program a script is, and the machine it runs on.",
    script: PluginScript(
      files: [PackageResources.app_js], members: PackageResources.members_d_ts,
      types: PackageResources.types_d_ts))

  private let record = AppRecord()
  private let inbox = InboxHolder()

  /// Makes the plugin.
  public init() {}

  /// Counts the run, when the app has a container to count in.
  public func start(_ app: AppEnvironment) throws {
    record.countRunIfKept(app)
  }

  /// Takes no more URLs.
  public func stop() { inbox.stop() }

  /// The plugin's actions.
  public var body: PluginBody {
    programBody
    openingBody
    desktopBody
    stateBody
    lifeBody
  }

  @PluginBuilder private var programBody: PluginBody {
    Immediate("appInfo", "Tells who the app is: from app.json, else from the script's name.") { call in
      call.app.info
    }
    // Detached: another process of the app may have the record.
    Detached("deviceInfo", "Tells about the machine. The deviceId is made once for the app and kept.") {
      call in
      DeviceInfo(deviceId: try record.load(call).deviceId)
    }
    .blocking().errors(.conflict, .ioError)
    Detached("runStatistics", "Tells when the app ran first, how often, and how long ago that is.") { call in
      RunStatistics(try record.load(call))
    }
    .blocking().errors(.conflict, .ioError)
    Detached("clearCache", "Empties the app's Library/Caches and tells how much that was.") { call in
      try CacheCleaner.empty(call.app.container.caches)
    }
    .errors(.ioError)
  }

  @PluginBuilder private var openingBody: PluginBody {
    Immediate("canOpenURL", "Tells whether an app or a program on this machine opens such a URL.") {
      (options: URLOptions, call) in
      try Self.delivery(call).isHandled(options.url) || URLOpener.canOpen(options.url)
    }
    .positional("url").parameter("url", "The whole URL; only its scheme decides.").errors(.tooLarge)
    Detached(
      "openURL",
      "Hands a URL to the app that handles its scheme, starts it if need be; other schemes go to the desktop."
    ) {
      (options: OpenURLOptions, call) -> URLDelivery.Outcome in
      let delivery = Self.delivery(call)
      if let outcome = try delivery.open(options.url, annotation: options.annotation) { return outcome }
      try URLOpener.open(options.url)
      return URLDelivery.Outcome(handled: true, app: nil)
    }
    .positional("url").parameter("url", "The URL. file:, data: and javascript: are refused.")
    .parameter("annotation", "A value for the app, up to 1 MiB; what is secret goes by a pasteboard.")
    .errors(.unavailable, .timeout, .tooLarge).blocking()
    Watch("openedURLs", "The URLs that this app is asked to open.") { call in try inbox.open(call.app) }
      .hidden().permission("onOpenURL")
    Immediate("answerURL", "Tells a sender whether its URL was handled.") { (options: AnswerOptions, call) in
      try inbox.answer(options.number, handled: options.handled)
    }
    .hidden().permission("onOpenURL")
  }

  private static func delivery(_ call: Call) -> URLDelivery {
    URLDelivery(call.app.shared, from: call.app.info.id, named: call.app.info.name)
  }

  @PluginBuilder private var desktopBody: PluginBody {
    Detached("openBrowser", "Opens a web page in the browser.") { (options: URLOptions, call) in
      try URLOpener.open(options.url, schemes: ["http", "https"])
    }
    .positional("url").orObject().parameter("url", "An http or https URL.").errors(.unavailable)
    Detached("goSettings", "Opens the desktop's settings.") { call in try Desktop.openSettings() }
      .errors(.unavailable)
    Detached("share", "Hands text to the desktop's mail program.") { (options: ShareOptions, call) in
      try Desktop.share(options.text, subject: options.subject)
    }
    .positional("text").orObject().errors(.unavailable)
  }

  @PluginBuilder private var stateBody: PluginBody {
    Immediate("exit", "Ends the program with a status, after this call has settled.") {
      (options: ExitOptions, call) in
      call.app.exit(code: try options.status)
    }
    .positional("code").parameter("code", "0 to 255; 0 by default.").ofProgram()
    Immediate("saveState", "Keeps a value for the app's next run.") { (options: StateOptions, call) in
      try SavedState.save(options.state, call.app.container)
    }
    .positional("state").parameter("state", "Any value that crosses the bridge.").errors(.ioError)
    Immediate("restoredState", "Gives back what saveState kept; null when there is nothing.") { call in
      try SavedState.load(call.app.container)
    }
    .errors(.ioError)
  }

  @PluginBuilder private var lifeBody: PluginBody {
    Watch("onLifecycle", "Tells the app's lifecycle: active, background (not seen, or ^Z), terminating.") {
      call in
      call.app.lifecycle()
    }
    .holdsOpen(false)
    Watch("onPause", "Tells each time that the app goes into the background.") { call in
      call.app.lifecycle().filter { $0 == .background }
    }
    .holdsOpen(false).permission("onLifecycle")
    Watch("onResume", "Tells each time that the app comes back from the background.") { call in
      // The first is how it stands.
      call.app.lifecycle().dropFirst().filter { $0 == .active }
    }
    .holdsOpen(false).permission("onLifecycle")
    Watch("onMemoryPressure", "Tells when the machine is short of memory: low, medium, critical.") { call in
      try MemoryPressure.events()
    }
    .holdsOpen(false).permission("onLifecycle").errors(.unavailable)
  }
}

/// The URL that is to be opened.
struct URLOptions: Codable {
  var url: String
}

/// The URL that is to be opened, and what goes with it.
struct OpenURLOptions: Codable {
  var url: String
  var annotation: Value?
}

/// A script's answer to a URL: whether it handled it.
struct AnswerOptions: Codable {
  var number: Int
  var handled: Bool
}

/// The content that is to be shared.
struct ShareOptions: Codable {
  var text: String
  var subject: String?
}

/// How the program ends.
struct ExitOptions: Codable {
  var code: Int?

  var status: Int32 {
    get throws {
      guard let code else { return 0 }
      guard 0...255 ~= code else {
        throw BridgeError(.invalidParameter, "option.code must be 0 to 255, not \(code)")
      }
      return Int32(code)
    }
  }
}

/// The state that is to be kept.
struct StateOptions: Codable {
  var state: Value
}
