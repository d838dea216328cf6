// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeSystem

/// Where a viewer listens. One at a time for a user, and one for a port.
package struct LogEndpoint {
  private let runtime: String
  /// 0 for no TCP.
  let port: UInt16
  /// Whether other users' programs may connect, too.
  let takesAnyUser: Bool
  let containers: [String]
  private let lock: FileLock

  var socketPath: String { runtime + "/" + ViewerWire.socketName }

  /// - Throws: `conflict` when a viewer runs already, naming it.
  package init(port: UInt16, takesAnyUser: Bool) throws {
    let folders = try LogStore.sharedFolders()
    runtime = try SharedFolders.make("", in: folders.runtime)
    self.port = port
    self.takesAnyUser = takesAnyUser
    containers =
      SharedFolders.dataRoot.map { root in FolderNames.of(root).sorted().map { "\(root)/\($0)" } } ?? []
    let path = runtime + "/logs.lock"
    do { lock = try FileLock(at: path) } catch { throw BridgeError(error) }
    guard lock.tryTake() else {
      let pid = String(decoding: (try? lock.file.read(32, at: 0)) ?? [], as: UTF8.self)
      throw BridgeError(
        .conflict,
        """
        'nbridge logs' runs already, as process \(pid); use that one, \
        or look at what it keeps with 'nbridge logs query'
        """
      )
    }
    try? lock.file.truncate(to: 0)
    try? lock.file.write(Array("\(getpid())".utf8), at: 0)
  }

  /// The socket for this user's programs. Named when it listens, so no program finds it before.
  func listenLocally() throws -> Descriptor {
    let name = "." + RandomName.make()
    do throws(SystemError) {
      let file = try UnixSocket.listening(name, in: runtime, queue: 1024, waits: false)
      guard chmod("\(runtime)/\(name)", 0o600) == 0, rename("\(runtime)/\(name)", socketPath) == 0 else {
        throw .last("rename")
      }
      return file
    } catch {
      throw BridgeError(SystemError("listen at", socketPath, code: error.code))
    }
  }

  /// The port of the first logger, for this machine only; nil for none.
  func listenTCP() throws -> Descriptor? {
    guard port > 0 else { return nil }
    let file = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var one: Int32 = 1
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0, listen(file, 1024) == 0 else {
      let error = errno
      close(file)
      let who =
        error == EADDRINUSE
        ? PortOwner.find(port).map { ": \($0) has it" } ?? ": somebody else's program has it" : ""
      throw BridgeError(
        .conflict,
        "can't listen at 127.0.0.1:\(port): \(SystemError.reason(of: error))\(who); "
          + "choose another with --port, or none with --port 0"
      )
    }
    return Descriptor(taking: file)
  }
}

/// The process that listens at a port, as far as this user may know.
enum PortOwner {
  static func find(_ port: UInt16) -> String? {
    guard let inode = socket(at: port) else { return nil }
    for name in FolderNames.of("/proc") where name.allSatisfy(\.isNumber) {
      for file in FolderNames.of("/proc/\(name)/fd")
      where link("/proc/\(name)/fd/\(file)") == "socket:[\(inode)]" {
        let program = KernelTable.text("/proc/\(name)/comm").trimmingSuffix { $0 == "\n" }
        return "process \(name) (\(program))"
      }
    }
    return nil
  }

  /// The inode of the socket that listens: columns 2, 4 and 10 of the kernel's table (proc(5)).
  private static func socket(at port: UInt16) -> Substring? {
    let wanted = ":" + String(Int(port) + 0x10000, radix: 16, uppercase: true).dropFirst()
    for line in KernelTable.text("/proc/net/tcp").split(separator: "\n").dropFirst() {
      let columns = line.split(separator: " ")
      if columns.count > 9, columns[1].hasSuffix(wanted), columns[3] == "0A" { return columns[9] }
    }
    return nil
  }

  private static func link(_ path: String) -> String {
    var bytes = [CChar](repeating: 0, count: 64)
    let count = readlink(path, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }
}

extension String {
  fileprivate func trimmingSuffix(_ isOver: (Character) -> Bool) -> String {
    var text = self[...]
    while let last = text.last, isOver(last) { text.removeLast() }
    return String(text)
  }
}
