// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Programs that scripts run.
extension ProcessPlugin {
  @PluginBuilder var childrenBody: PluginBody {
    Action("start", "Starts a program.") { (options: StartOptions, call) async throws -> Int in
      try state.checkLending(options, call)
      let plan = try await Blocking.run { try ChildPlan(options, call) }
      if plan.options.output == .inherit || plan.options.errors == .inherit { try await printed(call) }
      let child = try state.children.add(plan)
      do {
        for await _ in child.started.stream() {}
        try call.checkCancellation()
        return Int(try child.id())
      } catch {
        state.children.drop(child)
        throw error
      }
    }
    .hidden().permission("run")
    Immediate("startNow", "Starts a program whose outputs are its own, and waits until it runs.") {
      (options: StartOptions, call) throws -> Int in
      try state.checkLending(options, call)
      let child = try state.children.add(try ChildPlan(options, call))
      child.started.wait()
      do { return Int(try child.id()) } catch {
        state.children.drop(child)
        throw error
      }
    }
    .hidden().permission("run")
    Watch("childWaits", "Tells once, when a reader of a child's output has what it needs.") {
      (options: WaitOptions, call) in
      try state.source(options.child, options.errors).wait(for: options.need, limit: options.limit)
    }
    .hidden().permission("run")
    Watch("childEnded", "Tells once, when a child has ended.") { (options: ChildOptions, call) in
      try state.children[options.child].finished.stream()
    }
    .hidden().permission("run")
    Watch("childTook", "Tells once, when a child's stdin has taken all that was put.") {
      (options: ChildOptions, call) in
      try state.children[options.child].input.drained()
    }
    .hidden().permission("run")
    Immediate("childResult", "How a child ended.") { (options: ResultOptions, call) in
      try state.children.result(options)
    }
    .hidden().permission("run")
    Immediate("takeChildBytes", "What is there of a child's output.") { (options: TakeOptions, call) in
      try state.source(options.child, options.errors).take(atMost: options.most, used: options.used)
    }
    .hidden().permission("run")
    Immediate("takeChildLines", "The next lines of a child's output.") { (options: TakeOptions, call) in
      try state.source(options.child, options.errors).lines(used: options.used)
    }
    .hidden().permission("run")
    Immediate("takeChildAll", "All of a child's output.") { (options: TakeOptions, call) in
      try state.source(options.child, options.errors).takeAll(options)
    }
    .hidden().permission("run")
    inputBody
  }

  @PluginBuilder private var inputBody: PluginBody {
    Immediate("putInput", "Puts bytes into a child's stdin.") { (options: InputOptions, call) in
      try state.children[options.child].input.put(options.bytes)
      state.children.wakeUp()
    }
    .hidden().permission("run")
    Immediate("checkInput", "Whether a child's stdin took all.") { (options: ChildOptions, call) in
      try state.children[options.child].input.check()
    }
    .hidden().permission("run")
    Immediate("closeInput", "Ends a child's stdin.") { (options: ChildOptions, call) in
      try state.children[options.child].input.close()
      state.children.wakeUp()
    }
    .hidden().permission("run")
    Immediate("signalChild", "Sends a child and its group a signal.") { (options: KillOptions, call) in
      try state.children.signal(options.child, SignalNumber.number(of: options.signal))
    }
    .hidden().permission("run")
    Immediate("cancelChild", "Ends a child.") { (options: ChildOptions, call) in
      state.children.cancel(options.child)
    }
    .hidden().permission("run")
    Immediate("forgetChild", "Ends a child, and forgets it.") { (options: ChildOptions, call) in
      state.children.cancel(options.child)
      state.children.forget(options.child)
    }
    .hidden().permission("run")
  }

  /// Returns when what was printed is out: a child that writes to the same stream comes behind it.
  private func printed(_ call: Call) async throws {
    for stream in [OutputStream.output, .errors] {
      guard let piece = try? state.output.write(Bytes([]), to: stream, call.app) else { continue }
      for await _ in state.output.written(piece) {}
      try? state.output.settle(piece, stream)
    }
  }
}
