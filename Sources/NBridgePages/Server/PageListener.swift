// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// Takes connections, and hands on those of this user's programs; those of anybody, encrypted, where there is
/// a certificate. libsoup's own listener asks nobody, and stops for good where the process has no room for
/// another file. Confined to the engine's thread.
final class PageListener {
  let port: Int
  /// Takes a connection over: the stream, this end's address, the other's.
  var take: (UnsafeMutablePointer<GIOStream>, Address, Address) -> Void = { _, _, _ in }
  typealias Address = UnsafeMutablePointer<GSocketAddress>
  private let socket: Descriptor
  private let starts: ConnectionStarts
  private let loop: EventLoop
  private var source: DescriptorSource?
  /// How many connections are open, and of each address.
  private let open = Count()

  private final class Count {
    var value = 0
    var places: [String: Int] = [:]

    func add(_ place: String, _ number: Int) {
      value += number
      let count = places[place, default: 0] + number
      places[place] = count == 0 ? nil : count
    }
  }

  private final class Place {
    let count: Count
    let name: String
    init(_ count: Count, _ name: String) { (self.count, self.name) = (count, name) }
  }
  private static let queue: Int32 = 1024
  private static let most = 1024
  /// Of one address of other machines: a browser has some six.
  private static let mostOfOne = 128
  /// How long it waits where there is no room, in microseconds.
  private static let pause = 200_000
  /// A connection that says nothing for so long, in the middle of a request or between two, is closed; in
  /// seconds.
  private static let silence: guint = 30

  /// - Parameters:
  ///   - address: a number of this machine.
  ///   - port: 0 for one that is free.
  ///   - starts: by which it is encrypted; where it is not, only this user's programs are let in.
  /// - Throws: `unavailable` where nothing can listen there.
  init(_ address: String, port: Int, _ starts: ConnectionStarts, _ loop: EventLoop) throws {
    (self.starts, self.loop) = (starts, loop)
    do {
      socket = try TCPSocket.listening(address, port: UInt16(clamping: port), queue: Self.queue)
    } catch {
      let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
      let hint = error.code == EADDRNOTAVAIL ? "; the addresses of this machine: ip address" : ""
      throw BridgeError(.unavailable, "no page can be served at \(place): \(error.reason)\(hint)")
    }
    socket.neverWait()
    self.port = TCPSocket.port(of: socket.number).map(Int.init) ?? port
    listen()
  }

  deinit { source?.close() }

  private func listen() {
    source = loop.watch(socket.number) { [unowned self] in acceptAll() }
  }

  private func acceptAll() {
    for _ in 0..<64 {
      do {
        guard open.value < Self.most else { return rest() }
        let made = try TCPSocket.accept(socket.number)
        // Whose it is can't be told of one that has been closed already.
        if !starts.isEncrypted {
          guard let user = TCPPeers().user(of: made.number), user == geteuid() || user == 0 else { continue }
        }
        hand(made)
      } catch {
        if error.code == EAGAIN { return }
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.code) { return rest() }
      }
    }
  }

  /// There is no room just now.
  private func rest() {
    source?.close()
    source = nil
    loop.schedule(at: loop.clock.now + Self.pause) { [weak self] in self?.listen() }
  }

  private func hand(_ made: Descriptor) {
    // GLib's socket closes it.
    let copy = fcntl(made.number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    guard let socket = g_socket_new_from_fd(copy, nil) else {
      close(copy)
      return
    }
    defer { g_object_unref(UnsafeMutableRawPointer(socket)) }
    g_socket_set_timeout(socket, Self.silence)
    let here = g_socket_get_local_address(socket, nil)
    let there = g_socket_get_remote_address(socket, nil)
    defer {
      for address in [here, there] { if let address { g_object_unref(UnsafeMutableRawPointer(address)) } }
    }
    // One that was reset meanwhile has none.
    guard let here, let there, let connection = g_socket_connection_factory_create_connection(socket) else {
      return
    }
    defer { g_object_unref(UnsafeMutableRawPointer(connection)) }
    let place = starts.isEncrypted ? PassphraseGate.place(of: Self.number(of: there)) : ""
    if starts.isEncrypted, open.places[place, default: 0] >= Self.mostOfOne { return }
    open.add(place, 1)
    g_object_weak_ref(
      UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GObject.self),
      { data, _ in
        guard let data else { return }
        let place = Unmanaged<Place>.fromOpaque(data).takeRetainedValue()
        place.count.add(place.name, -1)
      }, Unmanaged.passRetained(Place(open, place)).toOpaque())
    let stream = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
    for address in [here, there] { g_object_ref(UnsafeMutableRawPointer(address)) }
    let ends = Ends(here, there)
    starts.begin(stream, socket, place) { [weak self] in self?.take($0, ends.here, ends.there) }
  }

  /// The two addresses of a connection, kept as long as this is.
  private final class Ends {
    let here: Address
    let there: Address
    init(_ here: Address, _ there: Address) { (self.here, self.there) = (here, there) }
    deinit { for address in [here, there] { g_object_unref(UnsafeMutableRawPointer(address)) } }
  }

  private static func number(of address: Address) -> String {
    let inet = UnsafeMutableRawPointer(address).assumingMemoryBound(to: GInetSocketAddress.self)
    guard let number = g_inet_address_to_string(g_inet_socket_address_get_address(inet)) else { return "" }
    defer { g_free(number) }
    return String(cString: number)
  }
}
