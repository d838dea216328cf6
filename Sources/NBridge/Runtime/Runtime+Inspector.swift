// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import JSEngine
internal import NBridgeHost
internal import NBridgeInspector
internal import NBridgePlugin
internal import NBridgeScript

/// A program that a debugger may look into.
extension Runtime {
  /// How long the engine has to connect with the inspector, in milliseconds.
  private static let connectTime = 5000
  /// How long the engine's last answers are waited for.
  private static let farewellTime = 250

  /// Connects the engine with the inspector. Before the program runs, and anything of it is on the loop.
  func startInspector() throws {
    guard let inspector = options.inspector else { return }
    loop.turnsItselfOnly = true
    guard inspector.start(),
      RemoteInspector.connect(context, name: options.programName, port: inspector.enginePort)
    else { throw BridgeError(.unavailable, "this engine lets no debugger in; run it without --inspect") }
    let end = g_get_monotonic_time() + Self.connectTime * 1000
    serveInspector { inspector.isReady || g_get_monotonic_time() > end }
    guard inspector.isReady else {
      throw BridgeError(
        .unavailable, "the engine did not connect with its inspector; run it without --inspect")
    }
    options.output.writeError(
      """
      Debugger listening on \(inspector.url)
      A terminal: node inspect \(inspector.address); Chrome: chrome://inspect; editors: as to Node.\n
      """)
    stopPaused(inspector)
    // A script that loops takes a debugger's words here. Called on the engine's thread alone.
    let context = UncheckedSendable(machine.mainContext)
    machine.interrupter.atPoll { g_main_context_iteration(context.value, 0) }
    sourceRegistry.willRun = { [unowned self] script in
      let isPrepared = inspector.prepare(script)
      serveInspector(until: isPrepared)
    }
  }

  /// Has a script that is stopped end also under a debugger. The engine aborts when it ends a promise's job
  /// under its own debugger: that is let go of first.
  private func stopPaused(_ inspector: Inspector) {
    let runtime = UncheckedSendable(self)  // used on the engine's thread alone
    machine.interrupter.beforeStop {
      inspector.letGo()
      let end = g_get_monotonic_time() + Self.farewellTime * 1000
      while !inspector.isLetGo, g_get_monotonic_time() < end {
        if g_main_context_iteration(runtime.value.machine.mainContext, 0) == 0 { usleep(200) }
      }
    }
    control.onStop = {
      EngineThreadBody.run(in: runtime.value.machine.mainContext) {
        runtime.value.endWherePaused()
        runtime.value.machine.hurryInterrupter()
        inspector.letGo()
      }
    }
  }

  /// Ends the process of a program that a debugger has paused, without another line of its script. One that
  /// holds what must be saved goes on to the next poll instead.
  private func endWherePaused() {
    guard loop.isPaused, !control.isUnsaved, let endProcess = options.endProcess else { return }
    if ending == nil { ending = control.endingOfStopped ?? .interrupted }
    let status = report()
    reporter.finish()
    plugins.stop()
    options.output.flush()
    endProcess(status)
  }

  /// Waits until a debugger lets the program begin, where one is to.
  func waitForDebugger() {
    guard let inspector = options.inspector, inspector.waits else { return }
    serveInspector { inspector.isReleased }
  }

  /// How a script runs: one that the program begins with stops there for a debugger that was waited for.
  func stopping(_ plan: PreparedScript, _ source: ScriptSource) -> PreparedScript {
    options.inspector?.waits == true && source.url == entry ? plan.stoppingAtBegin(source) : plan
  }

  /// Says good-bye to a debugger.
  func endInspector() {
    guard let inspector = options.inspector else { return }
    // The engine's last answers are still on their way.
    let isHeard = inspector.hearOut()
    let end = g_get_monotonic_time() + Self.farewellTime * 1000
    serveInspector { isHeard() || g_get_monotonic_time() > end }
    inspector.close()
  }

  /// Lets the engine take what a debugger says until something is so, or the program is stopped.
  private func serveInspector(until isSo: () -> Bool) {
    while !isSo(), !machine.interrupter.isRequested {
      if g_main_context_iteration(machine.mainContext, 0) == 0 { usleep(200) }
    }
  }
}

/// What is to be done on the engine's thread, as soon as that iterates its context: an engine that is paused
/// does so by itself. (Not `g_main_context_invoke`, which may do it on the thread that calls.)
private final class EngineThreadBody {
  private let body: () -> Void
  private init(_ body: @escaping () -> Void) { self.body = body }

  static func run(in context: OpaquePointer, _ body: @escaping () -> Void) {
    let source = g_idle_source_new()
    let retained = Unmanaged.passRetained(EngineThreadBody(body))  // balanced by the source's end
    g_source_set_callback(
      source,
      { body in
        if let body { Unmanaged<EngineThreadBody>.fromOpaque(body).takeUnretainedValue().body() }
        return 0
      }, retained.toOpaque(),
      { body in if let body { Unmanaged<EngineThreadBody>.fromOpaque(body).release() } })
    g_source_set_priority(source, 0)
    g_source_attach(source, context)
    g_source_unref(source)
  }
}
