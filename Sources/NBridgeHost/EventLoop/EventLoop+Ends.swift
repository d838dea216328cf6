// SPDX-License-Identifier: MIT

/// The ends of plugins' processes: what scripts hold of one ends with it.
extension EventLoop {
  package func ends(of service: String) -> Int { ends[service, default: 0] }

  package func noteEnd(of service: String) {
    ends[service, default: 0] += 1
    onEnd()
    onEndOf(service)
  }
}
