// SPDX-License-Identifier: MIT

import CNBridgeGLib
import FoundationEssentials
import Glibc
import NBridgePlugin
import NBridgeSystem

/// The client's side of TLS, by GIO, which checks what it is shown.
final class EncryptedStream {
  private let stream: UnsafeMutablePointer<GIOStream>

  /// - Parameters:
  ///   - number: of a connection, which stays its owner's.
  ///   - certificate: the path of the one that 127.0.0.1 has to show.
  init(_ number: Int32, _ certificate: String) throws {
    guard let socket = g_socket_new_from_fd(dup(number), nil) else {
      throw BridgeError(.unavailable, "no socket of GIO's")
    }
    defer { g_object_unref(UnsafeMutableRawPointer(socket)) }
    g_socket_set_timeout(socket, 20)
    guard let connection = g_socket_connection_factory_create_connection(socket),
      let identity = g_network_address_new("127.0.0.1", 0),
      let database = g_tls_file_database_new(certificate, nil)
    else { throw BridgeError(.unavailable, "no connection of GIO's") }
    let own = [
      UnsafeMutableRawPointer(connection), UnsafeMutableRawPointer(identity),
      UnsafeMutableRawPointer(database),
    ]
    defer { for object in own { g_object_unref(object) } }
    let plain = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
    guard let made = g_tls_client_connection_new(plain, identity, nil) else {
      throw BridgeError(.unavailable, "no TLS: apt-get install glib-networking")
    }
    stream = made
    let encrypted = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GTlsConnection.self)
    g_tls_connection_set_database(
      encrypted, UnsafeMutableRawPointer(database).assumingMemoryBound(to: GTlsDatabase.self))
    g_tls_connection_set_require_close_notify(encrypted, 0)
    var failure: UnsafeMutablePointer<GError>?
    if g_tls_connection_handshake(encrypted, nil, &failure) == 0 { throw Self.error(failure) }
  }

  deinit {
    g_io_stream_close(stream, nil, nil)
    g_object_unref(UnsafeMutableRawPointer(stream))
  }

  private static func error(_ failure: UnsafeMutablePointer<GError>?) -> BridgeError {
    defer { g_error_free(failure) }
    return BridgeError(.ioError, failure.map { String(cString: $0.pointee.message) } ?? "no reason")
  }

  func send(_ bytes: [UInt8]) throws {
    var failure: UnsafeMutablePointer<GError>?
    let output = g_io_stream_get_output_stream(stream)
    if g_output_stream_write_all(output, bytes, gsize(bytes.count), nil, nil, &failure) == 0 {
      throw Self.error(failure)
    }
  }

  /// What comes next; none at the end.
  func receive(_ most: Int) throws -> [UInt8] {
    var failure: UnsafeMutablePointer<GError>?
    var bytes = [UInt8](repeating: 0, count: most)
    let count = g_input_stream_read(g_io_stream_get_input_stream(stream), &bytes, gsize(most), nil, &failure)
    if count < 0 { throw Self.error(failure) }
    return Array(bytes[..<count])
  }
}

/// A certificate for 127.0.0.1 and localhost, which nobody has signed, and its key, beside a folder.
struct TestCertificate: Sendable {
  let certificate: String
  let key: String

  init(_ folder: String) throws {
    (certificate, key) = (folder + ".pem", folder + ".key")
    let made = try ChildProcess.start(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=nbridge", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
        "-keyout", key, "-out", certificate,
      ], streams: [1: .nothing, 2: .nothing])
    guard made.wait() == 0 else { throw BridgeError(.unavailable, "openssl makes no certificate") }
  }

  static func remove(_ folder: String) {
    for ending in [".pem", ".key"] { try? FileManager.default.removeItem(atPath: folder + ending) }
  }
}
