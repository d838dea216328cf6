// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Programs that scripts run.
extension ProcessPlugin {
  @PluginBuilder var childrenBody: PluginBody {
    Action("start", "Starts a program.") { (options: StartOptions, call) async throws -> StartedChild in
      try state.checkLending(options, call)
      let plan = try await Blocking.run { try ChildPlan(options, call) }
      if plan.options.output == .inherit || plan.options.errors == .inherit { try await printed(call) }
      let child = try state.children.add(plan)
      do {
        for await _ in child.started.stream() {}
        try call.checkCancellation()
        return try started(child, call)
      } catch {
        child.close()
        throw error
      }
    }
    .hidden(behind: "run").permission("run")
    Immediate("startNow", "Starts a program whose outputs are its own, and waits until it runs.") {
      (options: StartOptions, call) throws -> StartedChild in
      try state.checkLending(options, call)
      let child = try state.children.add(try ChildPlan(options, call))
      child.started.wait()
      do { return try started(child, call) } catch {
        child.close()
        throw error
      }
    }
    .hidden().permission("run")
    Handles(RunningChild.self) {
      outputBody
      inputBody
      Watch("ended", "Tells once, when it has ended.") { (child: RunningChild, call) in
        child.finished.stream()
      }
      .permission("run")
      Immediate("result", "How it ended.") { (child: RunningChild, options: ResultOptions, call) in
        try child.result(asText: options.text == true)
      }
      .permission("run")
      Immediate("signal", "Sends it and its group a signal.") {
        (child: RunningChild, options: KillOptions, call) in
        state.children.signal(child, try SignalNumber.number(of: options.signal))
      }
      .permission("run")
      Immediate("cancel", "Ends it.") { (child: RunningChild, call) in state.children.cancel(child) }
        .permission("run")
    }
    .hidden()
  }

  @PluginBuilder private var outputBody: PluginBody {
    Watch("waits", "Tells once, when a reader of an output has what it needs.") {
      (child: RunningChild, options: WaitOptions, call) in
      child.source(options.errors).wait(for: options.need, limit: options.limit)
    }
    .permission("run")
    Immediate("takeBytes", "What is there of an output.") {
      (child: RunningChild, options: TakeOptions, call) in
      try child.source(options.errors).take(atMost: options.most, used: options.used)
    }
    .permission("run")
    Immediate("takeLines", "The next lines of an output.") {
      (child: RunningChild, options: TakeOptions, call) in
      try child.source(options.errors).lines(used: options.used)
    }
    .permission("run")
    Immediate("closeOutput", "Reads no more of an output.") {
      (child: RunningChild, options: OutputOptions, call) in
      child.source(options.errors).close()
      state.children.wakeUp()
    }
    .permission("run")
    Immediate("takeAll", "All of an output.") { (child: RunningChild, options: TakeOptions, call) in
      try child.source(options.errors).takeAll(options)
    }
    .permission("run")
  }

  @PluginBuilder private var inputBody: PluginBody {
    Immediate("putInput", "Puts bytes into its stdin.") {
      (child: RunningChild, options: InputOptions, call) in
      try child.input.put(options.bytes)
      state.children.wakeUp()
    }
    .permission("run")
    Watch("tookInput", "Tells once, when its stdin has taken all that was put.") {
      (child: RunningChild, call) in
      child.input.drained()
    }
    .permission("run")
    Immediate("checkInput", "Whether its stdin took all.") { (child: RunningChild, call) in
      try child.input.check()
    }
    .permission("run")
    Immediate("closeInput", "Ends its stdin.") { (child: RunningChild, call) in
      child.input.close()
      state.children.wakeUp()
    }
    .permission("run")
  }

  /// Hands over a child that runs.
  ///
  /// - Throws: why it does not; then nobody holds it.
  private func started(_ child: RunningChild, _ call: Call) throws -> StartedChild {
    let id = try child.id()
    return StartedChild(child: call.hold(child), pid: Int(id))
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
