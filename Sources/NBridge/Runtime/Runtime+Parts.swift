// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript

/// The parts of a program by the names that its runs use.
extension Runtime {
  var context: JSContext { parts.context }
  var machine: JSVirtualMachine { parts.context.machine }
  var loop: EventLoop { parts.world.loop }
  var host: RuntimeHost { parts.world.host }
  var container: Container { parts.world.container }
  var plugins: PluginRegistry { parts.world.registry }
  var session: CallSession { parts.calls.session }
  var guests: GuestSessions { parts.calls.guests }
  var reporter: CallReporter { parts.calls.reporter }
  var sourceRegistry: SourceRegistry { parts.sources }
  var state: ProgramState { parts.state }
  var control: RuntimeControl { parts.control }
  var builtins: Builtins { parts.builtins }
  var tape: (any ProgramTape)? { parts.inputs.tape }
  var replayer: Replayer? { tape as? Replayer }

  /// What scripts may call; a prompt changes it.
  var permissions: PermissionSet {
    get { parts.calls.permissions }
    set { parts.calls.permissions = newValue }
  }

  /// How the program ended, once it did.
  var ending: Ending? {
    get { state.ending }
    set { state.ending = newValue }
  }

  func fail(_ exception: JSException, unhandled: Bool = false) { state.fail(exception, unhandled: unhandled) }
}
