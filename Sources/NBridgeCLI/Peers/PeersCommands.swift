// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// What the commands `nbridge peers …` have in common: each is a small script over the plugin, as any user
/// could write it.
enum PeersScript {
  static let name = OptionSpec("name", value: "NAME", "What others see; by default this machine's user.")
  static let time = OptionSpec("time", value: "SECONDS", "Ends after so long.")

  /// The options as the script gets them.
  struct Options: Codable {
    var type: String
    var name: String
    var to: String?
    var text: String?
    var file: String?
    var time: Double?
    var info: [String: String] = [:]
    var json = false
    var echo = false
    var quiet = false
    var wait = false
    var terminal = isatty(2) == 1
    var count = 5000
    var size = 64

    init(_ arguments: ParsedArguments) throws {
      guard let type = arguments.operands.first else {
        throw UsageError("which service type? As in: nbridge peers browse chess")
      }
      self.type = type
      name = arguments.last("name") ?? getenv("USER").map { String(cString: $0) } ?? "somebody"
      time = try arguments.number("time")
    }
  }

  static func run(_ script: [UInt8], _ options: Options, _ arguments: ParsedArguments, bundle: String? = nil)
    throws
    -> ExitStatus
  {
    let text =
      String(decoding: PackageResources.common_js, as: UTF8.self) + String(decoding: script, as: UTF8.self)
    var setup = try ProgramOptions.read(arguments, script: "peers")
    setup.arguments = [String(decoding: try Value(encoding: options).text, as: UTF8.self)]
    setup.patience = nil
    if let bundle { (setup.bundle, setup.resources) = (bundle, [options.file].compactMap(\.self)) }
    return try ProgramOptions.run(.text(text, url: "peers"), setup, arguments)
  }
}

/// `nbridge peers browse`.
enum PeersBrowseCommand: Command {
  static let name = "peers browse"
  static let summary = "Shows who can be found, and who comes and goes."
  static let operands = "TYPE"
  static let options = [
    PeersScript.name, PeersScript.time, OptionSpec("json", "Prints a JSON object per line."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge peers browse chess", "shows those that are announced as \"chess\""),
    ("nbridge peers browse chess --time 1 --json", "lists them for other programs"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    var options = try PeersScript.Options(arguments)
    options.json = arguments.has("json")
    return try PeersScript.run(PackageResources.browse_js, options, arguments)
  }
}

/// `nbridge peers advertise`.
enum PeersAdvertiseCommand: Command {
  static let name = "peers advertise"
  static let summary = "Lets others find a peer that accepts each invitation and shows what comes."
  static let operands = "TYPE"
  static let options = [
    PeersScript.name,
    OptionSpec("info", value: "KEY=VALUE", "Told to who looks for peers; may be given again."),
    OptionSpec("echo", "Sends each message back."), OptionSpec("quiet", "Doesn't print messages."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge peers advertise chess --name Ada --info level=3", "waits for invitations"),
    ("nbridge peers advertise chess --echo", "sends back what comes"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    var options = try PeersScript.Options(arguments)
    options.echo = arguments.has("echo")
    options.quiet = arguments.has("quiet")
    for pair in arguments.all("info") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw UsageError("--info must be KEY=VALUE, not '\(pair)'") }
      options.info[String(parts[0])] = String(parts[1])
    }
    return try PeersScript.run(PackageResources.advertise_js, options, arguments)
  }
}

/// `nbridge peers send`.
enum PeersSendCommand: Command {
  static let name = "peers send"
  static let summary = "Invites a peer and sends it a text or a file."
  static let operands = "TYPE [TEXT]"
  static let options = [
    PeersScript.name, PeersScript.time,
    OptionSpec("to", value: "NAME|ID", "To whom; by default to the first that is found."),
    OptionSpec("file", value: "FILE", "Sends a file instead of a text."),
    OptionSpec("wait", "Waits for one message back, and prints it."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge peers send chess \"e2 e4\" --to Ada", "sends a text and waits until it has come"),
    ("nbridge peers send drop --file photo.jpg", "sends a file, with its progress on a terminal"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    var options = try PeersScript.Options(arguments)
    options.to = arguments.last("to")
    options.wait = arguments.has("wait")
    let text = arguments.operands.dropFirst().first
    var folder: String?
    if let file = arguments.last("file") {
      guard let path = Path.real(file) else { throw UsageError("there is no file '\(file)'") }
      folder = Path.parent(path)
      options.file = String(path.afterLastSlash)
    } else if let text {
      options.text = text
    } else {
      throw UsageError("send what? As in: nbridge peers send \(options.type) \"hello\", or --file FILE")
    }
    return try PeersScript.run(PackageResources.send_js, options, arguments, bundle: folder)
  }
}

/// `nbridge peers bench`.
enum PeersBenchCommand: Command {
  static let name = "peers bench"
  static let summary = "Measures messages to a peer that echoes."
  static let operands = "TYPE"
  static let options = [
    PeersScript.name, OptionSpec("to", value: "NAME|ID", "The peer; by default the first that is found."),
    OptionSpec("count", value: "N", "How many round trips; by default 5000."),
    OptionSpec("size", value: "BYTES", "How long each message is; by default 64."),
  ]
  static let examples: [(line: String, does: String)] = [
    (
      "nbridge peers bench chess",
      "against 'nbridge peers advertise chess --echo --quiet' in another terminal"
    )
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    var options = try PeersScript.Options(arguments)
    options.to = arguments.last("to")
    if let count = try arguments.number("count") { options.count = Int(max(1, min(count, 1e7))) }
    if let size = try arguments.number("size") { options.size = Int(max(1, min(size, 4e6))) }
    return try PeersScript.run(PackageResources.bench_js, options, arguments)
  }
}
