// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

extension Runtime {
  /// Makes the script's half of the bridge, at its first use, and hands it to `install`.
  func exposeBridge(_ install: JSValue) throws(JSException) {
    let host = try bridgeHost()
    host.set("install", install)
    context.setGlobal("__nbridgeHost", host.value)
    try context.evaluate(ascii: ScriptLibrary.nbridge.source, url: ScriptLibrary.nbridge.url)
  }

  private func bridgeHost() throws(JSException) -> HostObject {
    let host = HostObject(context)
    let services = plugins.services
    host.set("mailbox", bridge.mailbox.array.value)
    host.set("services", context.makeArray(count: services.count) { context.make(services[$0]) })
    host.set("version", context.make(NBridgeVersion.current))
    host.set(
      "arguments",
      context.makeArray(count: options.arguments.count) { context.make(options.arguments[$0]) })
    if !options.mocks.isEmpty {
      var mocks: [JSValue] = []
      for file in options.mocks { mocks.append(try file.value(in: context)) }
      host.set("mocks", context.makeArray(count: mocks.count) { mocks[$0] })
    }
    host.function("bind") { [unowned self] frame throws(JSException) in
      bridge.bind(frame[0].string ?? "", frame[1].string ?? "", frame)
    }
    host.function("facade") { [unowned self] frame throws(JSException) in
      try facade(frame[0].string ?? "", frame)
    }
    host.function("cancel") { [unowned self] frame throws(JSException) in
      bridge.cancel(slot: Int(frame[0].number))
      return frame.undefined
    }
    host.function("grant") { [unowned self] frame throws(JSException) in
      bridge.grant(slot: Int(frame[0].number), count: Int(frame[1].number))
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
      frame.make(Double(bridge.lastCalls?.count ?? 0))
    }
    host.function("now") { [unowned self] frame throws(JSException) in
      frame.make(Double(loop.clock.now) / 1000)
    }
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
      loop.schedule(at: loop.clock.now + delay) { [unowned self] in callLater(body) }
      return frame.undefined
    }
    return host
  }

  private func callLater(_ body: JSHandle) {
    guard ending == nil else { return }
    do throws(JSException) { try context.call(body.value) } catch { fail(error) }
  }

  /// The object that stands for a service in JavaScript, made from the plugin's declaration.
  private func facade(_ service: String, _ frame: borrowing JSCallFrame) throws(JSException) -> JSValue {
    let source: String
    do {
      guard let entry = try plugins.entry(service) else { return frame.undefined }
      source = try FacadeGenerator.expression(entry.order.map(\.declaration), entry.manifest.script)
    } catch { return bridge.answer(failure: error, nil, frame) }
    bridge.mailbox.answer(.value)
    return try context.evaluate(source, url: ScriptLibrary.scheme + service + ".js")
  }
}

extension Bridge {
  /// Finds an action for the script: its native function, with what the script must know in the mailbox.
  func bind(_ service: String, _ name: String, _ frame: borrowing JSCallFrame) -> JSValue {
    do {
      let action = try plugins.find(service, name)
      mailbox.describe(action.declaration)
      return makeFunction(for: action)
    } catch {
      return answer(failure: error, nil, frame)
    }
  }

  /// Calls an action for a plugin, by the same checks as a script's call.
  func invoke(
    _ service: String, _ name: String, _ options: Value,
    _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    do {
      let action = try plugins.find(service, name)
      if let denial = action.denial { throw denial }
      run(action, options, done)
    } catch { done(.failure(error)) }
  }

  private func run(
    _ action: BoundAction, _ options: Value, _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let call = Call(app: action.call.app, state: CallState(number: action.run?.nextCall() ?? 0))
    switch action.declaration.runner {
    case .immediate(let body):
      let sink = WireSink()
      done(Result { try Value(try options.withInput { try body($0, call, sink) }, sink) })
    case .detached(let body):
      pool.submit { scratch in
        done(scratch.run(body, options.text, options.attachments, call).flatMap { $0.value })
      }
    case .async(let body):
      _ = loop.startTask { _ in
        let sink = WireSink()
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: options.text.count)
        _ = text.initialize(from: options.text)
        defer { text.deallocate() }
        let input = WireInput(text: UnsafeBufferPointer(text), attachments: options.attachments)
        do { done(.success(try Value(try await body(input, call, sink), sink))) } catch {
          done(.failure(error))
        }
      }
    case .foreign: runForeign(action, options, call.state, done)
    case .watch:
      done(.failure(BridgeError(.invalidActionName, "'\(action.name)' is a watch; plugins can't call it")))
    }
  }

  private func runForeign(
    _ action: BoundAction, _ options: Value, _ state: CallState?,
    _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    guard let run = action.run, let call = state?.number else { return }
    let sink = WireSink()
    do {
      let output = try options.withInput { try run.begin(action.index, call, nil, $0, sink) }
      if let output { done(.success(try Value(output, sink))) } else { run.await(call, done) }
    } catch { done(.failure(error)) }
  }
}

extension Value {
  /// Calls `body` with the value as a call's option.
  fileprivate func withInput<R>(_ body: (WireInput) throws -> R) rethrows -> R {
    try text.withUnsafeBufferPointer { try body(WireInput(text: $0, attachments: attachments)) }
  }
}
