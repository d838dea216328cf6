// SPDX-License-Identifier: MIT

/// The inputs of connections. Confined to the engine's thread.
final class ServerInputs {
  /// As libsoup counts them, for each session of its own.
  struct Connection: Hashable {
    let session: OpaquePointer
    let number: UInt64
  }
  private struct Known {
    weak var input: ServerInput?
  }
  private var known: [Connection: Known] = [:]
  private var room = 64

  func note(_ input: ServerInput, of connection: Connection) {
    if known.count >= room {
      known = known.filter { $0.value.input != nil }
      room = max(64, known.count * 2)
    }
    known[connection] = Known(input: input)
  }

  func input(of connection: Connection) -> ServerInput? { known[connection]?.input }
}
