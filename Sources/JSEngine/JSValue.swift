// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// A JavaScript value, for as long as the current call into or out of the engine lasts.
///
/// It is two words and counts no references: the collector sees it because it lies on the engine thread's
/// stack. To keep one longer, or in a Swift container, make a ``JSHandle``.
public struct JSValue {
  let ref: JSValueRef
  let context: JSContextRef

  init(_ ref: JSValueRef?, _ context: JSContextRef) {
    self.ref = ref.unsafelyUnwrapped  // the C API answers a value from every call that did not throw
    self.context = context
  }

  /// Whether it is `undefined`.
  public var isUndefined: Bool { JSValueIsUndefined(context, ref) }
  /// Whether it is `undefined` or `null`.
  public var isNullish: Bool { JSValueIsUndefined(context, ref) || JSValueIsNull(context, ref) }
  /// Whether it is an object of any kind, functions included.
  public var isObject: Bool { JSValueIsObject(context, ref) }
  /// Whether it is the same object.
  public func isSame(as other: JSValue) -> Bool { isObject && ref == other.ref }
  /// Whether it is a string primitive.
  public var isString: Bool { JSValueIsString(context, ref) }

  /// The truth value, by ECMAScript's ToBoolean; runs no script.
  public var bool: Bool { JSValueToBoolean(context, ref) }

  /// The number, NaN for what is none. An object is not converted: that could run script.
  public var number: Double {
    JSValueIsObject(context, ref) ? .nan : JSValueToNumber(context, ref, nil)
  }

  /// The number without its fraction; 0 for NaN, the nearest end of the range for what is past it.
  public var integer: Int {
    let number = number
    if number.isNaN { return 0 }
    if number >= 9e18 { return .max }
    return number <= -9e18 ? .min : Int(number)
  }

  /// The text of a string primitive, else nil.
  public var string: String? {
    guard JSValueIsString(context, ref), let copy = JSValueToStringCopy(context, ref, nil) else { return nil }
    defer { JSStringRelease(copy) }
    return JSString.text(copy)
  }

  /// The value as JSON text; nil for what has none. May run the value's own `toJSON`. Slow: for reports.
  public var json: String? {
    var exception: JSValueRef?
    guard let text = JSValueCreateJSONString(context, ref, 0, &exception), exception == nil else {
      return nil
    }
    defer { JSStringRelease(text) }
    return JSString.text(text)
  }

  /// ECMAScript's ToString; may run script. An exception in it answers nil.
  public var displayString: String? {
    var exception: JSValueRef?
    guard let copy = JSValueToStringCopy(context, ref, &exception), exception == nil else { return nil }
    defer { JSStringRelease(copy) }
    return JSString.text(copy)
  }

  /// Calls `body` with the UTF-8 bytes of a string. Answers false, without a call, when the value is no
  /// string or holds half of a character (a lone surrogate).
  @inline(__always)
  public func readUTF8(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Bool {
    guard JSValueIsString(context, ref), let copy = JSValueToStringCopy(context, ref, nil) else {
      return false
    }
    defer { JSStringRelease(copy) }
    return try JSString.readUTF8(copy, body)
  }

  /// A property of an object, `undefined` when it is no object or the getter throws. May run script.
  public subscript(name: String) -> JSValue {
    guard JSValueIsObject(context, ref) else { return JSValue(JSValueMakeUndefined(context), context) }
    let key = JSString.make(name)
    defer { JSStringRelease(key) }
    var exception: JSValueRef?
    let object = JSValueToObject(context, ref, nil)
    let value = JSObjectGetProperty(context, object, key, &exception)
    // Neither a value nor an exception comes when the script was stopped from outside.
    return JSValue(
      exception == nil ? value ?? JSValueMakeUndefined(context) : JSValueMakeUndefined(context), context)
  }
}

extension JSValue {
  /// The target of a Proxy, found without calling any trap; nil for what is no Proxy, or a revoked one.
  public var proxyTarget: JSValue? {
    guard JSValueIsObject(context, ref), let target = PrivateAPI.getProxyTarget?(ref),
      JSValueIsObject(context, target)
    else { return nil }
    return JSValue(target, context)
  }
}
