// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

extension JSValue {
  /// How many bytes an `ArrayBuffer` or a view of one has; nil for anything else. Nothing is pinned.
  public var byteCount: Int? {
    let type = JSValueGetTypedArrayType(context, ref, nil)
    if type == kJSTypedArrayTypeNone { return nil }
    if type == kJSTypedArrayTypeArrayBuffer { return JSObjectGetArrayBufferByteLength(context, ref, nil) }
    return JSObjectGetTypedArrayByteLength(context, ref, nil)
  }

  /// The memory behind an `ArrayBuffer` or a view of one, not copied. nil for anything else.
  ///
  /// Asking pins the buffer: it can't be transferred any more. The memory lives as long as the value does.
  public var bytes: UnsafeMutableRawBufferPointer? {
    let type = JSValueGetTypedArrayType(context, ref, nil)
    if type == kJSTypedArrayTypeNone { return nil }
    if type == kJSTypedArrayTypeArrayBuffer {
      let base = JSObjectGetArrayBufferBytesPtr(context, ref, nil)
      return UnsafeMutableRawBufferPointer(
        start: base, count: JSObjectGetArrayBufferByteLength(context, ref, nil))
    }
    let base = JSObjectGetTypedArrayBytesPtr(context, ref, nil)
    // The C API answers the start of the whole buffer, not of the view.
    let offset = JSObjectGetTypedArrayByteOffset(context, ref, nil)
    return UnsafeMutableRawBufferPointer(
      start: base.map { $0 + offset }, count: JSObjectGetTypedArrayByteLength(context, ref, nil))
  }
}

extension JSContext {
  /// A `Uint8Array` over memory that `owner` keeps alive; nothing is copied.
  ///
  /// `owner` is released when the engine collects the buffer, on whichever thread that happens.
  public func makeBytes(over memory: UnsafeRawBufferPointer, keeping owner: some AnyObject & Sendable)
    -> JSValue
  {
    guard let base = memory.baseAddress, !memory.isEmpty else {
      return JSValue(JSObjectMakeTypedArray(ref, kJSTypedArrayTypeUint8Array, 0, nil), ref)
    }
    machine.pieces.expect(memory.count, in: self)
    let retained = Unmanaged.passRetained(owner as AnyObject).toOpaque()  // balanced by the deallocator
    let array = JSObjectMakeTypedArrayWithBytesNoCopy(
      ref, kJSTypedArrayTypeUint8Array, UnsafeMutableRawPointer(mutating: base), memory.count,
      { _, owner in owner.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, retained, nil)
    return JSValue(array, ref)
  }

  /// An `Int32Array` over cells that native code keeps, too.
  public func makeInt32Array(over shared: SharedCells) -> JSValue {
    let retained = Unmanaged.passRetained(shared).toOpaque()  // balanced by the deallocator
    let array = JSObjectMakeTypedArrayWithBytesNoCopy(
      ref, kJSTypedArrayTypeInt32Array, shared.cells, shared.count * MemoryLayout<Int32>.size,
      { _, owner in owner.map { Unmanaged<SharedCells>.fromOpaque($0).release() } }, retained, nil)
    return JSValue(array, ref)
  }

  /// An array of `count` values that `element` makes one by one.
  public func makeArray(count: Int, _ element: (Int) -> JSValue) -> JSValue {
    // Made whole: to set its elements one by one would run setters that a script has put on a prototype.
    // The collector looks for values on the stack, and not in Swift's arrays: each is kept until the array
    // has it.
    var elements: [JSValueRef?] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      let value = element(index).ref
      JSValueProtect(ref, value)
      elements.append(value)
    }
    let array = JSObjectMakeArray(ref, count, elements, nil)
    for value in elements { JSValueUnprotect(ref, value) }
    return JSValue(array, ref)
  }
}

/// Numbers, zero at first, that scripts and native code read and write. The memory lives as long as either
/// has it.
public final class SharedCells {
  /// The memory.
  public let cells: UnsafeMutablePointer<Int32>
  /// How many there are.
  public let count: Int

  /// Makes `count` of them.
  public init(count: Int) {
    self.count = count
    cells = .allocate(capacity: count)
    cells.initialize(repeating: 0, count: count)
  }

  deinit { cells.deallocate() }
}
