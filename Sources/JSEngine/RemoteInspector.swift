// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore
internal import Glibc

/// The engine's own debugger, which it offers to one inspector at the other end of a socket: WebKit's remote
/// inspector (WebKit 2.50, `Source/JavaScriptCore/inspector/remote`). No header declares the way to it, and
/// the library exports it.
///
/// While the engine is paused it iterates the machine's `GMainContext` by itself.
public enum RemoteInspector {
  /// Has the engine connect with what listens at a port of 127.0.0.1, as soon as the context's loop turns,
  /// and offer a context there. Once in a process, on the machine's thread. False where the library has no
  /// such inspector.
  public static func connect(_ context: JSContext, name: String, port: UInt16) -> Bool {
    context.machine.preconditionOwner("inspecting a context")
    guard let makeText = PrivateAPI.makeCString, let setAddress = PrivateAPI.setInspectorAddress,
      let singleton = PrivateAPI.inspectorSingleton, let start = PrivateAPI.startInspector,
      let setInspectable = PrivateAPI.setInspectable
    else { return false }
    let title = JSString.make(name)
    defer { JSStringRelease(title) }
    JSGlobalContextSetName(context.ref, title)
    // A `WTF::CString` is one pointer; who takes it leaves null behind.
    var text: UnsafeMutableRawPointer?
    makeText(&text, "127.0.0.1:\(port)")
    setAddress(&text)
    guard let inspector = singleton() else { return false }
    start(inspector)
    setInspectable(context.ref, true)
    return true
  }
}
