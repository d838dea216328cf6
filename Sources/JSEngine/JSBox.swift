// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// The one class of objects that hold a native one. They have no members: what they hold is reached by
/// native functions that are given them.
private enum JSBox {
  /// Thread-safe by the C API: a class is an immutable description.
  nonisolated(unsafe) static let boxClass: JSClassRef? = {
    var definition = kJSClassDefinitionEmpty
    definition.finalize = { object in
      guard let held = JSObjectGetPrivate(object) else { return }
      Unmanaged<AnyObject>.fromOpaque(held).release()
    }
    return "NativeObject".withCString { name in
      definition.className = name
      return JSClassCreate(&definition)
    }
  }()
}

extension JSContext {
  /// An object that holds a native one, for the runtime's own scripts to keep and to hand back.
  ///
  /// What it holds is released when the engine collects the object, on whichever thread that happens.
  public func makeBox(_ held: some AnyObject & Sendable) -> JSValue {
    // Balanced by `finalize`, which the engine calls once for the object.
    let retained = Unmanaged.passRetained(held as AnyObject).toOpaque()
    return JSValue(JSObjectMake(ref, JSBox.boxClass, retained), ref)
  }
}

extension JSValue {
  /// What ``JSContext/makeBox(_:)`` put into the object; nil for any other value, and for another class.
  public func boxed<Held: AnyObject>(_ type: Held.Type) -> Held? { boxed as? Held }

  /// The same, of whatever class.
  public var boxed: AnyObject? {
    guard JSValueIsObjectOfClass(context, ref, JSBox.boxClass),
      let object = JSValueToObject(context, ref, nil), let held = JSObjectGetPrivate(object)
    else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(held).takeUnretainedValue()
  }
}
