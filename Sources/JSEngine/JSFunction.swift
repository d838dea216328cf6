// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore
internal import Glibc

/// The arguments of a call from JavaScript, valid while the callback runs.
public struct JSCallFrame: ~Copyable {
  /// How many arguments came.
  public let count: Int
  let context: JSContextRef
  private let arguments: UnsafePointer<JSValueRef?>?

  init(_ context: JSContextRef, _ count: Int, _ arguments: UnsafePointer<JSValueRef?>?) {
    self.context = context
    self.count = count
    self.arguments = arguments
  }

  /// The argument at `index`, `undefined` past the last.
  @inline(__always)
  public subscript(index: Int) -> JSValue {
    guard index < count, let arguments else { return undefined }
    return JSValue(arguments[index], context)
  }

  /// `undefined`.
  public var undefined: JSValue { JSValue(JSValueMakeUndefined(context), context) }
  /// `null`.
  public var null: JSValue { JSValue(JSValueMakeNull(context), context) }
  /// A number.
  public func make(_ number: Double) -> JSValue { JSValue(JSValueMakeNumber(context, number), context) }
  /// A boolean.
  public func make(_ bool: Bool) -> JSValue { JSValue(JSValueMakeBoolean(context, bool), context) }
  /// A string of UTF-8 bytes.
  public func make(utf8 bytes: UnsafeBufferPointer<UInt8>) -> JSValue {
    let string = JSString.make(utf8: bytes)
    defer { JSStringRelease(string) }
    return JSValue(JSValueMakeString(context, string), context)
  }
  /// A string of `count` UTF-8 bytes, followed by a zero.
  public func make(terminated text: UnsafePointer<CChar>, count: Int) -> JSValue {
    // The library's own conversion ends at the first zero: one that stands in the text must not cut it.
    if count < JSString.wideThreshold, strlen(text) == count, let string = JSStringCreateWithUTF8CString(text)
    {
      defer { JSStringRelease(string) }
      return JSValue(JSValueMakeString(context, string), context)
    }
    return make(
      utf8: UnsafeBufferPointer(
        start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count))
  }
  /// A string.
  public func make(_ text: String) -> JSValue {
    var text = text
    return text.withUTF8 { make(utf8: $0) }
  }
}

/// A Swift function that JavaScript can call.
///
/// What it throws becomes a JavaScript `Error` with that message. It runs on the engine's thread, inside the
/// call; behind ``JSVirtualMachine/endScripts()`` it runs no more, and each call throws.
public final class JSFunction {
  /// Answers a call.
  public typealias Body = (borrowing JSCallFrame) throws(JSException) -> JSValue

  private let body: Body
  private let life: ScriptLife

  private init(_ body: @escaping Body, _ life: ScriptLife) { (self.body, self.life) = (body, life) }

  /// Makes the function object. The engine keeps `body` until it collects the object.
  public static func make(in context: JSContext, _ body: @escaping Body) -> JSValue {
    // Balanced by `finalize`, which the engine calls once for the object.
    let retained = Unmanaged.passRetained(JSFunction(body, context.machine.life)).toOpaque()
    return JSValue(JSObjectMake(context.ref, functionClass, retained), context.ref)
  }

  /// One class for every native function. Thread-safe by the C API: a class is an immutable description.
  private nonisolated(unsafe) static let functionClass: JSClassRef? = {
    var definition = kJSClassDefinitionEmpty
    definition.callAsFunction = { context, function, _, count, arguments, exception in
      guard let context, let held = JSObjectGetPrivate(function) else { return nil }
      return Unmanaged<JSFunction>.fromOpaque(held)._withUnsafeGuaranteedRef { function in
        do throws(JSException) {
          if function.life.isOver { throw .programEnded }
          return try function.body(JSCallFrame(context, count, arguments)).ref
        } catch {
          exception?.pointee = makeError(error, in: context)
          return JSValueMakeUndefined(context)
        }
      }
    }
    definition.finalize = { object in
      guard let held = JSObjectGetPrivate(object) else { return }
      Unmanaged<JSFunction>.fromOpaque(held).release()
    }
    return "NativeFunction".withCString { name in
      definition.className = name
      return JSClassCreate(&definition)
    }
  }()

  private static func makeError(_ error: JSException, in context: JSContextRef) -> JSValueRef? {
    let text = JSString.make(error.message)
    defer { JSStringRelease(text) }
    var message = JSValueMakeString(context, text)
    guard error.name == "SyntaxError", let made = makeSyntaxError(error, in: context) else {
      return JSObjectMakeError(context, 1, &message, nil)
    }
    set(made, "message", message, in: context)
    if let column = error.column {
      set(made, "column", JSValueMakeNumber(context, Double(column)), in: context)
    }
    return made
  }

  /// The engine's own, of a text that never parses: no script is asked for its `SyntaxError`. It keeps the
  /// file and the line.
  private static func makeSyntaxError(_ error: JSException, in context: JSContextRef) -> JSValueRef? {
    let (text, url) = (JSString.make("@"), JSString.make(error.url ?? ""))
    defer {
      JSStringRelease(text)
      JSStringRelease(url)
    }
    var thrown: JSValueRef?
    let line = Int32(clamping: error.line ?? 1)
    guard !JSCheckScriptSyntax(context, text, error.url == nil ? nil : url, line, &thrown) else { return nil }
    return thrown
  }

  private static func set(
    _ object: OpaquePointer, _ name: String, _ value: JSValueRef?, in context: JSContextRef
  ) {
    let key = JSString.make(name)
    defer { JSStringRelease(key) }
    JSObjectSetProperty(context, object, key, value, JSPropertyAttributes(kJSPropertyAttributeDontEnum), nil)
  }
}
