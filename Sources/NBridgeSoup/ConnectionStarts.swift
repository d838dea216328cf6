// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// Looks at what the clients of a server say first, and encrypts their connections where it has a
/// certificate. Who speaks HTTPS to a server of HTTP, or the other way round, is told so.
///
/// GIO shakes hands on a few threads that the whole process shares: clients that are silent, or slow, would
/// take all of them. So a client has to say something first, only some shake hands at a time, of one address
/// fewer, and each has an end, which comes sooner while others wait for it. Shared by a server's listeners;
/// confined to the engine's thread.
package final class ConnectionStarts {
  package typealias Stream = UnsafeMutablePointer<GIOStream>
  package typealias Certificate = UnsafeMutablePointer<GTlsCertificate>

  private let certificate: Certificate?
  private let context = LoopContext()
  private var silent: [ObjectIdentifier: ConnectionStart] = [:]
  /// Those that have said something, and wait for their turn.
  private var ready: [ConnectionStart] = []
  private var running: [ObjectIdentifier: ConnectionStart] = [:]
  private var isSweeping = false

  /// How all that TLS says first begins (RFC 8446, 5.1), and no method of HTTP.
  private static let handshake: UInt8 = 22
  /// GIO has ten threads for all it does.
  private static let most = 6
  private static let mostOfOne = 4
  /// To say something, to get a turn, and to shake hands, in microseconds each.
  private static let patience = 10_000_000
  /// To shake hands while others wait for that.
  private static let courtesy = 2_000_000
  /// How often it looks for those who take too long, in milliseconds.
  private static let sweeping: UInt32 = 500

  package var isEncrypted: Bool { certificate != nil }

  /// - Parameter certificate: what clients are shown, with its key, kept as long as this is; nil for none.
  package init(_ certificate: Certificate?) {
    self.certificate = certificate
    if let certificate { g_object_ref(UnsafeMutableRawPointer(certificate)) }
  }

  deinit {
    for start in silent.values + ready + running.values { start.end() }
    if let certificate { g_object_unref(UnsafeMutableRawPointer(certificate)) }
  }

  /// Hands a connection to `take` when its client has begun, or hands are shaken; lets go of one that comes
  /// to nothing.
  ///
  /// - Parameter place: whose it is: those of one address wait for each other.
  package func begin(
    _ raw: Stream, _ socket: UnsafeMutablePointer<GSocket>, _ place: String,
    _ take: @escaping (Stream) -> Void
  ) {
    let start = ConnectionStart(raw, socket, place, take)
    let key = ObjectIdentifier(start)
    silent[key] = start
    start.waitForFirstByte { [weak self, unowned start] byte in
      guard let self, silent.removeValue(forKey: key) != nil, let byte else { return start.end() }
      go(on: start, byte)
    }
    if isEncrypted { sweepLater() }
  }

  private func go(on start: ConnectionStart, _ byte: UInt8) {
    switch (isEncrypted, byte == Self.handshake) {
    case (false, false): start.handOver()
    case (false, true): start.refuse("This server speaks HTTP, not HTTPS: ask it with http:.\n")
    case (true, false): start.refuse("This server speaks HTTPS, not HTTP: ask it with https:.\n")
    case (true, true):
      ready.append(start)
      startNext()
    }
  }

  /// As long as there is room. Who came last is the likeliest to be still there.
  private func startNext() {
    guard let certificate else { return }
    while let index = ready.lastIndex(where: { hasRoom(for: $0.place) }) {
      let start = ready.remove(at: index)
      let key = ObjectIdentifier(start)
      running[key] = start
      start.shakeHands(certificate) { [weak self] in
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
    let late = ConnectionStart.now - Self.patience
    for (key, start) in silent where start.since <= late {
      silent[key] = nil
      start.end()
    }
    for start in ready where start.since <= late { start.end() }
    ready.removeAll { $0.since <= late }
    for start in running.values where start.since <= late || isInTheWay(start) { start.end() }
    if !(silent.isEmpty && ready.isEmpty && running.isEmpty) { sweepLater() }
  }

  /// Whether it has had its time, and others wait for it.
  private func isInTheWay(_ start: ConnectionStart) -> Bool {
    start.since <= ConnectionStart.now - Self.courtesy
      && ready.contains { $0.place == start.place || running.count >= Self.most }
  }
}
