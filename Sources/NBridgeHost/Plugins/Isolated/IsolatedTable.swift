// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgeIsolation
internal import NBridgePlugin

/// The table of a plugin that runs in a process of its own: the host calls it as any other's, and each call
/// becomes a message.
enum IsolatedTable {
  /// Makes one. It stays for the life of the process, as those of libraries do.
  static func make(_ plugin: IsolatedPlugin) -> UnsafePointer<nbridge_plugin> {
    let table = UnsafeMutablePointer<nbridge_plugin>.allocate(capacity: 1)
    table.initialize(
      to: nbridge_plugin(
        magic: NBRIDGE_PLUGIN_MAGIC, size: UInt32(MemoryLayout<nbridge_plugin>.size),
        major: UInt16(NBRIDGE_ABI_MAJOR), minor: UInt16(NBRIDGE_ABI_MINOR), reserved_flags: 0,
        user: Unmanaged.passRetained(plugin).toOpaque(),
        describe: { table, size in
          let text = IsolatedTable.plugin(table).describe()
          size.pointee = text.count
          return text.start
        },
        start: { table, start, state, failure in
          IsolatedTable.start(IsolatedTable.plugin(table), start.pointee, state, failure)
        },
        stop: { state in
          if let state { Unmanaged<IsolatedRun>.fromOpaque(state).takeRetainedValue().stop() }
        },
        call: { state, request, answer in
          do { try IsolatedTable.run(state)?.begin(request.pointee) } catch {
            answer.pointee.fill(failure: error, WireSink(), keepsSink: true)
            return UInt32(NBRIDGE_ANSWERED)
          }
          return UInt32(NBRIDGE_PENDING)
        },
        cancel: { state, call in IsolatedTable.run(state)?.cancel(call) },
        grant: { state, call, events in
          var head = FrameHead(.grant, id: call)
          head.first = events
          IsolatedTable.run(state)?.tell(head)
        },
        lifecycle: { state, phase in
          var head = FrameHead(.lifecycle)
          head.first = phase
          IsolatedTable.run(state)?.enter(head)
        },
        feed: { state, call, feed in
          let given = feed.pointee
          var head = FrameHead(.feed, id: call)
          (head.first, head.second, head.number) = (given.kind, given.index, given.number)
          withUnsafePointer(to: given.value) { IsolatedTable.run(state)?.feed(head, $0) }
        },
        reserved: (nil, nil, nil, nil, nil, nil, nil)))
    return UnsafePointer(table)
  }

  static func plugin(_ table: UnsafePointer<nbridge_plugin>) -> IsolatedPlugin {
    guard let user = table.pointee.user else { preconditionFailure("not a table that `make` made") }
    return Unmanaged<IsolatedPlugin>.fromOpaque(user).takeUnretainedValue()
  }

  private static func run(_ state: UnsafeMutableRawPointer?) -> IsolatedRun? {
    state.map { Unmanaged<IsolatedRun>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func start(
    _ plugin: IsolatedPlugin, _ start: nbridge_start, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ failure: UnsafeMutablePointer<nbridge_value>
  ) -> UInt32 {
    guard let place = plugin.place(start.context) else { return 0 }
    let run = IsolatedRun(plugin, place, start)
    do { try run.start() } catch {
      failure.pointee.fill(failure: error, WireSink(), keepsSink: true)
      return 0
    }
    state.pointee = Unmanaged.passRetained(run).toOpaque()  // balanced by `stop`
    return 1
  }
}

extension IsolatedRun {
  /// Sends a message that has no answer; one that the channel has no room for is nothing that a plugin waits
  /// for. On the engine's thread.
  fileprivate func tell(_ head: FrameHead, _ value: UnsafePointer<nbridge_value>? = nil) {
    try? send(head, value)
  }

  /// Sends what a stream gave, or what a function of the script's answered: the plugin asked for it.
  fileprivate func feed(_ head: FrameHead, _ value: UnsafePointer<nbridge_value>) {
    tell(head, value)
    if let process, process.channel.waiting > Self.mostUnread { answered() }
  }

  /// The program's life changed; any thread.
  fileprivate func enter(_ head: FrameHead) { loop.post { [self] in tell(head) } }
}
