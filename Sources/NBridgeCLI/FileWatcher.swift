// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridge

/// `--watch`: runs the program in a child process, and again whenever one of its files changes.
struct FileWatcher {
  private let inotify = inotify_init1(Int32(IN_CLOEXEC))

  /// Runs until ^C. The child is this command without `--watch`.
  static func runAgain(_ file: String, _ options: RuntimeOptions) throws -> ExitStatus {
    let watcher = FileWatcher()
    guard watcher.inotify >= 0 else {
      throw UsageError("can't watch files: \(String(cString: strerror(errno)))")
    }
    let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--watch" }
    var known: [String] = [file]
    while true {
      do { known = try ProgramFiles.list(file, options) } catch let error as BundleError {
        known = Array(Set(known + error.files))
      } catch {}
      watcher.watch(known)
      let child = ChildProcess.start(Array(arguments))
      options.output.writeError("nbridge: watching \(known.count) file(s)\n")
      watcher.waitForChange(known)
      child?.stop()
      options.output.writeError("nbridge: changed, running again\n")
    }
  }

  /// Folders are watched, not files: an editor that replaces a file by renaming takes the watch of the old one away.
  private func watch(_ files: [String]) {
    for folder in Set(files.map(Self.folder)) {
      inotify_add_watch(inotify, folder, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE))
    }
  }

  private static func folder(_ file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }

  /// Blocks until a file of `files` has another name in its folder's events, and the writing has calmed down.
  private func waitForChange(_ files: [String]) {
    let names = Set(files.map { String($0.split(separator: "/").last ?? "") })
    var hasChanged = false
    while true {
      var poller = pollfd(fd: inotify, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, hasChanged ? 60 : -1)
      if ready == 0, hasChanged { return }
      if ready > 0, readNames().contains(where: names.contains) { hasChanged = true }
    }
  }

  private func readNames() -> [String] {
    var names: [String] = []
    withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { buffer in
      let count = read(inotify, buffer.baseAddress, buffer.count)
      var at = 0
      while at + MemoryLayout<inotify_event>.size <= count, let base = buffer.baseAddress {
        let event = (base + at).load(as: inotify_event.self)
        let name = base + at + MemoryLayout<inotify_event>.size
        if event.len > 0 { names.append(String(cString: name.assumingMemoryBound(to: CChar.self))) }
        at += MemoryLayout<inotify_event>.size + Int(event.len)
      }
    }
    return names
  }
}
