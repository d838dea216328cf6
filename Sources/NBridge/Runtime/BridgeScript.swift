// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePage
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript

/// The script's half of the bridge: what it gets of the native side, and what it leaves there. Confined to
/// the engine's thread.
final class BridgeScript {
  let bridge: Bridge
  /// Begins what plugins' scripts must not lose at the end; nil as long as none of them asked for it.
  private(set) var beginLastCalls: JSHandle?
  private var describeWaiting: JSHandle?
  private var describeHandles: JSHandle?
  /// What calls a function when the script is back at its promises, and that function.
  private var back: (ask: JSHandle, told: JSHandle)?
  /// Calls an action that answers at once; nil as long as no script has used the bridge. No script gets it.
  private(set) var callNow: JSHandle?
  /// Answers a function that calls an action of a plugin; nil as long as no script has used the bridge. No
  /// script gets it.
  private(set) var actionNamed: JSHandle?
  /// How mocked answers of linked plugins are marked, by `service.action`; empty without mocks.
  private let linkedMarks: [String: MockMark]
  /// Of which the person was told that they are mocked.
  private var notedMocks: Set<String> = []
  private let services: BuiltinServices
  private let registry: PluginRegistry
  let session: CallSession
  private let control: RuntimeControl
  private let options: RuntimeOptions

  var context: JSContext { services.context }
  var inputs: ScriptInputs { services.inputs }
  private var tape: (any ProgramTape)? { inputs.tape }

  init(
    _ services: BuiltinServices, _ world: PluginWorld, _ calls: ProgramCalls, _ control: RuntimeControl,
    _ options: RuntimeOptions, _ linked: [any Plugin]
  ) {
    (self.services, self.control, self.options) = (services, control, options)
    (registry, session) = (world.registry, calls.session)
    bridge = Bridge(context: services.context, session: calls.session)
    linkedMarks = options.mocks.isEmpty ? [:] : Self.mockMarks(linked)
    bridge.onFailure = { [unowned services] in services.faults?.fail($0, unhandled: false) }
  }

  private static func mockMarks(_ linked: [any Plugin]) -> [String: MockMark] {
    var marks: [String: MockMark] = [:]
    for plugin in linked.map(LinkedPlugin.init) {
      for declaration in plugin.declarations {
        marks["\(plugin.manifest.service).\(declaration.name)"] = declaration.mockMark
      }
    }
    return marks
  }

  /// Makes the script's half of the bridge, at its first use, and hands it to `install`. The host is `this`
  /// of the script: no script finds it under a name.
  func expose(_ install: JSValue, _ intrinsics: JSValue) throws(JSException) {
    let host = try makeHost()
    host.set("install", install)
    host.set("intrinsics", intrinsics)
    try context.evaluate(
      ascii: NBridgePage.script, url: StackFrame.internalScheme + "nbridge.js", this: host.value)
  }

  /// Where the script made the calls that wait, by slot.
  func callSites() -> [Int: String] {
    guard let describeWaiting, let list = try? context.call(describeWaiting.value) else { return [:] }
    var sites: [Int: String] = [:]
    for index in 0..<min(1000, list["length"].integer) {
      let entry = list["\(index)"]
      if let frame = entry["site"].string.flatMap(StackFrame.init) {
        sites[entry["slot"].integer] = (services.sources.authored(frame) ?? frame).place
      }
    }
    return sites
  }

  /// The objects of plugins that the script has not closed.
  func openHandles() -> [OpenHandle] {
    guard let describeHandles, let list = try? context.call(describeHandles.value) else { return [] }
    return (0..<min(1000, list["length"].integer)).map { index in
      let entry = list["\(index)"]
      let site = entry["site"].string.flatMap(StackFrame.init).map { services.sources.authored($0) ?? $0 }
      return OpenHandle(
        type: entry["key"].string ?? "", site: site?.place, collected: entry["count"].integer)
    }
  }

  private func makeHost() throws(JSException) -> HostObject {
    let host = HostObject(context)
    let names = tape?.header.services ?? registry.services
    host.set("registers", bridge.registers.array.value)
    host.set("services", context.makeArray(count: names.count) { context.make(names[$0]) })
    host.set("version", context.make(tape?.header.nbridge ?? NBridgeVersion.current))
    host.set(
      "arguments",
      context.makeArray(count: options.arguments.count) { context.make(options.arguments[$0]) })
    if !options.mocks.isEmpty {
      var mocks: [JSValue] = []
      for file in options.mocks { mocks.append(try file.value(in: context)) }
      host.set("mocks", context.makeArray(count: mocks.count) { mocks[$0] })
      addMockMarks(host)
    }
    host.function("part") { [unowned self] frame throws(JSException) in
      try services.load(frame[0].string ?? "")
    }
    host.function("bind") { [unowned self] frame throws(JSException) in
      bridge.bind(frame[0].string ?? "", frame[1].string ?? "", forPlugin: frame[2].bool, frame)
    }
    host.function("facade") { [unowned self] frame throws(JSException) in
      try facade(frame[0].string ?? "", frame)
    }
    host.function("cancel") { [unowned self] frame throws(JSException) in
      session.cancel(slot: frame[0].integer)
      return frame.undefined
    }
    host.function("grant") { [unowned self] frame throws(JSException) in
      session.grant(slot: frame[0].integer, count: frame[1].integer)
      return frame.undefined
    }
    addStreams(host)
    host.function("letGo") { [unowned self] frame throws(JSException) in
      if let number = UInt64(exactly: frame[0].number) {
        session.letGo(
          Reply.Handle(number: number, service: frame[1].string ?? "", type: frame[2].string ?? ""))
      }
      return frame.undefined
    }
    host.function("connect") { [unowned self] frame throws(JSException) in
      bridge.connect(settle: frame[0])
      describeWaiting = JSHandle(frame[1], in: context)
      describeHandles = JSHandle(frame[2], in: context)
      callNow = JSHandle(frame[3], in: context)
      actionNamed = JSHandle(frame[4], in: context)
      tellWhenBack(JSHandle(frame[5], in: context))
      return frame.undefined
    }
    host.function("life") { [unowned self] frame throws(JSException) in
      frame.make(Double(session.loop.ends(of: frame[0].string ?? "")))
    }
    // Asked where a number came again: a replay has no processes, and takes it from its recording.
    host.function("isLife") { [unowned self] frame throws(JSException) in
      let (service, life) = (frame[0].string ?? "", frame[1].number)
      return frame.make(
        inputs.number(.objects) { Double(session.loop.ends(of: service)) == life ? 1 : 0 })
    }
    host.function("atEnd") { [unowned self] frame throws(JSException) in
      beginLastCalls = JSHandle(frame[0], in: context)
      return frame.undefined
    }
    host.function("begun") { [unowned self] frame throws(JSException) in
      frame.make(inputs.number(.lastCalls) { Double(session.lastCalls?.count ?? 0) })
    }
    host.function("unknownOption") { [unowned self] frame throws(JSException) in
      let names = (1..<max(1, frame.count)).compactMap { frame[$0].string }
      return context.make(OptionNames.unknown(frame[0].string ?? "", among: names))
    }
    host.function("missed") { [unowned services] frame throws(JSException) in
      let known = (2..<max(2, frame.count)).compactMap { frame[$0].string }
      services.missed.note(frame[1].string ?? "", of: frame[0].string ?? "", known: known)
      return frame.undefined
    }
    host.addClock(services)
    // Plugins' scripts take what they need of the engine while they load, as ours do.
    host.function("within") { [unowned self] frame throws(JSException) in
      let body = frame[0]
      guard let builtins = services.builtins else { return try context.call(body) }
      return try builtins.pristinely { () throws(JSException) in try context.call(body) }
    }
    host.function("settings") { [unowned self] frame throws(JSException) in
      guard let value = options.settings[frame[0].string ?? ""] else { return frame.undefined }
      return context.make(String(decoding: value.text, as: UTF8.self))
    }
    host.function("place") { [unowned self] frame throws(JSException) in
      let found = services.place(of: frame[0].string ?? "")
      return context.make("\(found?.function ?? "")\n\(found?.place ?? "")")
    }
    host.function("guard") { [unowned self] frame throws(JSException) in
      control.isGuarded = frame[0].bool
      // Where loops can be stopped anyway it stays so.
      if options.interruptsLoops { return frame.undefined }
      if frame[0].bool { context.machine.watchInterrupter() } else { context.machine.unwatchInterrupter() }
      return frame.undefined
    }
    host.function("after") { [unowned self] frame throws(JSException) in
      let body = JSHandle(frame[1], in: context)
      let milliseconds = frame[0].number
      let delay = milliseconds > 0 ? Int(min(milliseconds, 1e9) * 1000) : 0  // 0 for what is no number, too
      inputs.runLater(after: delay) { [unowned self] in callLater(body) }
      return frame.undefined
    }
    return host
  }

  /// How a mocked answer is marked that would vouch for something; the person who runs the program is told of
  /// it once.
  private func addMockMarks(_ host: HostObject) {
    host.function("mockMark") { [unowned self] frame throws(JSException) in
      guard let mark = mockMark(frame[0].string ?? "", frame[1].string ?? "") else { return frame.undefined }
      return context.makeArray(count: 2) { context.make($0 == 0 ? mark.member : mark.value) }
    }
    host.function("noteMock") { [unowned self] frame throws(JSException) in
      let name = "\(frame[0].string ?? "").\(frame[1].string ?? "")"
      if notedMocks.insert(name).inserted {
        options.output.writeError(
          "nbridge: --mock answers \(name): nobody vouches for what comes of it, and the answer says so\n")
      }
      return frame.undefined
    }
  }

  /// A replay has no plugins: what is linked is known without.
  private func mockMark(_ service: String, _ action: String) -> MockMark? {
    if let known = linkedMarks["\(service).\(action)"] { return known }
    return (try? registry.entry(service))?.actions[action]?.declaration.mockMark
  }

  /// Lets the loop know when the script is back at its promises.
  private func tellWhenBack(_ whenBack: JSHandle) {
    let told = JSFunction.make(in: context) { [unowned lateness = session.loop.lateness] frame in
      lateness.cameBack()
      return frame.undefined
    }
    back = (whenBack, JSHandle(told, in: context))
    session.loop.lateness.whenBack = { [weak self] in
      guard let self, let back else { return }
      _ = try? context.call(back.ask.value, back.told.value)
    }
  }

  private func callLater(_ body: JSHandle) {
    guard services.faults?.isOver == false else { return }
    services.call(body)
  }

  /// The object that stands for a service in JavaScript, made from the plugin's declaration.
  private func facade(_ service: String, _ frame: borrowing JSCallFrame) throws(JSException) -> JSValue {
    let source: String
    do {
      source = try tape?.facade(service) { try facadeSource(service) } ?? facadeSource(service)
    } catch { return bridge.answer(failure: error, nil, frame) }
    bridge.registers.answer(.value)
    return try context.evaluate(source, url: StackFrame.internalScheme + service + ".js")
  }

  private func facadeSource(_ service: String) throws -> String {
    guard let entry = try registry.entry(service) else { throw registry.unknown(service: service) }
    return try FacadeGenerator.expression(entry.order.map(\.declaration), entry.manifest.script)
  }
}
