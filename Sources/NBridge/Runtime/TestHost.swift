// SPDX-License-Identifier: MIT

internal import Glibc
internal import JSEngine
internal import NBridgePlugin

/// A file of tests: its globals, its runner, and where each result goes.
extension Runtime {
  func testHost() throws(JSException) -> JSValue {
    let host = HostObject(context)
    host.set("inspect", try load(.inspect)["inspect"])
    if let filter = options.testing?.filter { host.set("filter", context.make(filter)) }
    addClock(host)
    let timers = try context.evaluate("[setTimeout, clearTimeout]", url: ScriptLibrary.scheme + "test")
    host.set("setTimer", timers["0"])
    host.set("clearTimer", timers["1"])
    host.function("openCalls") { [unowned self] frame throws(JSException) in
      let open = openCalls()
      return context.makeArray(count: open.count) { index in
        let call = HostObject(context)
        call.set("id", context.make(open[index].id))
        call.set("text", context.make("\(open[index])"))
        return call.value
      }
    }
    host.function("report") { [unowned self] frame throws(JSException) in
      if let line = frame[0].json { options.testing?.report(corrected(line)) }
      return frame.undefined
    }
    return host.value
  }

  /// The line with the author's places in its stack.
  private func corrected(_ line: String) -> String {
    guard var result = try? Value(text: Array(line.utf8)).decode(TestLine.self), let error = result.error
    else { return line }
    result.error?.stack = StackFrame.userFrames(error.stack).compactMap(atlas.authored).map { frame in
      frame.function.isEmpty ? frame.place : "\(frame.function) (\(frame.place))"
    }.joined(separator: "\n")
    guard let value = try? Value(encoding: result) else { return line }
    return String(decoding: value.text, as: UTF8.self)
  }

  /// Runs a file of tests: the file itself, then what it collected.
  func startTests(_ path: String) throws {
    let library = try load(.test)
    let globals = library["globals"]
    for name in ["test", "it", "describe", "assert", "expect"]
      + ["before", "after", "beforeAll", "afterAll", "beforeEach", "afterEach"]
    {
      context.setGlobal(name, globals[name])
    }
    try startFile(path)
    while ending == nil, mains.contains(where: { !$0.isSettled }), loop.isAlive { loop.turn() }
    guard ending == nil, mains.allSatisfy(\.isSettled) else { return }
    try followTests(library["run"])
  }

  private func followTests(_ run: JSValue) throws(JSException) {
    let marker = context.makeObject()
    mains.append(MainScript(url: ScriptLibrary.scheme + "tests", marker: JSHandle(marker, in: context)))
    let index = mains.count - 1
    let settled = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      mains[index].isSettled = true
      // What a test left behind holds nothing up: it was told.
      if ending == nil { ending = .exited(0) }
      return frame.undefined
    }
    guard let follow else { return }
    try context.call(follow.value, run, marker, settled, settled)
  }
}
