// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeSystem
import NBridgeTesting

/// A server in a process of its own, for what none here can say; it ends with this.
final class PeerProgram: Sendable {
  let port: UInt16
  private let child: ChildProcess

  /// Runs a script of Python's with the names `listener`, a socket that listens; `ssl`, `socket` and
  /// `struct`; and `context`, for a server over TLS with the certificate of ``TestAuthority``.
  init(python script: String) throws {
    let authority = try TestAuthority.shared.get()
    let listener = try TCPSocket.listening("127.0.0.1", port: 0, queue: 200)
    port = TCPSocket.port(of: listener.number) ?? 0
    let head = """
      import socket, ssl, struct
      listener = socket.socket(fileno=3)
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("\(authority.certificate)", "\(authority.key)")

      """
    child = try ChildProcess.start(
      "python3", ["-c", head + script], streams: [3: .descriptor(listener.number)])
  }

  /// Runs a script of Node's with the names `http2`; `options`, for a server over TLS with the certificate of
  /// ``TestAuthority``; and `listen`, which has a server listen.
  init(node script: String) throws {
    let authority = try TestAuthority.shared.get()
    let listener = try TCPSocket.listening("127.0.0.1", port: 0, queue: 200)
    port = TCPSocket.port(of: listener.number) ?? 0
    let head = """
      const http2 = require("node:http2"), { readFileSync } = require("node:fs");
      const options = {
        cert: readFileSync("\(authority.certificate)"), key: readFileSync("\(authority.key)"),
        allowHTTP1: true,
      };
      const listen = (server) => server.listen({ fd: 3 });

      """
    child = try ChildProcess.start("node", ["-e", head + script], streams: [3: .descriptor(listener.number)])
  }

  /// Runs Debian's nginx, with what a server of its is to do.
  ///
  /// - Parameters:
  ///   - folder: a temporary one, with a folder `root` in it.
  ///   - server: the rest of a block `server`; `PORT` is replaced.
  init(nginx folder: String, _ server: String) throws {
    let taken = try TCPSocket.listening("127.0.0.1", port: 0, queue: 1)
    port = TCPSocket.port(of: taken.number) ?? 0
    taken.close()
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/\($0);"
    }.joined(separator: " ")
    let text = """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/errors warn;
      events { worker_connections 256; }
      http {
        access_log off; \(temporary)
        server { root \(folder)/root; \(server.replacing("PORT", with: "\(port)")) }
      }
      """
    try text.write(toFile: folder + "/conf", atomically: false, encoding: .utf8)
    child = try ChildProcess.start(
      "/usr/sbin/nginx", ["-c", folder + "/conf", "-e", folder + "/errors"], streams: [2: .nothing])
    // It listens before it writes that file, unless it ends at once.
    let wait = "for turn in $(seq 500); do [ -e \(folder)/pid ] && exit; sleep 0.02; done"
    try ChildProcess.start("sh", ["-c", wait]).wait()
  }

  deinit {
    child.signal(SIGKILL)
    child.wait()
  }
}

/// A certificate for 127.0.0.1 and localhost that nobody has signed.
struct TestAuthority: Sendable {
  let certificate: String
  let key: String

  static let shared = Result<TestAuthority, any Error> {
    let folder = TemporaryFolder.make()
    let made = TestAuthority(certificate: folder + "/certificate.pem", key: folder + "/key.pem")
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=nbridge", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
      "-keyout", made.key, "-out", made.certificate,
    ]
    guard try ChildProcess.start("openssl", arguments, streams: [1: .nothing, 2: .nothing]).wait() == 0 else {
      throw BridgeError(.unavailable, "openssl makes no certificate")
    }
    PeerFolder.clear = folder
    atexit { TemporaryFolder.remove(PeerFolder.clear) }
    return made
  }

  /// Both as literals of a script.
  var literals: (certificate: String, key: String) {
    get throws {
      func text(_ path: String) throws -> String {
        "`" + (try String(contentsOfFile: path, encoding: .utf8)) + "`"
      }
      return (try text(certificate), try text(key))
    }
  }
}

/// What goes with the tests' process.
private enum PeerFolder {
  // Written once, before the one that reads it at the end.
  nonisolated(unsafe) static var clear = ""
}
