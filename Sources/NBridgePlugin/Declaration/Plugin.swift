// SPDX-License-Identifier: MIT

/// A service that JavaScript can call: a name, and the actions and watches that it answers.
///
/// ```swift
/// struct GreeterPlugin: Plugin {
///   static let manifest = PluginManifest(service: "greeter", version: "1.0.0", help: "Greets people.")
///
///   var body: PluginBody {
///     Action("hello", "Greets somebody by name.") { (options: HelloOptions, call) in
///       Greeting(text: "Hello, \(options.name)!")
///     }
///   }
/// }
/// ```
///
/// The declaration is the single source of the argument checks, of `nbridge.greeter.hello(…)`, of its
/// TypeScript types, of the permission names and of the help. A plugin never sees the JavaScript engine.
public protocol Plugin: Sendable {
  /// The plugin's name, version and help.
  static var manifest: PluginManifest { get }

  /// The actions and watches that it answers. Read once, when the plugin is first asked for.
  @PluginBuilder var body: PluginBody { get }

  /// Called on the engine's thread before the first call. The default implementation does nothing.
  func start(_ app: AppEnvironment) throws

  /// Called on the engine's thread when the program ends, its calls cancelled and given 50 ms to clean up. A
  /// detached handler that does not look at its cancellation may still run: a linked plugin is stopped beside
  /// it, a loaded or isolated one when it has come back, or never when its process ends first. The default
  /// implementation does nothing.
  func stop()
}

extension Plugin {
  /// Does nothing.
  public func start(_ app: AppEnvironment) throws {}
  /// Does nothing.
  public func stop() {}
}

/// A plugin's name, version, help and script.
public struct PluginManifest: Sendable {
  /// The name scripts use: `nbridge.<service>`. A lower-case letter, then letters and digits.
  public var service: String
  /// The plugin's own version, as `1.0.0`.
  public var version: String
  /// One sentence.
  public var help: String
  /// What the plugin adds to its face in JavaScript, if that is more than its actions.
  public var script: PluginScript?
  /// The plugin as one that takes what other plugins put on record; nil for all but the logger.
  package var logReceiver: @Sendable (any Plugin) -> (any LogReceiver)? = { _ in nil }

  /// Makes a manifest.
  public init(service: String, version: String, help: String = "", script: PluginScript? = nil) {
    self.service = service
    self.version = version
    self.help = help
    self.script = script
  }
}

/// A plugin's own JavaScript: for objects with methods, where actions alone would read badly.
public struct PluginScript: Sendable {
  /// An expression: a function of the facade with the plugin's actions, of an object with the hidden ones, of
  /// the class `BridgeError`, and of the program. It adds to the facade. Of the program it may ask:
  ///
  /// - `atEnd(begin)`: `begin` is called once when the program is over. It makes calls whose handlers are
  ///   still waited for (what they answer is dropped), and answers an array of what went wrong.
  /// - `begun()`: how many such calls there are; one that was refused at once is not among them.
  /// - `after(milliseconds, body)`: a timer that does not keep the program alive.
  /// - `now()`: the clock of timers, in milliseconds.
  /// - `intrinsics`: functions of the engine from before the first line of the script: what must not be lost
  ///   at the end goes through nothing that a script could have changed.
  /// - `ignore(promise)`: lets go of a promise whose failure is told elsewhere.
  /// - `settings(service)`: what `app.json` says for a plugin, as JSON text; undefined when nothing.
  /// - `place(frame)`: where a line of an error's stack stands in the author's files: `function`, a line
  ///   feed, `file:line`.
  /// - `guard(true)`: ^C ends a script that never comes back to its loop, too, and `begin` is still called,
  ///   until `guard(false)`. Every call costs three times as much meanwhile.
  public var source: String { makeSource() }
  /// TypeScript: what the script adds to the interface of the service, as members.
  public var members: String { makeMembers() }
  /// TypeScript: the types that those need, as declarations.
  public var types: String { makeTypes() }

  // A program that does not use the plugin reads none of its texts.
  private let makeSource: @Sendable () -> String
  private let makeMembers: @Sendable () -> String
  private let makeTypes: @Sendable () -> String

  /// Makes the script of several files. They run in this order; each is a function of the same things as
  /// ``source``, and of an object besides, through which they share what they have. The files are read when a
  /// program first needs them.
  ///
  /// - Parameters:
  ///   - files: The files, UTF-8, as `PackageResources` has them.
  ///   - members: TypeScript: what the script adds to the interface of the service.
  ///   - types: TypeScript: the types that those need.
  public init(
    files: @autoclosure @escaping @Sendable () -> [[UInt8]],
    members: @autoclosure @escaping @Sendable () -> [UInt8],
    types: @autoclosure @escaping @Sendable () -> [UInt8] = []
  ) {
    self.init(
      source: Self.joined(files()), members: String(decoding: members(), as: UTF8.self),
      types: String(decoding: types(), as: UTF8.self))
  }

  private static func joined(_ files: [[UInt8]]) -> String {
    let texts = files.map { String(decoding: $0, as: UTF8.self) }
    if texts.count == 1 { return texts[0] }
    // No rest and no spread: those go through an iterator that a script may have replaced.
    let parts = "facade, hidden, BridgeError, program"
    return "(\(parts)) => {\n  const inner = {};\n"
      + texts.map { "  (\($0))(\(parts), inner);\n" }.joined() + "}"
  }

  /// Makes the script. The texts are made when a program first needs them.
  public init(
    source: @autoclosure @escaping @Sendable () -> String,
    members: @autoclosure @escaping @Sendable () -> String,
    types: @autoclosure @escaping @Sendable () -> String = ""
  ) {
    makeSource = source
    makeMembers = members
    makeTypes = types
  }
}

extension PluginScript: Codable {
  private enum CodingKeys: String, CodingKey { case source, members, types }

  /// Reads the three texts.
  public init(from decoder: any Decoder) throws {
    let texts = try decoder.container(keyedBy: CodingKeys.self)
    let source = try texts.decode(String.self, forKey: .source)
    let members = try texts.decode(String.self, forKey: .members)
    let types = try texts.decode(String.self, forKey: .types)
    self.init(source: source, members: members, types: types)
  }

  /// Writes the three texts.
  public func encode(to encoder: any Encoder) throws {
    var texts = encoder.container(keyedBy: CodingKeys.self)
    try texts.encode(source, forKey: .source)
    try texts.encode(members, forKey: .members)
    try texts.encode(types, forKey: .types)
  }
}

/// What a plugin answers: its actions and watches and the methods of its objects, in order.
public struct PluginBody: Sendable {
  package var members: [Declaration]

  /// The same with every detached action saying that it mostly waits.
  public func blocking() -> PluginBody {
    var body = self
    for index in body.members.indices where body.members[index].kind == .detached {
      body.members[index].isBlocking = true
    }
    return body
  }
}

/// Collects the declarations in a plugin's `body`.
@resultBuilder
public enum PluginBuilder {
  /// Takes one declaration.
  public static func buildExpression(_ member: some PluginMember) -> [Declaration] { [member.declaration] }
  /// Takes a part of a body that stands elsewhere.
  public static func buildExpression(_ part: PluginBody) -> [Declaration] { part.members }
  /// Takes the methods of a type of objects.
  public static func buildExpression(_ handles: Handles) -> [Declaration] { handles.declarations }
  /// Joins the declarations.
  public static func buildBlock(_ members: [Declaration]...) -> [Declaration] { members.flatMap { $0 } }
  /// Takes the declarations of a condition.
  public static func buildOptional(_ members: [Declaration]?) -> [Declaration] { members ?? [] }
  /// Takes the declarations of one of two branches.
  public static func buildEither(first members: [Declaration]) -> [Declaration] { members }
  /// Takes the declarations of the other branch.
  public static func buildEither(second members: [Declaration]) -> [Declaration] { members }
  /// Takes the declarations of a loop.
  public static func buildArray(_ members: [[Declaration]]) -> [Declaration] { members.flatMap { $0 } }
  /// Takes declarations that need a newer system.
  public static func buildLimitedAvailability(_ members: [Declaration]) -> [Declaration] { members }
  /// Makes the body.
  public static func buildFinalResult(_ members: [Declaration]) -> PluginBody { PluginBody(members: members) }
}
