// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeScript

extension Runtime {
  /// Runs a file of tests: the file itself, then what it collected.
  func startTests(_ path: String) throws {
    let library = try builtins.load("test")
    let globals = library["globals"]
    for name in ["test", "it", "describe", "assert", "expect"]
      + ["before", "after", "beforeAll", "afterAll", "beforeEach", "afterEach"]
    {
      context.setGlobal(name, globals[name])
    }
    try startFile(path)
    while ending == nil, !state.isSettled, loop.isAlive { loop.turn() }
    guard ending == nil, state.isSettled else { return }
    try followTests(library["run"])
  }

  private func followTests(_ run: JSValue) throws(JSException) {
    let url = StackFrame.internalScheme + "tests"
    try state.follow(run, url: url, marker: context.makeObject()) { [unowned state] _, _ in
      // What a test left behind holds nothing up: it was told.
      if state.ending == nil { state.ending = .exited(0) }
    }
  }
}
