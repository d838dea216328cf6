// SPDX-License-Identifier: MIT

package import NBridgePlugin
internal import NBridgeSystem

/// The plugins of a program and what runs them: the loop, the registry, the pools of threads. It knows
/// neither the engine nor the callers: each client has a ``CallSession`` of its own. Confined to the engine's
/// thread.
package final class PluginHost {
  package let loop: EventLoop
  package let plugins: PluginRegistry
  /// For detached actions that compute.
  let pool = WorkerPool.forComputing()
  /// For detached actions that mostly wait.
  let waitingPool = WorkerPool.forWaiting()
  /// Where handlers on the engine's thread write an answer's text. It lies there only until the caller that
  /// began the call has taken it out, before anything else runs: see ``Begun/answered(_:)``.
  package let sink = WireSink()
  let taskPool: TaskPool
  /// Counts up whenever any client's call starts to wait or is answered.
  package var progress = 0
  private var sessions: UInt32 = 0
  /// What threads do for the program itself, by numbers that count up.
  var errands: [Int: any WaitingForWork] = [:]
  var nextErrand = 0

  package init(loop: EventLoop, plugins: PluginRegistry) {
    self.loop = loop
    self.plugins = plugins
    taskPool = TaskPool(loop: loop, sink: sink)
  }

  /// A number for a session: ``CallState/firstSession`` at first.
  func nextSession() -> UInt32 {
    sessions += 1
    return sessions
  }

  /// Ends the plugins, then the threads. Nothing may be called afterwards.
  package func close() {
    plugins.stop()
    pool.close()
    waitingPool.close()
    dropErrands()
    if loop.isCurrent {
      loop.runOut { [taskPool] in taskPool.away > 0 }
      taskPool.end()
    }
    loop.close()
  }
}
