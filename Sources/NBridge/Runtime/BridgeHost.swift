// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

extension Runtime {
  /// Makes the script's half of the bridge, at its first use, and hands it to `install`. The host is `this` of the script:
  /// no script finds it under a name.
  func exposeBridge(_ install: JSValue, _ intrinsics: JSValue) throws(JSException) {
    let host = try bridgeHost()
    host.set("install", install)
    host.set("intrinsics", intrinsics)
    try context.evaluate(
      ascii: ScriptLibrary.nbridge.source, url: ScriptLibrary.nbridge.url, this: host.value)
  }

  private func bridgeHost() throws(JSException) -> HostObject {
    let host = HostObject(context)
    let services = tape?.header.services ?? plugins.services
    host.set("mailbox", bridge.mailbox.array.value)
    host.set("services", context.makeArray(count: services.count) { context.make(services[$0]) })
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
    host.function("part") { [unowned self] frame throws(JSException) in try load(named: frame[0].string ?? "")
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
    host.function("connect") { [unowned self] frame throws(JSException) in
      bridge.connect(settle: frame[0])
      describeWaiting = JSHandle(frame[1], in: context)
      return frame.undefined
    }
    host.function("atEnd") { [unowned self] frame throws(JSException) in
      beginLastCalls = JSHandle(frame[0], in: context)
      return frame.undefined
    }
    host.function("begun") { [unowned self] frame throws(JSException) in
      frame.make(number(.lastCalls) { Double(session.lastCalls?.count ?? 0) })
    }
    host.function("unknownOption") { [unowned self] frame throws(JSException) in
      let names = (1..<max(1, frame.count)).compactMap { frame[$0].string }
      return context.make(OptionNames.unknown(frame[0].string ?? "", among: names))
    }
    addClock(host)
    host.function("settings") { [unowned self] frame throws(JSException) in
      guard let value = options.settings[frame[0].string ?? ""] else { return frame.undefined }
      return context.make(String(decoding: value.text, as: UTF8.self))
    }
    host.function("place") { [unowned self] frame throws(JSException) in
      guard let found = StackFrame(frame[0].string ?? ""), let authored = atlas.authored(found) else {
        return context.make("\n")
      }
      return context.make(
        "\(authored.function)\n\(DisplayPath(folder: ScriptFile.currentFolder).shown(authored.url)):\(authored.line)"
      )
    }
    host.function("guard") { [unowned self] frame throws(JSException) in
      control.isGuarded = frame[0].bool
      // Where loops can be stopped anyway it stays so.
      if options.interruptsLoops { return frame.undefined }
      if frame[0].bool { machine.watchInterrupter() } else { machine.unwatchInterrupter() }
      return frame.undefined
    }
    host.function("after") { [unowned self] frame throws(JSException) in
      let body = JSHandle(frame[1], in: context)
      let milliseconds = frame[0].number
      let delay = milliseconds > 0 ? Int(min(milliseconds, 1e9) * 1000) : 0  // 0 for what is no number, too
      runLater(at: loop.clock.now + delay) { [unowned self] in callLater(body) }
      return frame.undefined
    }
    return host
  }

  /// How mocked answers are marked that would vouch for something, and who is told of it.
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
    return (try? plugins.entry(service))?.actions[action]?.declaration.mockMark
  }

  private func callLater(_ body: JSHandle) {
    guard ending == nil else { return }
    do throws(JSException) { try context.call(body.value) } catch { fail(error) }
  }

  /// The object that stands for a service in JavaScript, made from the plugin's declaration.
  private func facade(_ service: String, _ frame: borrowing JSCallFrame) throws(JSException) -> JSValue {
    let source: String
    do {
      source = try tape?.facade(service) { try facadeSource(service) } ?? facadeSource(service)
    } catch { return bridge.answer(failure: error, nil, frame) }
    bridge.mailbox.answer(.value)
    return try context.evaluate(source, url: ScriptLibrary.scheme + service + ".js")
  }

  private func facadeSource(_ service: String) throws -> String {
    guard let entry = try plugins.entry(service) else { throw plugins.unknown(service: service) }
    return try FacadeGenerator.expression(entry.order.map(\.declaration), entry.manifest.script)
  }
}
