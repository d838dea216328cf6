// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePages
internal import NBridgeScript
internal import NBridgeSystem

/// Tells the pages of a server when files beside them change: where only styles did, these are loaded anew
/// and the page stays. Confined to the engine's thread.
final class PageWatcher {
  private let inotify: Inotify
  private let loop: EventLoop
  private unowned let server: PageServer
  private var source: DescriptorSource?
  private let container: RealPath?
  private var folders: [Int32: String] = [:]
  private var timer: TimerQueue.ID?
  private var hasOtherThanStyles = false

  /// So many folders are watched at the most, and so many levels of them.
  private static let mostFolders = 1000
  private static let deepest = 8
  /// How long writing has to be calm, in microseconds.
  private static let calm = 60_000

  /// - Throws: `SystemError` where nothing can be watched.
  init(_ folder: String, _ guests: Runtime.Guests, _ server: PageServer) throws {
    (inotify, loop, self.server) = (try Inotify(), guests.loop, server)
    // What the app itself writes is no change of the page.
    container = RealPath(guests.container)
    watch(folder, Self.deepest)
    source = loop.watch(inotify.number) { [unowned self] in take() }
  }

  deinit { source?.close() }

  private func watch(_ folder: String, _ levels: Int) {
    let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE)
    if let container, RealPath(folder) == container { return }
    guard levels > 0, folders.count < Self.mostFolders, let number = try? inotify.watch(folder, events) else {
      return
    }
    folders[number] = folder
    for name in ScriptFile.names(in: folder) where !name.hasPrefix(".") && name != "node_modules" {
      let path = "\(folder)/\(name)"
      if Path.isFolder(path) { watch(path, levels - 1) }
    }
  }

  private func take() {
    for event in inotify.read() {
      let name = String(decoding: event.name, as: UTF8.self)
      // Editors keep their own files there.
      if name.isEmpty || name.hasPrefix(".") || name.hasSuffix("~") { continue }
      if event.mask & UInt32(IN_ISDIR) != 0 {
        guard let folder = folders[event.watch] else { continue }
        watch("\(folder)/\(name)", Self.deepest)
        // An empty one changes nothing; one that comes with files, or goes, does.
        if event.mask & UInt32(IN_CREATE) != 0 { continue }
      }
      // Its writing is still to come.
      if event.mask & UInt32(IN_CREATE) != 0 { continue }
      if !name.hasSuffix(".css") { hasOtherThanStyles = true }
      schedule()
    }
  }

  /// Put off as long as more is written.
  private func schedule() {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(at: loop.clock.now + Self.calm) { [unowned self] in
      timer = nil
      server.tellChange(ofStyles: !hasOtherThanStyles)
      hasOtherThanStyles = false
    }
  }
}
