// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore
internal import Glibc

/// Functions that the library exports but that no header declares.
///
/// They are private API: each is looked up once, and each caller says what it does without it.
enum PrivateAPI {
  typealias VoidFunction = @convention(c) () -> Void
  typealias SetTimeLimit =
    @convention(c) (
      JSContextGroupRef, Double, NBJSShouldTerminate?, UnsafeMutableRawPointer?
    ) -> Void
  typealias ClearTimeLimit = @convention(c) (JSContextGroupRef) -> Void
  typealias SetRejectionCallback =
    @convention(c) (
      JSGlobalContextRef, JSObjectRef, UnsafeMutablePointer<JSValueRef?>?
    ) -> Void
  typealias GetProxyTarget = @convention(c) (JSObjectRef) -> JSObjectRef?
  typealias Collect = @convention(c) (JSContextRef) -> Void
  typealias EnableProfiler = @convention(c) (JSContextGroupRef) -> Bool
  typealias DisableProfiler = @convention(c) (JSContextGroupRef) -> Void
  typealias TakeSamples = @convention(c) (JSContextGroupRef) -> JSStringRef?
  typealias MemoryStatistics = @convention(c) (JSContextRef) -> JSObjectRef?
  typealias CreateBacktrace = @convention(c) (JSContextRef, UInt32) -> JSStringRef?

  /// `WTF::initializeMainThread()`.
  static let initializeMainThread = lookUp("_ZN3WTF20initializeMainThreadEv", as: VoidFunction.self)
  static let disableGCTimer = lookUp("JSDisableGCTimer", as: VoidFunction.self)
  static let setTimeLimit = lookUp("JSContextGroupSetExecutionTimeLimit", as: SetTimeLimit.self)
  static let clearTimeLimit = lookUp("JSContextGroupClearExecutionTimeLimit", as: ClearTimeLimit.self)
  static let setRejectionCallback = lookUp(
    "JSGlobalContextSetUnhandledRejectionCallback", as: SetRejectionCallback.self)
  static let getProxyTarget = lookUp("JSObjectGetProxyTarget", as: GetProxyTarget.self)
  static let collectSynchronously = lookUp("JSSynchronousGarbageCollectForDebugging", as: Collect.self)
  static let collectNew = lookUp("JSSynchronousEdenCollectForDebugging", as: Collect.self)
  static let memoryStatistics = lookUp("JSGetMemoryUsageStatistics", as: MemoryStatistics.self)
  static let createBacktrace = lookUp("JSContextCreateBacktrace", as: CreateBacktrace.self)

  static let enableProfiler = lookUp("JSContextGroupEnableSamplingProfiler", as: EnableProfiler.self)
  static let disableProfiler = lookUp("JSContextGroupDisableSamplingProfiler", as: DisableProfiler.self)
  static let takeSamples = lookUp("JSContextGroupTakeSamplesFromSamplingProfiler", as: TakeSamples.self)

  typealias PromiseStatus = @convention(c) (JSObjectRef, OpaquePointer) -> UInt32
  typealias PromiseResult = @convention(c) (JSObjectRef, OpaquePointer) -> JSValueRef?
  /// `JSC::JSPromise::status(VM&) const` and `::result(VM&) const`: a context group is a VM.
  static let promiseStatus = lookUp("_ZNK3JSC9JSPromise6statusERNS_2VME", as: PromiseStatus.self)
  static let promiseResult = lookUp("_ZNK3JSC9JSPromise6resultERNS_2VME", as: PromiseResult.self)

  typealias MakeStringImpl =
    @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafePointer<UInt8>?, Int) ->
    UnsafeMutableRawPointer?
  typealias WrapString =
    @convention(c) (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<UnsafeMutableRawPointer?>) ->
    UnsafeMutableRawPointer?
  #if arch(x86_64)
    /// `WTF::StringImpl::create(std::span<const LChar>)` and `OpaqueJSString::tryCreate(WTF::String&&)`. Each
    /// answers through a first, hidden argument, as C++ classes do here; on other machines that is none.
    static let makeStringImpl = lookUp(
      "_ZN3WTF10StringImpl6createESt4spanIKhLm18446744073709551615EE", as: MakeStringImpl.self)
    static let wrapString = lookUp("_ZN14OpaqueJSString9tryCreateEON3WTF6StringE", as: WrapString.self)
  #else
    static let makeStringImpl: MakeStringImpl? = nil
    static let wrapString: WrapString? = nil
  #endif

  typealias MakeCString = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Void
  typealias SetInspectorAddress = @convention(c) (UnsafeMutableRawPointer) -> Void
  typealias InspectorSingleton = @convention(c) () -> UnsafeMutableRawPointer?
  typealias StartInspector = @convention(c) (UnsafeMutableRawPointer) -> Void
  typealias SetInspectable = @convention(c) (JSGlobalContextRef, Bool) -> Void
  /// `WTF::CString::CString(char const*)`.
  static let makeCString = lookUp("_ZN3WTF7CStringC1EPKc", as: MakeCString.self)
  /// Of `Inspector::RemoteInspector`: `setInspectorServerAddress(WTF::CString&&)`, `singleton()`, `start()`.
  static let setInspectorAddress = lookUp(
    "_ZN9Inspector15RemoteInspector25setInspectorServerAddressEON3WTF7CStringE", as: SetInspectorAddress.self)
  static let inspectorSingleton = lookUp(
    "_ZN9Inspector15RemoteInspector9singletonEv", as: InspectorSingleton.self)
  static let startInspector = lookUp("_ZN9Inspector15RemoteInspector5startEv", as: StartInspector.self)
  static let setInspectable = lookUp("JSGlobalContextSetInspectable", as: SetInspectable.self)

  private static func lookUp<F>(_ name: String, as type: F.Type) -> F? {
    guard let symbol = dlsym(nil, name) else { return nil }
    return unsafeBitCast(symbol, to: type)
  }
}
