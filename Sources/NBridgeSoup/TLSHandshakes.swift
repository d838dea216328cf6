// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// Encrypts connections before anybody reads from them. GIO shakes hands on a few threads that the whole
/// process shares: clients that are silent, or slow, would take all of them. So a client has to say something
/// first, only some shake hands at a time, of one address fewer, and each has an end, which comes sooner
/// while others wait for it. Shared by a server's listeners; confined to the engine's thread.
package final class TLSHandshakes {
  package typealias Stream = UnsafeMutablePointer<GIOStream>
  package typealias Certificate = UnsafeMutablePointer<GTlsCertificate>

  private let certificate: Certificate
  private let context = LoopContext()
  private var silent: [ObjectIdentifier: TLSHandshake] = [:]
  /// Those that have said something, and wait for their turn.
  private var ready: [TLSHandshake] = []
  private var running: [ObjectIdentifier: TLSHandshake] = [:]
  private var isSweeping = false

  /// GIO has ten threads for all it does.
  private static let most = 6
  private static let mostOfOne = 4
  /// To say something, to get a turn, and to shake hands, in microseconds each.
  private static let patience = 10_000_000
  /// To shake hands while others wait for that.
  private static let courtesy = 2_000_000
  /// How often it looks for those who take too long, in milliseconds.
  private static let sweeping: UInt32 = 500

  /// - Parameter certificate: what clients are shown, with its key; kept as long as this is.
  package init(_ certificate: Certificate) {
    self.certificate = certificate
    g_object_ref(UnsafeMutableRawPointer(certificate))
  }

  deinit {
    for handshake in silent.values + ready + running.values { handshake.end() }
    g_object_unref(UnsafeMutableRawPointer(certificate))
  }

  /// Hands a connection to `take` when it is encrypted; lets go of one that comes to nothing.
  ///
  /// - Parameter place: whose it is: those of one address wait for each other.
  package func begin(
    _ raw: Stream, _ socket: UnsafeMutablePointer<GSocket>, _ place: String,
    _ take: @escaping (Stream) -> Void
  ) {
    let handshake = TLSHandshake(raw, socket, place, take)
    let key = ObjectIdentifier(handshake)
    silent[key] = handshake
    handshake.waitForFirstByte { [weak self, unowned handshake] hasSpoken in
      guard let self, silent.removeValue(forKey: key) != nil, hasSpoken else { return handshake.end() }
      ready.append(handshake)
      startNext()
    }
    sweepLater()
  }

  /// As long as there is room. Who came last is the likeliest to be still there.
  private func startNext() {
    while let index = ready.lastIndex(where: { hasRoom(for: $0.place) }) {
      let handshake = ready.remove(at: index)
      let key = ObjectIdentifier(handshake)
      running[key] = handshake
      handshake.shakeHands(certificate) { [weak self] in
        guard let self else { return }
        running[key] = nil
        startNext()
      }
    }
  }

  private func hasRoom(for place: String) -> Bool {
    running.count < Self.most && running.values.count { $0.place == place } < Self.mostOfOne
  }

  // MARK: - Those who take too long

  private func sweepLater() {
    if isSweeping { return }
    isSweeping = true
    context.later(milliseconds: Self.sweeping) { [weak self] in self?.sweep() }
  }

  private func sweep() {
    isSweeping = false
    let late = TLSHandshake.now - Self.patience
    for (key, handshake) in silent where handshake.since <= late {
      silent[key] = nil
      handshake.end()
    }
    for handshake in ready where handshake.since <= late { handshake.end() }
    ready.removeAll { $0.since <= late }
    for handshake in running.values where handshake.since <= late || isInTheWay(handshake) { handshake.end() }
    if !(silent.isEmpty && ready.isEmpty && running.isEmpty) { sweepLater() }
  }

  /// Whether it has had its time, and others wait for it.
  private func isInTheWay(_ handshake: TLSHandshake) -> Bool {
    handshake.since <= TLSHandshake.now - Self.courtesy
      && ready.contains { $0.place == handshake.place || running.count >= Self.most }
  }
}
