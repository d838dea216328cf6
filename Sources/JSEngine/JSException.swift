// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// What a script threw, captured at once on the engine's thread so that it can travel.
public struct JSException: Error, Sendable, Equatable {
  /// The error's `name`, as `TypeError`; nil when what was thrown is no Error.
  public var name: String?
  /// The error's `message`, or the text of the primitive that was thrown.
  public var message: String
  /// The frames, outermost last, as `function@url:line:column`.
  public var stack: String
  /// The script it was thrown in.
  public var url: String?
  /// 1-based; nil where the engine gives none.
  public var line: Int?
  /// 1-based, in UTF-16 units; nil where the engine gives none (a syntax error has none).
  public var column: Int?
  /// The `cause` chain, nearest first.
  public var causes: [String] = []
  /// A bridge error's `code`, `service`, `action`, in this order, as far as present.
  public var attributes: [Attribute] = []
  /// A bridge error's `details`, as JSON.
  public var details: String?
  /// What a report calls it where ``name`` tells too little: `Own [Error]`, of a class `Own`.
  public var title: String?
  /// What was thrown, as a person reads it, where it is no Error; nil for one.
  public var shown: String?
  /// The names of the properties of an object that is no Error.
  public var keys: [String] = []
  /// An error's own properties beside those told elsewhere, as `{ a: 1 }`; nil for none.
  public var properties: String?
  /// The names of the script's own classes that it was made by: their constructors stand first in ``stack``.
  public var makers: [String] = []
  /// The `await` outside of functions through which it came, as `url` and line; the engine tells of none.
  public var awaited: Place?
  /// The `cause`, as far as something examined it.
  public var cause: [JSException] = []
  /// The `error` of a SuppressedError, as far as something examined it.
  public var error: [JSException] = []
  /// Its `suppressed`: what was thrown before that.
  public var suppressed: [JSException] = []
  /// The `errors` of an AggregateError, the first of them, as far as something examined them.
  public var errors: [JSException] = []
  /// How many `errors` there are.
  public var errorCount = 0
  /// Whether it is an error that was told of before, among what led to it.
  public var isTold = false
  /// Whether the script was stopped from outside rather than by an exception of its own.
  public var isTermination = false

  /// A line of a script.
  public struct Place: Sendable, Equatable {
    /// What the script is called.
    public var url: String
    /// 1-based.
    public var line: Int

    /// Makes one.
    public init(url: String, line: Int) { (self.url, self.line) = (url, line) }
  }

  /// A named property of an error, as text.
  public struct Attribute: Sendable, Equatable {
    /// The property's name.
    public var name: String
    /// Its value.
    public var value: String

    /// Makes one.
    public init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// Makes an exception that no script threw.
  public init(name: String? = "Error", message: String, stack: String = "") {
    self.name = name
    self.message = message
    self.stack = stack
  }

  /// Captures `value`. Reading an error's properties may run its getters; what they throw is ignored.
  public init(capturing value: JSValue) {
    self.init(message: "")
    guard value.isObject else {
      name = nil
      message = value.displayString ?? "a value that has no text"
      return
    }
    name = value["name"].string
    message = value["message"].string ?? value.displayString ?? "an object that has no text"
    stack = value["stack"].string ?? ""
    url = value["sourceURL"].string
    line = Self.position(value["line"])
    column = Self.position(value["column"])
    attributes = ["code", "service", "action"].compactMap { name in
      value[name].string.map { Attribute(name: name, value: $0) }
    }
    let details = value["details"]
    if !details.isNullish { self.details = details.isObject ? details.json : details.displayString }
    captureCauses(of: value)
  }

  private mutating func captureCauses(of value: JSValue) {
    var cause = value["cause"]
    while !cause.isNullish, causes.count < 8 {
      let name = cause["name"].string.map { $0 + ": " } ?? ""
      causes.append(name + (cause["message"].string ?? cause.displayString ?? "?"))
      cause = cause["cause"]
    }
  }

  private static func position(_ value: JSValue) -> Int? {
    let number = value.number
    return number >= 1 && number < 1e9 ? Int(number) : nil
  }

  /// What native functions throw once ``JSVirtualMachine/endScripts()`` was called.
  static let programEnded = JSException(message: "the program has ended")

  /// Stands for a script that was stopped through ``JSInterrupter``.
  public static let termination: JSException = {
    var exception = JSException(name: nil, message: "the script was stopped")
    exception.isTermination = true
    return exception
  }()
}

extension JSException: CustomStringConvertible {
  /// `name: message`, without the stack.
  public var description: String {
    guard let name = title ?? name, !name.isEmpty else { return message }
    return message.isEmpty ? name : "\(name): \(message)"
  }
}
