// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// The kernel's rules for files (landlock(7)): made open, then applied to this thread.
struct FileRules {
  /// What the kernel's rules know: from 2 on files can be moved between folders, from 3 on truncation is
  /// asked for, from 5 on what is asked of devices, from 6 on signals to other processes.
  let version: Int
  private let rules: Descriptor

  /// The kernel's LANDLOCK_ACCESS_FS_…, of which a kernel knows the first few.
  private struct Access: OptionSet {
    let rawValue: UInt64
    static let execute = Access(rawValue: 1 << 0)
    static let writeFile = Access(rawValue: 1 << 1)
    static let readFile = Access(rawValue: 1 << 2)
    static let readFolder = Access(rawValue: 1 << 3)
    static let makeDevices = Access(rawValue: 1 << 6 | 1 << 11)
    static let makeLinks = Access(rawValue: 1 << 12)
    static let truncate = Access(rawValue: 1 << 14)
    static let askDevices = Access(rawValue: 1 << 15)

    static let read: Access = [.readFile, .readFolder]
    static let change = all(in: 5).subtracting([.execute, .makeDevices, .makeLinks])
    /// What a rule for something else than a folder may name.
    static let ofFiles: Access = [.execute, .writeFile, .readFile, .truncate, .askDevices]

    static func all(in version: Int) -> Access {
      let counts = [0, 13, 14, 15, 15]
      return Access(rawValue: (1 << UInt64(version < counts.count ? counts[version] : 16)) - 1)
    }
  }

  /// LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, LANDLOCK_SCOPE_SIGNAL.
  private static let scopes: UInt64 = 1 << 0 | 1 << 1

  init(_ confinement: Confinement) throws(SystemError) {
    version = Int(nb_landlock_version())
    guard version > 0 else { throw .last("keep this process to its files (landlock)") }
    var wish = nb_landlock_rules(files: Access.all(in: version).rawValue, network: 0, scopes: 0)
    if version >= 6 { wish.scopes = Self.scopes }
    // A kernel refuses what is longer than what it knows, unless that is 0.
    let made = nb_landlock_create(&wish, version >= 6 ? 24 : 8)
    guard made >= 0 else { throw .last("keep this process to its files (landlock)") }
    rules = Descriptor(taking: made)
    for path in confinement.readable { try allow(path, .read) }
    for path in confinement.writable { try allow(path, .change) }
    for path in confinement.runnable { try allow(path, .execute) }
  }

  private func allow(_ path: String, _ access: Access) throws(SystemError) {
    let file: Descriptor
    do { file = try Descriptor.open(path, Int32(NB_O_PATH)) } catch {
      // What can't be reached now can't be reached then.
      return
    }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .last("look at", path) }
    var allowed = access.intersection(.all(in: version))
    if status.st_mode & S_IFMT != S_IFDIR { allowed.formIntersection(.ofFiles) }
    var rule = nb_landlock_path(allowed: allowed.rawValue, file: file.number)
    guard nb_landlock_add(rules.number, &rule) == 0 else { throw .last("open to this process", path) }
  }

  func apply() throws(SystemError) {
    guard nb_landlock_restrict(rules.number) == 0 else {
      throw .last("keep this process to its files (landlock)")
    }
  }
}
