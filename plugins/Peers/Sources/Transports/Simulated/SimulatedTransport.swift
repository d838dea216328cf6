// SPDX-License-Identifier: MIT

internal import Synchronization

/// A peer's end of a simulated network.
final class SimulatedTransport: PeerTransport {
  private let network: SimulatedNetwork
  private let id = Mutex<PeerID?>(nil)

  init(_ network: SimulatedNetwork) { self.network = network }

  private func withID<R>(_ body: (PeerID) -> R) -> R? { id.withLock(\.self).map(body) }

  var now: Microseconds { withID(network.clock) ?? network.now }
  func address(of id: PeerID) -> String { id.description }

  func start(_ id: PeerID, _ delegate: any TransportDelegate) {
    self.id.withLock { $0 = id }
    network.add(.init(id: id, delegate: delegate))
  }

  func advertise(_ advertisement: Advertisement?) { withID { network.advertise($0, advertisement) } }
  func browse() { withID { network.browse($0) } }
  func connect(attempt: Int, to address: String) {
    withID { network.connect($0, attempt: attempt, to: address) }
  }
  func send(_ frame: OutFrame, over link: LinkID) { network.send(frame, over: link) }
  func flush() {}
  func close(_ link: LinkID) { network.close(link) }
  func wake(at time: Microseconds?) { withID { network.wake($0, at: time) } }
  func stop() { withID { network.remove($0) } }
}
