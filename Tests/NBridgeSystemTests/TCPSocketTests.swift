// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

/// Sockets over TCP, within this machine.
@Suite struct TCPSocketTests {
  private func connected(to port: UInt16) throws -> Descriptor {
    let made = Descriptor(taking: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(made.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(status == 0)
    return made
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func thePortThatTheSystemChoseIsTold(_ address: String) throws {
    let listener: Descriptor
    do { listener = try TCPSocket.listening(address, port: 0, queue: 1) } catch {
      guard address == "::1", [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code) else { throw error }
      return print("SKIPPED: this machine has no IPv6")
    }
    let port = try #require(TCPSocket.port(of: listener.number))
    #expect(port > 0)
    #expect { try TCPSocket.listening(address, port: port, queue: 1) } throws: {
      ($0 as? SystemError)?.code == EADDRINUSE
    }
  }

  @Test(arguments: ["localhost", "", "256.0.0.1", "127.0.0.1 "])
  func whatIsNoAddressIsNotListenedAt(_ address: String) {
    #expect { try TCPSocket.listening(address, port: 0, queue: 1) } throws: {
      ($0 as? SystemError)?.code == EINVAL
    }
  }

  @Test func aConnectionOfThisProcessIsKnown() throws {
    let listener = try TCPSocket.listening("127.0.0.1", port: 0, queue: 4)
    let port = try #require(TCPSocket.port(of: listener.number))
    let own = try connected(to: port)
    let accepted = try TCPSocket.accept(listener.number)
    #expect(TCPSocket.isOwn(accepted.number) && TCPSocket.isOwn(own.number))
    // Another process's: bash connects and waits.
    let other = try ChildProcess.start(
      "/bin/bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); read -u 3"], streams: [:])
    Poller.wait(for: listener.number, milliseconds: 10_000)
    let strange = try TCPSocket.accept(listener.number)
    #expect(!TCPSocket.isOwn(strange.number))
    strange.close()
    _ = other.wait()
    #expect(!TCPSocket.isOwn(listener.number) && !TCPSocket.isOwn(-1))
  }
}
