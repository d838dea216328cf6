// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore
internal import Glibc

/// One global object of a machine. Confined to the machine's thread.
public final class JSContext {
  /// The engine that the context lives in.
  public let machine: JSVirtualMachine
  let ref: OpaquePointer
  /// The value that a script threw last, where the caller asked to keep it: see ``keepsThrown``.
  public private(set) var lastThrown: JSHandle?
  /// Whether thrown values are kept in ``lastThrown``.
  public var keepsThrown = false { didSet { if !keepsThrown { lastThrown = nil } } }

  /// Says what a thrown value is without running code of its own; nil where only the engine can be asked,
  /// which runs getters. Not called for a script that was stopped.
  public var examiner: ((JSValue) -> JSException?)?

  /// Another context of the machine, which may outlive this one: see ``collectInherited()``.
  public weak var heir: JSContext?

  /// Makes a context with the standard's globals and nothing else.
  public init(in machine: JSVirtualMachine) {
    machine.preconditionOwner("making a context")
    self.machine = machine
    ref = JSGlobalContextCreateInGroup(machine.group, nil)
  }

  deinit {
    lastThrown = nil
    machine.drainReleases(in: self)
    // The engine holds that function for itself, and would with it hold all of this context. No script runs
    // to find another: the machine may be stopped.
    if let heir { PrivateAPI.setRejectionCallback?(ref, heir.global["Function"].ref, nil) }
    JSGlobalContextRelease(ref)
  }

  /// The global object.
  public var global: JSValue { JSValue(JSContextGetGlobalObject(ref), ref) }
  /// `undefined`.
  public var undefined: JSValue { JSValue(JSValueMakeUndefined(ref), ref) }

  /// Runs a script in the global scope and answers its completion value. Microtasks have run by then.
  ///
  /// - Parameters:
  ///   - source: the script (not a module).
  ///   - url: what stack lines call it.
  @discardableResult
  public func evaluate(_ source: String, url: String) throws(JSException) -> JSValue {
    let text = JSString.make(source)
    defer { JSStringRelease(text) }
    return try evaluate(string: text, url: url)
  }

  /// Runs a script that is part of the binary: ASCII only, so that the engine keeps it in one byte a
  /// character.
  @discardableResult
  public func evaluate(ascii source: [UInt8], url: String, this: JSValue? = nil) throws(JSException)
    -> JSValue
  {
    let terminated = source + [0]
    let text = terminated.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { JSStringCreateWithUTF8CString($0.baseAddress) }
    }
    defer { JSStringRelease(text) }
    // Never null for a terminated text.
    return try evaluate(string: text.unsafelyUnwrapped, url: url, this: this)
  }

  /// The same for one that is a text of the binary's.
  @discardableResult
  public func evaluate(ascii source: StaticString, url: String) throws(JSException) -> JSValue {
    // A literal of more than one character has a pointer, and a zero behind it.
    precondition(source.hasPointerRepresentation, "a script of one character")
    let text = source.utf8Start.withMemoryRebound(to: CChar.self, capacity: source.utf8CodeUnitCount + 1) {
      JSStringCreateWithUTF8CString($0)
    }
    defer { JSStringRelease(text) }
    // Never null for a terminated text.
    return try evaluate(string: text.unsafelyUnwrapped, url: url)
  }

  private func evaluate(string text: OpaquePointer, url: String, this: JSValue? = nil) throws(JSException)
    -> JSValue
  {
    machine.preconditionOwner("evaluating '\(url)'")
    let name = JSString.make(url)
    defer { JSStringRelease(name) }
    var exception: JSValueRef?
    let value = JSEvaluateScript(ref, text, this?.ref, name, 1, &exception)
    if let exception { throw capture(exception) }
    guard let value else { throw .termination }
    return JSValue(value, ref)
  }

  /// Parses `source` as a script, without running it. Answers the syntax error, if there is one.
  public func syntaxError(in source: String, url: String) -> JSException? {
    let text = JSString.make(source)
    let name = JSString.make(url)
    defer {
      JSStringRelease(text)
      JSStringRelease(name)
    }
    var exception: JSValueRef?
    if JSCheckScriptSyntax(ref, text, name, 1, &exception) { return nil }
    return exception.map { JSException(capturing: JSValue($0, ref)) } ?? JSException(message: "syntax error")
  }

  /// What the engine says of its memory, in bytes, by its own names, as `heapSize`; 0 where it does not tell.
  public func memory(_ name: String) -> Double {
    guard let told = PrivateAPI.memoryStatistics?(ref) else { return 0 }
    let bytes = JSValue(told, ref)[name].number
    return bytes.isNaN ? 0 : bytes
  }

  /// Calls a function with `this` undefined.
  @discardableResult
  public func call(_ function: JSValue, _ arguments: JSValue...) throws(JSException) -> JSValue {
    try call(function, count: arguments.count) { arguments[$0] }
  }

  /// Calls a function with `count` arguments, at most 120, that `argument` makes one by one.
  ///
  /// The references lie on the stack meanwhile: the collector does not see a Swift array.
  @discardableResult
  public func call(_ function: JSValue, count: Int, _ argument: (Int) -> JSValue) throws(JSException)
    -> JSValue
  {
    machine.preconditionOwner("calling a function")
    precondition(count <= Self.stackReferences, "too many arguments")
    // After a stop inside a promise's job, which the engine reports to no caller, it aborts in the next call.
    if machine.interrupter.stopsScripts { throw .termination }
    guard JSValueIsObject(ref, function.ref), JSObjectIsFunction(ref, function.ref) else {
      throw JSException(name: "TypeError", message: "what was to be called is no function")
    }
    var exception: JSValueRef?
    let value = withUnsafeTemporaryAllocation(of: JSValueRef?.self, capacity: Self.stackReferences) { list in
      list.initialize(repeating: nil)
      for index in 0..<count { list[index] = argument(index).ref }
      return JSObjectCallAsFunction(ref, function.ref, nil, count, list.baseAddress, &exception)
    }
    if let exception { throw capture(exception) }
    guard let value else { throw .termination }
    return JSValue(value, ref)
  }

  /// 1 KiB: what `withUnsafeTemporaryAllocation` keeps on the stack.
  private static let stackReferences = 120

  /// Sets a property of the global object.
  public func setGlobal(_ name: String, _ value: JSValue) { set(global, name, value) }

  /// Sets a property of an object; what a setter throws is ignored.
  public func set(_ object: JSValue, _ name: String, _ value: JSValue) {
    let key = JSString.make(name)
    defer { JSStringRelease(key) }
    JSObjectSetProperty(ref, object.ref, key, value.ref, 0, nil)
  }

  /// Names a function that is called with (promise, reason) for each unhandled rejection at the end of a
  /// microtask drain. Answers false where the library lacks the hook.
  public func onUnhandledRejection(_ function: JSValue) -> Bool {
    guard let setCallback = PrivateAPI.setRejectionCallback else { return false }
    setCallback(ref, function.ref, nil)
    return true
  }

  /// Collects garbage now, and waits for it where the library can.
  public func collectGarbage() {
    machine.drainReleases(in: self)
    if let collect = PrivateAPI.collectSynchronously { collect(ref) } else { JSGarbageCollect(ref) }
  }

  /// Collects what a context has left whose heir this one is. To be called on the machine's thread where
  /// nothing on the stack is of that one any more: the collector takes what it finds there for values.
  public func collectInherited() {
    // Code that is compiled, and that no script has fetched yet, keeps its context; what runs often fetches
    // it. Not by `evaluate`: the machine may be stopped.
    let often = JSString.make("(() => { const one = () => 1; for (let i = 0; i < 2000; i++) one(); })()")
    defer { JSStringRelease(often) }
    // It may be compiled just now.
    for pause in Self.pauses {
      JSEvaluateScript(ref, often, nil, nil, 1, nil)
      collectGarbage()
      if memory("globalObjectCount") <= 1 { return }
      usleep(pause * 1000)
    }
  }

  /// Milliseconds between attempts.
  private static let pauses: [UInt32] = [1, 2, 5, 10, 20, 50, 100, 200]

  /// Keeps a value that was thrown without this context seeing it: a promise's reason.
  public func noteThrown(_ value: JSValue) {
    if keepsThrown { lastThrown = JSHandle(value, in: self) }
  }

  private func capture(_ exception: JSValueRef) -> JSException {
    if machine.interrupter.isRequested { return .termination }
    if keepsThrown { lastThrown = JSHandle(JSValue(exception, ref), in: self) }
    return self.exception(of: JSValue(exception, ref))
  }

  /// What was thrown, captured.
  public func exception(of thrown: JSValue) -> JSException {
    examiner?(thrown) ?? JSException(capturing: thrown)
  }
}

// MARK: - Making values

extension JSContext {
  /// A number.
  public func make(_ number: Double) -> JSValue { JSValue(JSValueMakeNumber(ref, number), ref) }
  /// A boolean.
  public func make(_ bool: Bool) -> JSValue { JSValue(JSValueMakeBoolean(ref, bool), ref) }
  /// An empty object that inherits nothing: no script can put members into it from outside.
  public func makeBareObject() -> JSValue {
    let object = JSObjectMake(ref, nil, nil)
    JSObjectSetPrototype(ref, object, JSValueMakeNull(ref))
    return JSValue(object, ref)
  }
  /// An empty object.
  public func makeObject() -> JSValue { JSValue(JSObjectMake(ref, nil, nil), ref) }
  /// A string.
  public func make(_ text: String) -> JSValue {
    let string = JSString.make(text)
    defer { JSStringRelease(string) }
    return JSValue(JSValueMakeString(ref, string), ref)
  }
  /// A string of UTF-8 bytes.
  public func make(utf8 bytes: UnsafeBufferPointer<UInt8>) -> JSValue {
    let string = JSString.make(utf8: bytes)
    defer { JSStringRelease(string) }
    return JSValue(JSValueMakeString(ref, string), ref)
  }
}
