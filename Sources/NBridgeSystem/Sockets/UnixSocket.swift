// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// Sockets between processes of this machine, in folders (unix(7)). All are closed on exec.
public enum UnixSocket {
  /// The process at the other end of a connection, as it was when it was made.
  public struct Peer: Hashable, Sendable {
    /// Its number then.
    public let process: Int32
    /// The user.
    public let user: UInt32
    /// The user's group.
    public let group: UInt32
  }

  /// How its messages come.
  public enum Kind: Sendable {
    /// A stream of bytes.
    case stream
    /// Messages of their own, which come whole.
    case datagram

    fileprivate var number: Int32 {
      Int32(self == .stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue)
    }
  }

  /// A socket that is nowhere yet.
  ///
  /// - Parameter waits: whether its calls wait; if not, they fail with `EAGAIN`.
  public static func make(_ kind: Kind = .stream, waits: Bool = true) throws(SystemError) -> Descriptor {
    let number = socket(AF_UNIX, type(kind, waits), 0)
    guard number >= 0 else { throw .last("make a socket") }
    return Descriptor(taking: number)
  }

  /// Two that are connected with each other.
  public static func pair(
    _ kind: Kind = .stream, waits: Bool = true
  ) throws(SystemError) -> (Descriptor, Descriptor) {
    var numbers: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, type(kind, waits), 0, &numbers) == 0 else { throw .last("make a socket") }
    return (Descriptor(taking: numbers[0]), Descriptor(taking: numbers[1]))
  }

  /// A socket that listens under a name in a folder.
  ///
  /// - Parameter queue: so many clients wait until they are accepted; the kernel has a limit of its own.
  /// - Throws: `EADDRINUSE` when the name is there already.
  public static func listening(
    _ name: String, in folder: String, queue: Int32, waits: Bool = true
  ) throws(SystemError) -> Descriptor {
    let made = try make(waits: waits)
    let status = try UnixAddress.with(name, in: folder) { bind(made.number, $0, $1) }
    guard status == 0, listen(made.number, queue) == 0 else { throw .last("listen in", folder) }
    return made
  }

  /// Connects a socket with the process that listens under a name in a folder.
  ///
  /// - Throws: `ECONNREFUSED` when no process listens there any more, `ENOENT` when there is none, `EAGAIN`
  ///   when one that doesn't wait would have to.
  public static func connect(_ socket: Descriptor, _ name: String, in folder: String) throws(SystemError) {
    let status = try UnixAddress.with(name, in: folder) { Glibc.connect(socket.number, $0, $1) }
    guard status == 0 else { throw .last("connect with", "\(folder)/\(name)") }
  }

  /// The next client: a connection that doesn't wait.
  ///
  /// - Throws: `EAGAIN` when no client waits, `EMFILE` when the process has too many files open.
  public static func accept(_ listener: Int32) throws(SystemError) -> Descriptor {
    let number = nb_accept(listener)
    guard number >= 0 else { throw .last("take a connection") }
    return Descriptor(taking: number)
  }

  /// The process at the other end of a connected socket; nil when it has none.
  public static func peer(of number: Int32) -> Peer? {
    var who: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)  // struct ucred, unix(7)
    var size = socklen_t(MemoryLayout.size(ofValue: who))
    guard getsockopt(number, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 else { return nil }
    return Peer(process: who.process, user: who.user, group: who.group)
  }

  /// Whether the process at the other end of a connected socket has the same user.
  public static func isOwn(_ number: Int32) -> Bool { peer(of: number)?.user == getuid() }

  private static func type(_ kind: Kind, _ waits: Bool) -> Int32 {
    kind.number | Int32(SOCK_CLOEXEC.rawValue) | (waits ? 0 : Int32(SOCK_NONBLOCK.rawValue))
  }
}
