// SPDX-License-Identifier: MIT

package import JSEngine
internal import NBridgeScript

/// The built-in modules of one engine: each is evaluated when it is first needed. Confined to the engine's
/// thread.
package final class Builtins {
  package let context: JSContext
  /// The global object of modules that keep apart from what scripts do to theirs. It takes the engine a
  /// quarter of a millisecond: programs that show no values do without.
  private lazy var apart = JSContext(in: context.machine)
  private let modules: [String: BuiltinModule]
  private let services: BuiltinServices
  private var loaded: [String: JSHandle] = [:]
  /// The functions that boot.js returns.
  private var helpers: [JSHandle] = []
  private var names: GlobalNames
  /// Whether a thrown value is being looked at.
  package var isExamining = false
  /// Whether the bridge has taken what it needs of the engine.
  private var isPrepared = false
  /// Whether the engine's own functions stand where a module that loads looks for them.
  private var isPristine = false

  /// Functions of boot.js, in the order in which they are kept.
  package enum Helper: Int, CaseIterable {
    /// Follows a promise to its end.
    case follow
    /// Keeps the program alive while WebAssembly compiles.
    case holdWhile
    /// Answers the script's half of the bridge.
    case nativeBridge
    /// Makes a member that is asked for when it is read.
    case laterMember
    /// Takes what the bridge needs of the engine, before the first script that has anything in it.
    case prepare

    fileprivate static let names = ["follow", "holdWhile", "nativeBridge", "laterMember", "prepare"]
  }

  package init(_ modules: [String: BuiltinModule], _ services: BuiltinServices) {
    (self.modules, self.services) = (modules, services)
    context = services.context
    var globals = [LoweredText.libraryWord, StackReads.libraryWord, "FinalizationRegistry"]
    for module in modules.values { globals += module.globals }
    names = GlobalNames(globals)
  }

  /// Puts the globals in place.
  ///
  /// - Parameter host: what boot.js gets beside `load` and the globals' names.
  package func boot(_ module: BuiltinModule, _ host: HostObject) throws(JSException) {
    host.function("load") { [unowned self] frame throws(JSException) in try load(frame[0].string ?? "") }
    host.set("globals", context.make(globalsList))
    let boot = try context.evaluate(ascii: module.source(), url: module.url)
    let made = try context.call(boot, host.value)
    helpers = Helper.names.map { JSHandle(made[$0], in: context) }
  }

  /// Each module's name and its globals, with spaces between; the modules with semicolons between.
  private var globalsList: String {
    var list = ""
    for module in modules.values.filter({ !$0.globals.isEmpty }).sorted(by: { $0.name < $1.name }) {
      if !list.isEmpty { list += ";" }
      list += module.name
      for global in module.globals { list += " " + global }
    }
    return list
  }

  /// A function of boot.js; undefined before it ran.
  package func helper(_ helper: Helper) -> JSValue {
    helpers.isEmpty ? context.undefined : helpers[helper.rawValue].value
  }

  /// Puts the lazy globals that a script mentions in place.
  package func placeGlobals(mentionedIn text: String) {
    if !isPrepared, text.utf8.contains(where: { $0 > 0x20 }) {
      isPrepared = true
      _ = try? context.call(helper(.prepare))
    }
    let found = names.takeMentioned(in: text)
    for name in found.names {
      switch name {
      case LoweredText.libraryWord: _ = try? load("language")
      case StackReads.libraryWord: _ = try? load("stacks")
      case "FinalizationRegistry": _ = try? load("finalization")
      default: _ = context.global[name]
      }
    }
    // What is loaded behind this script is not to find what that put in the place of the engine's own.
    if found.mayReplace { _ = try? load("originals") }
  }

  /// Whether a module was needed by now.
  package func isLoaded(_ name: String) -> Bool { loaded[name] != nil }

  /// Evaluates a module, once, and answers what it exports.
  package func load(_ name: String) throws(JSException) -> JSValue {
    if let known = loaded[name] { return known.value }
    guard let module = modules[name] else { throw JSException(message: "there is no module '\(name)'") }
    if module.isApart { return try evaluate(module) }
    return try pristinely { () throws(JSException) in try evaluate(module) }
  }

  /// Runs code of the runtime's or of a plugin's that takes what it will need of the engine: what a script
  /// made of the engine's objects is neither to break that, nor to be taken for the engine's. No code of a
  /// script's may run in it.
  package func pristinely(_ body: () throws(JSException) -> JSValue) throws(JSException) -> JSValue {
    guard let keeper = loaded["originals"]?.value, !isPristine else { return try body() }
    let changed = JSHandle(try context.call(keeper["enter"]), in: context)
    isPristine = true
    defer {
      isPristine = false
      _ = try? context.call(keeper["leave"], changed.value)
    }
    return try body()
  }

  private func evaluate(_ module: BuiltinModule) throws(JSException) -> JSValue {
    let realm = module.isApart ? apart : context
    let function = try realm.evaluate(ascii: module.source(), url: module.url)
    let exports = try realm.call(function, try host(of: module))
    loaded[module.name] = JSHandle(exports, in: context)
    return exports
  }

  private func host(of module: BuiltinModule) throws(JSException) -> JSValue {
    if module.needs.isEmpty, module.host == nil { return context.undefined }
    let host = HostObject(context)
    for need in module.needs {
      switch need {
      case .exports(let names, let module):
        let exports = try load(module)
        for name in names { host.set(name, exports[name]) }
      case .export(let export, let module, let name): host.set(name, try load(module)[export])
      case .module(let module, let name): host.set(name, try load(module))
      case .later(let export, let module, let name): try addLater(host, name, module, export)
      }
    }
    try module.host?(host, services)
    return host.value
  }

  private func addLater(_ host: HostObject, _ name: String, _ module: String, _ export: String)
    throws(JSException)
  {
    let get = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      try load(module)[export]
    }
    try context.call(helper(.laterMember), host.value, context.make(name), get)
  }
}
