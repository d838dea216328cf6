// SPDX-License-Identifier: MIT

// What the transport tells the session.

extension PeerSession: TransportDelegate {
  func linkUp(_ link: LinkID, attempt: Int?, isReliable: Bool, binding: LinkBinding) {
    perform { $0.node.linkUp(link, attempt: attempt, isReliable: isReliable, binding: binding, $1) }
  }

  func linkDown(_ link: LinkID) { perform { $0.node.linkDown(link, $1) } }

  func connectFailed(attempt: Int, isGone: Bool) {
    perform { $0.node.connectFailed(attempt: attempt, isGone: isGone, $1) }
  }

  func received(_ memory: UnsafeRawBufferPointer, frames: [Range<Int>], over link: LinkID) {
    perform { state, now in
      for frame in frames {
        state.node.received(UnsafeRawBufferPointer(rebasing: memory[frame]), over: link, now)
      }
    }
  }

  func broken(_ link: LinkID, _ problem: String) { perform { $0.node.violation(problem, link, $1) } }

  func tick() { perform { $0.node.tick($1) } }

  func found(_ advertisement: Advertisement) {
    guard let peer = PeerID(advertisement.id), peer != id, advertisement.isGenuine(serviceType, keys) else {
      return
    }
    perform { state, _ in
      let old = state.found[peer]
      guard old != advertisement else { return }
      state.found[peer] = advertisement
      discoveries.send(Self.event(old == nil ? .found : .updated, advertisement))
    }
  }

  func lost(_ peer: PeerID) {
    perform { state, _ in
      guard let old = state.found.removeValue(forKey: peer) else { return }
      discoveries.send(Self.event(.lost, old))
    }
  }

  static func event(_ kind: DiscoveryEvent.Kind, _ advertisement: Advertisement) -> DiscoveryEvent {
    DiscoveryEvent(kind: kind, peer: advertisement.id, name: advertisement.name, info: advertisement.info)
  }
}
