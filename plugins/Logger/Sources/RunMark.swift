// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A file that stands as long as a program logs, locked: a program that finds one without its lock knows that
/// another ended without closing its log.
final class RunMark: Sendable {
  private struct State {
    var file: Descriptor?
    var isNew = true
  }

  private let folder: String
  private let name: String
  private let state = Mutex(State())

  init(_ folder: String, _ name: String) { (self.folder, self.name) = (folder, name) }

  var isNew: Bool { state.withLock(\.isNew) }

  /// Sets the mark, once; answers what to say of programs before.
  func begin() -> String? {
    let isFirst = state.withLock { state in
      defer { state.isNew = false }
      return state.isNew
    }
    guard isFirst, (try? SharedFolders.make("", in: folder)) != nil else { return nil }
    let left = takeLeft()
    let file = try? Descriptor.open("\(folder)/\(name)", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    if let file { FileLock(file).tryTake() }
    state.withLock { $0.file = file }
    guard left > 0 else { return nil }
    let who = left == 1 ? "a run before this one" : "\(left) runs before this one"
    return
      """
      \(who) ended without a word (killed, or a crash): what was logged in the last second before that may \
      be missing
      """
  }

  /// Takes away marks without an owner; answers how many there were.
  private func takeLeft() -> Int {
    FolderNames.of(folder).count { name in
      let path = "\(folder)/\(name)"
      guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return false }
      defer { file.close() }
      return FileLock(file).tryTake() && unlink(path) == 0
    }
  }

  func end() {
    state.withLock { state in
      guard state.file != nil else { return }
      unlink("\(folder)/\(name)")
      state.file = nil
    }
  }
}
