// SPDX-License-Identifier: MIT

internal import Glibc

/// Another run of this program.
struct ChildProcess {
  private let id: pid_t

  /// Starts this program with `arguments`. Files take its streams' places: descriptor by descriptor.
  static func start(_ arguments: [String], files: [Int32: String] = [:]) -> ChildProcess? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, path) in files {
      posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var list: [UnsafeMutablePointer<CChar>?] = (["nbridge"] + arguments).map { strdup($0) } + [nil]
    defer { list.forEach { free($0) } }
    var id = pid_t()
    guard posix_spawn(&id, "/proc/self/exe", &actions, &attributes, &list, environ) == 0 else { return nil }
    return ChildProcess(id: id)
  }

  /// Waits for its end; 128 and the signal's number when one ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 { if errno != EINTR { return 1 } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Asks it to end, and waits until it has: `nbridge run` ends itself within a third of a second.
  func stop() {
    kill(id, SIGTERM)
    _ = wait()
  }
}
