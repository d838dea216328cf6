// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// What each of the runtime's own scripts gets of the native side: as little as it needs.
extension Runtime {
  func consoleHost() throws(JSException) -> JSValue {
    let host = HostObject(context)
    host.set("inspect", try load(.inspect)["inspect"])
    host.set("formatter", try load(.format))
    host.set("colours", context.make(options.output.colours && !options.logsConsole))
    host.set("errorColours", context.make(options.output.errorColours && !options.logsConsole))
    if options.logsConsole { addLog(host) }
    host.function("write") { [unowned self] frame throws(JSException) in
      options.output.write(frame[0].string ?? "")
      return frame.undefined
    }
    host.function("writeError") { [unowned self] frame throws(JSException) in
      options.output.writeError(frame[0].string ?? "")
      return frame.undefined
    }
    addClock(host)
    return host.value
  }

  /// Puts what the console prints into the program's log: level, text, the line of the stack that called.
  private func addLog(_ host: HostObject) {
    host.function("log") { [unowned self] frame throws(JSException) in
      let level = LogLevel(rawValue: frame[0].string ?? "") ?? .info
      let place = StackFrame(frame[2].string ?? "").flatMap { atlas.authored($0) }.map {
        "\(DisplayPath(folder: ScriptFile.currentFolder).shown($0.url)):\($0.line)"
      }
      self.host.log(
        LogRecord(level: level, service: "console", message: frame[1].string ?? "", place: place ?? ""))
      return frame.undefined
    }
  }

  func inspectHost() throws(JSException) -> JSValue {
    let host = HostObject(context)
    host.set("primordials", try load(.primordials))
    host.function("describeDOMException") { [unowned self] frame throws(JSException) in
      // Where the library was never loaded, nothing can be one.
      guard let library = libraries[.domexception]?.value else { return frame.undefined }
      return try context.call(library["describe"], frame[0])
    }
    addLooks(host)
    return host.value
  }

  /// What looks at values for a prompt.
  func replHost() throws(JSException) -> JSValue {
    let host = HostObject(context)
    host.set("inspect", try load(.inspect)["inspect"])
    addLooks(host)
    return host.value
  }

  /// The engine's own looks, which run nothing: a proxy's target, a promise's state.
  private func addLooks(_ host: HostObject) {
    host.function("proxyTarget") { frame throws(JSException) in frame[0].proxyTarget ?? frame.undefined }
    let peek = JSPromisePeek(context)
    host.function("promiseState") { [unowned context] frame throws(JSException) in
      guard let (state, result) = peek?.look(at: frame[0]) else { return frame.undefined }
      return context.makeArray(count: 2) { $0 == 0 ? context.make(state.rawValue) : result }
    }
  }

  func dialogsHost() -> JSValue {
    let host = HostObject(context)
    host.function("print") { [unowned self] frame throws(JSException) in
      options.output.write((frame[0].string ?? "") + "\n")
      return frame.undefined
    }
    host.function("confirm") { [unowned self] frame throws(JSException) in
      options.output.flush()
      let question = frame[0].string ?? ""
      return frame.make(number(.confirmed) { options.dialogs.confirm(question) ? 1 : 0 } == 1)
    }
    host.function("prompt") { [unowned self] frame throws(JSException) in
      options.output.flush()
      let question = frame[0].string ?? "", proposal = frame[1].string ?? ""
      let answer = text(.typed, asking: question) { options.dialogs.prompt(question, default: proposal) }
      return answer.map { frame.make($0) } ?? frame.null
    }
    return host.value
  }

  func addClock(_ host: HostObject) {
    host.function("now") { [unowned self] frame throws(JSException) in frame.make(scriptClock) }
  }

  func addFailure(_ host: HostObject) {
    host.function("fail") { [unowned self] frame throws(JSException) in
      context.noteThrown(frame[0])
      fail(JSException(capturing: frame[0]))
      return frame.undefined
    }
  }
}
