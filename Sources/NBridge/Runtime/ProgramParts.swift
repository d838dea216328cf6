// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript

/// The parts of a program, made in their order and connected: the one place that knows them all. Confined to
/// the engine's thread.
final class ProgramParts {
  let context: JSContext
  let world: PluginWorld
  let calls: ProgramCalls
  let inputs: ScriptInputs
  let services: BuiltinServices
  /// The scripts that ran, for reports.
  let sources = SourceRegistry()
  let control: RuntimeControl
  let state: ProgramState
  let timers: ScriptTimers
  let builtins: Builtins
  let bridge: BridgeScript

  init(_ options: RuntimeOptions, _ plugins: [any Plugin]) {
    context = JSContext(in: JSVirtualMachine())
    let machine = context.machine
    world = PluginWorld(options, turning: machine.mainContext)
    inputs = ScriptInputs(world.pluginHost)
    calls = ProgramCalls(world, options)
    control = RuntimeControl(interrupter: machine.interrupter, host: world.host)
    state = ProgramState(context, inputs, control)
    let host = world.host
    services = BuiltinServices(
      context, inputs, sources, output: options.output, dialogs: options.dialogs, seed: options.seed,
      log: options.logsConsole ? { [unowned host] in host.log($0) } : nil)
    timers = ScriptTimers(world.loop, services)
    builtins = Builtins(BuiltinList.modules, services)
    bridge = BridgeScript(services, world, calls, control, options, plugins)
    services.connect(builtins, timers)
    services.faults = state
    state.builtins = builtins
    timers.betweenTimers = { [unowned session = calls.session] in session.flush() }
    services.container = { [unowned world] in world.container }
    services.denial = { [unowned host, unowned calls] permission in
      host.allows(permission) ? nil : calls.permissions.denial(of: permission)
    }
    let group = options.worker?.group
    services.makeLinks = { [unowned services, unowned world] in
      MessageLinks(services.context, world.loop, group ?? (services.workers?.group ?? EngineGroup()))
    }
    services.openCalls = { [unowned self] in openCalls() }
    services.pluginAction = { [unowned self] service, name throws(JSException) in
      try action(name, of: service)
    }
    host.attach(state, invocations: calls.invocations)
  }

  /// Puts the globals in place.
  ///
  /// - Parameter exit: what `exit(code)` does; it ends the script by what it answers.
  func boot(seed: UInt32?, exit: @escaping (Int32) -> JSException) throws(JSException) {
    let host = HostObject(context)
    host.function("exposeBridge") { [unowned self] frame throws(JSException) in
      try bridge.expose(frame[0], frame[1])
      return frame.undefined
    }
    host.function("exit") { frame throws(JSException) in
      guard frame[0].isUndefined || !frame[0].number.isNaN else {
        throw JSException(message: "exit takes a number, 0 for success")
      }
      throw exit(Int32(truncatingIfNeeded: frame[0].integer))
    }
    if let seed { host.set("seed", host.make(Double(seed))) }
    try builtins.boot(GlobalModules.boot, host)
    context.examiner = { [unowned builtins] in builtins.examined($0) }
    if inputs.tape != nil { _ = try builtins.load("tape") }
    state.watchRejections()
  }

  /// A function of the script's half of the bridge that calls an action.
  private func action(_ name: String, of service: String) throws(JSException) -> JSValue {
    if bridge.actionNamed == nil { try context.call(builtins.helper(.nativeBridge)) }
    guard let named = bridge.actionNamed else { throw JSException(message: "there is no bridge") }
    return try context.call(named.value, context.make(service), context.make(name))
  }

  /// The ledger: every call and watch that is open now.
  func openCalls() -> [OpenCall] { calls.open(at: world.loop.clock.now, bridge.callSites()) }

  /// Ends plugins and threads. Nothing may be called afterwards.
  func close() {
    // Where the engine outlives this thread, no thread may interrupt it any more.
    context.machine.unwatchInterrupter()
    // A handle that the context has of itself would keep it.
    context.keepsThrown = false
    context.examiner = nil
    services.links?.close()
    world.close()
  }
}
