// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript

/// The native half of the test runner: where each result goes, and which calls are open.
enum TestHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    if let filter = services.testing?.filter { host.set("filter", host.make(filter)) }
    host.addClock(services)
    let timers = try services.load("timers")
    host.set("setTimer", timers["setTimeout"])
    host.set("clearTimer", timers["clearTimeout"])
    host.function("openCalls") { [unowned services] frame throws(JSException) in
      let open = services.openCalls()
      let context = services.context
      return context.makeArray(count: open.count) { index in
        let call = HostObject(context)
        call.set("id", context.make(open[index].id))
        call.set("text", context.make("\(open[index])"))
        return call.value
      }
    }
    host.function("report") { [unowned services] frame throws(JSException) in
      if let line = frame[0].json { services.testing?.report(corrected(line, services.sources)) }
      return frame.undefined
    }
  }

  /// The line with the author's places in its stack.
  private static func corrected(_ line: String, _ sources: SourceRegistry) -> String {
    guard var result = try? Value(text: Array(line.utf8)).decode(TestLine.self), let error = result.error
    else { return line }
    result.error?.stack = StackFrame.userFrames(error.stack).compactMap(sources.authored).map { frame in
      frame.function.isEmpty ? frame.place : "\(frame.function) (\(frame.place))"
    }.joined(separator: "\n")
    guard let value = try? Value(encoding: result) else { return line }
    return String(decoding: value.text, as: UTF8.self)
  }
}
