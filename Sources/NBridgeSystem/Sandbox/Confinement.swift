// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// What a process, and all that it starts, may do from a moment on: what is not named here it can't, and
/// nothing gives it back.
///
/// The kernel's rules for files keep it to the paths (landlock(7)), a filter of system calls (seccomp(2))
/// from sockets, programs, other processes, terminals, keys and namespaces, and it has no capabilities(7),
/// also as root. It can still learn that a file is there, and its size and times; what it has open, it keeps.
public struct Confinement: Sendable, Equatable {
  /// Files, and folders with all that is in them, that it may read. What is not there is left out.
  public var readable: [String] = []
  /// The same for reading, making, changing and removing. Modes and times are asked for and changed
  /// through an open file only, owners and attributes are not changed; symbolic links and devices can't be
  /// made.
  public var writable: [String] = []
  /// Programs, or folders of programs, that it may run, confined as it is. What begins with `#!` is also
  /// read. Without any it makes no processes at all.
  public var runnable: [String] = []
  /// Whether it may make sockets of the internet's protocols.
  public var hasNetwork = false
  /// Whether it may make Unix sockets. Who is behind one, as a desktop's bus, may do what it can't.
  public var hasLocalSockets = false
  /// Whether it may watch folders (inotify(7)), whose names come to it also where it can't read them.
  public var watches = false

  /// Devices that hold nothing of anybody's.
  public static let emptyDevices = ["null", "zero", "full", "random", "urandom"].map { "/dev/\($0)" }

  /// Whether it may use other devices.
  var hasDevices: Bool {
    writable.contains { $0.hasPrefix("/dev") && !Self.emptyDevices.contains($0) }
  }

  /// Nothing.
  public init() {}

  /// Enters it with this thread, which is the process's only one.
  ///
  /// - Throws: ``SystemError`` where the kernel has none of these rules, or not as many; the process may be
  ///   half confined then, and is to end.
  public func enter() throws(SystemError) {
    // Opened while that is allowed.
    let files = try FileRules(self)
    guard nb_gain_nothing() == 0 else { throw .last("give up new privileges") }
    guard nb_drop_capabilities() == 0 else { throw .last("give up capabilities") }
    try files.apply()
    try CallRules(self, hasTruncation: files.version >= 3, hasSignals: files.version >= 6).apply()
  }

  // MARK: - As arguments

  /// The same as arguments of a program, as `--read=/usr`.
  public var arguments: [String] {
    readable.map { "--read=\($0)" } + writable.map { "--write=\($0)" } + runnable.map { "--run=\($0)" }
      + (hasNetwork ? ["--network"] : []) + (hasLocalSockets ? ["--sockets"] : [])
      + (watches ? ["--watch"] : [])
  }

  /// Reads ``arguments``; nil when one of them is something else.
  public init?(arguments: some Sequence<String>) {
    for argument in arguments {
      switch argument {
      case "--network": hasNetwork = true
      case "--sockets": hasLocalSockets = true
      case "--watch": watches = true
      default:
        guard let (kind, path) = Self.parts(argument) else { return nil }
        self[keyPath: kind].append(path)
      }
    }
  }

  private static func parts(_ argument: String) -> (WritableKeyPath<Confinement, [String]>, String)? {
    guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let path = String(argument[argument.index(after: equals)...])
    switch argument[..<equals] {
    case "--read": return (\.readable, path)
    case "--write": return (\.writable, path)
    case "--run": return (\.runnable, path)
    default: return nil
    }
  }
}
