// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import JSEngine
internal import NBridgePlugin

/// What the web's globals get of the native side.
extension Runtime {
  func webHost(for library: ScriptLibrary) throws(JSException) -> JSValue {
    switch library {
    case .events: try eventsHost()
    case .reports: try reportsHost()
    case .abort: try abortHost()
    case .clone: try cloneHost()
    case .messaging: try messagingHost()
    case .encoding: try encodingHost()
    case .crypto: try cryptoHost()
    case .performance: try performanceHost()
    case .base64: try host(with: (.domexception, ["DOMException"])).value
    case .url: try urlHost()
    case .urlsearchparams: try searchParamsHost()
    case .urlparser: try urlParserHost()
    case .navigator: navigatorHost()
    case .blob: try blobHost()
    case .formdata: try formDataHost()
    default: try streamHost(for: library)
    }
  }

  private func navigatorHost() -> JSValue {
    let host = HostObject(context)
    host.set("version", context.make("\(NBridgeVersion.current)"))
    let locale: String = getenv("LANG").map { String(cString: $0) } ?? ""
    let language = locale.prefix { $0 != "." }.replacing("_", with: "-")
    let known = text(.machine) { language.count < 2 ? "en-US" : String(language) }
    host.set("language", context.make(known ?? "en-US"))
    host.set("processors", context.make(number(.machine) { Double(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }))
    return host.value
  }

  /// A host with members that other libraries export.
  private func host(with parts: (ScriptLibrary, [String])...) throws(JSException) -> HostObject {
    let host = HostObject(context)
    for (library, names) in parts {
      let exports = try load(library)
      for name in names { host.set(name, exports[name]) }
    }
    return host
  }

  private func eventsHost() throws(JSException) -> JSValue {
    let host = try host(with: (.domexception, ["DOMException"]), (.platform, ["notCloneable"]))
    addClock(host)
    addReport(host)
    host.set("timeOrigin", context.make(number(.origin) { Double(startTime) / 1000 }))
    return host.value
  }

  private func reportsHost() throws(JSException) -> JSValue {
    let host = try host(with: (.events, ["Event", "internals"]))
    addFailure(host)
    host.function("isEnding") { [unowned self] frame throws(JSException) in frame.make(ending != nil) }
    return host.value
  }

  private func abortHost() throws(JSException) -> JSValue {
    let host = try host(
      with: (.domexception, ["DOMException"]), (.platform, ["notCloneable"]),
      (.events, ["EventTarget", "Event", "internals"]))
    host.function("delay") { [unowned self] frame throws(JSException) in
      let callback = JSHandle(frame[1], in: context)
      let microseconds = min(max(0, frame[0].integer), 9_000_000_000_000) * 1000
      runLater(at: loop.clock.now + microseconds) { [unowned self] in call(callback) }
      return frame.undefined
    }
    addHold(host)
    return host.value
  }

  private func cloneHost() throws(JSException) -> JSValue {
    let host = try host(with: (.domexception, ["DOMException"]), (.platform, ["isNotCloneable"]))
    host.function("isProxy") { frame throws(JSException) in frame.make(frame[0].proxyTarget != nil) }
    return host.value
  }

  private func blobHost() throws(JSException) -> JSValue {
    let host = HostObject(context)
    host.set("clone", try load(.clone)["internals"])
    addUTF8(host)
    host.function("ReadableStream") { [unowned self] frame throws(JSException) in
      context.global["ReadableStream"]
    }
    return host.value
  }

  private func formDataHost() throws(JSException) -> JSValue {
    let host = try host(with: (.blob, ["Blob", "File"]), (.platform, ["notCloneable"]))
    host.set("pairs", try load(.pairlist))
    return host.value
  }

  private func messagingHost() throws(JSException) -> JSValue {
    let host = try host(with: (.domexception, ["DOMException"]), (.events, ["EventTarget", "Event"]))
    host.set("events", try load(.events)["internals"])
    host.set("reports", try load(.reports)["internals"])
    host.set("clone", try load(.clone)["internals"])
    addTask(host)
    addHold(host)
    return host.value
  }

  /// `hold(1)` keeps the program alive, `hold(-1)` lets it go.
  private func addHold(_ host: HostObject) {
    host.function("hold") { [unowned self] frame throws(JSException) in
      loop.holds += frame[0].number > 0 ? 1 : -1
      return frame.undefined
    }
  }

  private func encodingHost() throws(JSException) -> JSValue {
    let host = HostObject(context)
    host.set("labels", try load(.encodinglabels))
    addUTF8(host)
    // Texts of medium length are handed over in memory that both sides know: asking for an array's costs four calls.
    let scratch = Bytes(count: 4096) { _ in }
    // The memory stays native code's, too: scripts of ours alone see it.
    host.set("scratch", scratch.withUnsafeBytes { context.makeBytes(over: $0, keeping: scratch.storage) })
    host.function("decodeScratch") { [unowned context] frame throws(JSException) in
      let length = min(4096, max(0, frame[0].integer))
      return scratch.withUnsafeBytes { memory in
        let bytes = UnsafeBufferPointer(rebasing: memory.bindMemory(to: UInt8.self)[..<length])
        return context.decodeUTF8(bytes, isFatal: frame[1].bool) ?? frame.undefined
      }
    }
    host.function("singleByteTable") { [unowned context] frame throws(JSException) in
      guard let table = LegacyText.singleByteTable(frame[0].string ?? "") else {
        throw JSException(message: "the C library has no converter for '\(frame[0].string ?? "")'")
      }
      return table.withUnsafeBufferPointer { context.make(utf16: $0) }
    }
    host.function("decodeMultiByte") { [unowned context] frame throws(JSException) in
      guard let bytes = frame[1].bytes, let state = frame[2].bytes else { return frame.undefined }
      let outcome = LegacyText.decode(
        frame[0].string ?? "", UnsafeRawBufferPointer(bytes), state: state, isLast: frame[3].bool,
        isFatal: frame[4].bool)
      switch outcome {
      case .text(let units): return units.withUnsafeBufferPointer { context.make(utf16: $0) }
      case .malformed: return frame.undefined
      case .unavailable:
        throw JSException(message: "the C library has no converter for '\(frame[0].string ?? "")'")
      }
    }
    return host.value
  }

  func addUTF8(_ host: HostObject) {
    host.function("encodeUTF8") { [unowned context] frame throws(JSException) in context.encodeUTF8(frame[0])
    }
    host.function("decodeUTF8") { [unowned context] frame throws(JSException) in
      guard let bytes = frame[0].bytes else { return frame.undefined }
      let memory = UnsafeBufferPointer(bytes.bindMemory(to: UInt8.self))
      return context.decodeUTF8(memory, isFatal: frame[1].bool) ?? frame.undefined
    }
  }

  private func cryptoHost() throws(JSException) -> JSValue {
    let host = try host(with: (.domexception, ["DOMException"]))
    var generator = options.seed.map(SeededBytes.init)
    host.function("fillRandom") { [unowned self] frame throws(JSException) in
      guard let memory = frame[0].bytes else { return frame.undefined }
      if generator != nil { generator?.fill(memory) } else { try Self.fillRandom(memory) }
      tape?.random(memory)
      return frame.undefined
    }
    return host.value
  }

  /// The kernel's randomness, in pieces of what one call gives at once.
  private static func fillRandom(_ memory: UnsafeMutableRawBufferPointer) throws(JSException) {
    var done = 0
    while done < memory.count {
      let count = getrandom(memory.baseAddress.map { $0 + done }, min(256, memory.count - done), 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw JSException(message: "the kernel gave no random bytes") }
      done += count
    }
  }

  private func performanceHost() throws(JSException) -> JSValue {
    let host = try host(
      with: (.events, ["EventTarget"]), (.domexception, ["DOMException"]), (.clone, ["structuredClone"]))
    let started = Int(g_get_real_time()) - (loop.clock.now - startTime)
    host.set("timeOrigin", context.make(number(.origin) { Double(started) / 1000 }))
    host.function("now") { [unowned self] frame throws(JSException) in
      frame.make(number(.clock) { Double(loop.clock.now - startTime) / 1000 })
    }
    addTask(host)
    return host.value
  }

  private func urlHost() throws(JSException) -> JSValue {
    let host = try host(with: (.platform, ["notCloneable"]))
    host.set("parser", try load(.urlparser))
    host.set("searchParams", try load(.urlsearchparams))
    return host.value
  }

  private func searchParamsHost() throws(JSException) -> JSValue {
    let host = try host(with: (.platform, ["notCloneable"]))
    host.set("pairs", try load(.pairlist))
    return host.value
  }

  private func urlParserHost() throws(JSException) -> JSValue {
    let host = try host(with: (.urlsearchparams, ["percentDecode"]))
    host.function("domainToASCII") { frame throws(JSException) in
      frame[0].string.flatMap(DomainName.toASCII).map { frame.make($0) } ?? frame.null
    }
    return host.value
  }

  /// `task(callback)`: runs a callback in a turn of its own; it holds the program until then.
  private func addTask(_ host: HostObject) {
    host.function("task") { [unowned self] frame throws(JSException) in
      let callback = JSHandle(frame[0], in: context)
      runLater(at: loop.clock.now, holding: true) { [unowned self] in call(callback) }
      return frame.undefined
    }
  }

  private func call(_ callback: JSHandle) {
    do throws(JSException) { try context.call(callback.value) } catch { fail(error) }
  }

  // MARK: - Errors that nobody caught

  /// `report(error)`: the global's "error" event, and the program's end when nobody takes it there.
  func addReport(_ host: HostObject) {
    host.function("report") { [unowned self] frame throws(JSException) in
      reportError(frame[0])
      return frame.undefined
    }
  }

  func reportError(_ error: JSValue) {
    if replayer != nil { beingReported = JSException(capturing: error) }
    defer { beingReported = nil }
    do throws(JSException) { try context.call(load(.reports)["report"], error) } catch { fail(error) }
  }

  func reportRejection(_ promise: JSValue, _ reason: JSValue) {
    if replayer != nil { beingReported = JSException(capturing: reason) }
    defer { beingReported = nil }
    let isTaken = (try? context.call(load(.reports)["reportRejection"], promise, reason).bool) ?? false
    if isTaken { return }
    context.noteThrown(reason)
    fail(JSException(capturing: reason), unhandled: true)
  }
}

/// Bytes that repeat for a seed: splitmix64 (Steele, Lea, Flood 2014). Not for secrets.
struct SeededBytes {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func fill(_ memory: UnsafeMutableRawBufferPointer) {
    for index in memory.indices {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      memory[index] = UInt8(truncatingIfNeeded: mixed >> 56)
    }
  }
}
