// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeSoup

/// The tunnels that proxies make for `https`: libsoup asks for one by a message of its own, `CONNECT`, which
/// gets the proxy's password here, and an end where the proxy comes to none. Confined to the engine's thread.
final class ProxyTunnels {
  private let soup: LibSoup
  private let authorization: String?
  /// What gives up those that may wait for one, by who waits.
  private var waiting: [ObjectIdentifier: () -> Void] = [:]

  /// So many answers of 100 to 199 may come before the one that counts (RFC 9110, 15.2), here and elsewhere.
  /// libsoup reads them in one go: without an end of it no timer would run.
  static let mostInformed = 32

  /// - Parameter authorization: what a proxy is told; nil for nothing.
  init(_ soup: LibSoup, _ authorization: String?) { (self.soup, self.authorization) = (soup, authorization) }

  func add(_ waiter: AnyObject, giveUp: @escaping () -> Void) { waiting[ObjectIdentifier(waiter)] = giveUp }

  func remove(_ waiter: AnyObject) { waiting[ObjectIdentifier(waiter)] = nil }

  /// The session keeps a reference that does not keep this.
  func watch(_ session: OpaquePointer) {
    typealias Handler = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let queued: Handler = { _, message, data in
      guard let message, let tunnels = GLibSignal.listener(data, as: Listener.self)?.tunnels else { return }
      tunnels.look(at: message)
    }
    GLibSignal.connect(session, "request-queued", queued, keeping: Listener(self))
  }

  /// Of a session, or of one of its messages.
  private final class Listener {
    weak var tunnels: ProxyTunnels?
    var informed = 0
    init(_ tunnels: ProxyTunnels) { self.tunnels = tunnels }

    func inform() {
      informed += 1
      if informed == ProxyTunnels.mostInformed { tunnels?.giveUp() }
    }
  }

  private func look(at message: OpaquePointer) {
    guard let method = soup.method(message), strcmp(method, "CONNECT") == 0 else { return }
    if let authorization {
      soup.appendHeader(soup.requestHeaders(message), "Proxy-Authorization", authorization)
    }
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let inform: Handler = { _, data in GLibSignal.listener(data, as: Listener.self)?.inform() }
    GLibSignal.connect(message, "got-informational", inform, keeping: Listener(self))
  }

  /// Whose tunnel it was libsoup does not tell: all that wait for one fail.
  private func giveUp() { for giveUp in waiting.values { giveUp() } }
}
